"""The SSRF guard of channels, for calls and for mail."""

from __future__ import annotations

from horae.checked_resolver import CheckedResolver, Lookup
from horae.domain import ssrf_guard


class AddressRefused(Exception):
    """A channel leads to a forbidden address."""


class Addresses(CheckedResolver):
    def __init__(self, *, allow_private: bool, lookup: Lookup | None = None) -> None:
        super().__init__(allow_private=allow_private, refused=_refused, lookup=lookup)

    async def of(self, host: str, port: int) -> str:
        """An address of a host, if all of its addresses are allowed."""
        return (await self.resolve(host, port))[0]["host"]


def _refused(reason: str, address: str) -> AddressRefused:
    never = ssrf_guard.refusal(address, allow_private=True) is not None
    return AddressRefused(f"refused: {reason}{'' if never else '; HORAE_HTTP_ALLOW_PRIVATE of schedulers allows it'}")
