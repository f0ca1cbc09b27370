"""The SSRF guard at the socket, for calls and for mail: a name is resolved once, each of its addresses is checked, and
the connection goes to one of those very addresses."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

from horae.domain import ssrf_guard

Lookup = Callable[..., Awaitable[Sequence[tuple[Any, ...]]]]
"""`loop.getaddrinfo`, or a stand-in."""


class AddressRefused(Exception):
    """A channel leads to a forbidden address."""


class Addresses(AbstractResolver):
    def __init__(self, *, allow_private: bool, lookup: Lookup | None = None) -> None:
        self._allow_private, self._lookup = allow_private, lookup

    def check(self, address: str, host: str) -> None:
        if reason := ssrf_guard.found_refusal([address], host, allow_private=self._allow_private):
            raise _refused(reason, address)

    def check_literal(self, host: str) -> None:
        """aiohttp does not ask a resolver about a host that looks like an address."""
        if reason := ssrf_guard.literal_refusal(host, allow_private=self._allow_private):
            raise _refused(reason, host)

    async def of(self, host: str, port: int) -> str:
        """An address of a host, if all of its addresses are allowed."""
        return (await self.resolve(host, port))[0]["host"]

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        self.check_literal(host)
        lookup = self._lookup or asyncio.get_running_loop().getaddrinfo
        found = await lookup(host, port, type=socket.SOCK_STREAM, family=family)
        at = [(kind, proto, ssrf_guard.scoped(where)) for kind, _, proto, _, where in found]
        for _, _, address in at:
            self.check(address, host)
        numeric = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
        return [
            ResolveResult(hostname=host, host=address, port=port, family=kind, proto=proto, flags=numeric)
            for kind, proto, address in at
        ]

    async def close(self) -> None:
        pass


def _refused(reason: str, address: str) -> AddressRefused:
    never = ssrf_guard.refusal(address, allow_private=True) is not None
    return AddressRefused(f"refused: {reason}{'' if never else '; HORAE_HTTP_ALLOW_PRIVATE of schedulers allows it'}")
