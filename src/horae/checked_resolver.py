"""The SSRF guard at the socket: a name is resolved once, each of its addresses is checked, and the connection goes to
one of those very addresses, so DNS rebinding has no effect."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

from horae.domain import ssrf_guard

Lookup = Callable[..., Awaitable[Sequence[tuple[Any, ...]]]]
"""`loop.getaddrinfo`, or a stand-in."""

_NUMERIC = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV


class CheckedResolver(AbstractResolver):
    """`refused` makes the exception for a forbidden address, from the reason and the address."""

    def __init__(
        self, *, allow_private: bool, refused: Callable[[str, str], Exception], lookup: Lookup | None = None
    ) -> None:
        self._allow_private, self._refused, self._lookup = allow_private, refused, lookup

    def check(self, address: str, host: str) -> None:
        if reason := ssrf_guard.found_refusal(address, host, allow_private=self._allow_private):
            raise self._refused(reason, address)

    def check_literal(self, host: str) -> None:
        """aiohttp does not call a resolver for a host that looks like an address."""
        if reason := ssrf_guard.literal_refusal(host, allow_private=self._allow_private):
            raise self._refused(reason, host)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        self.check_literal(host)
        found = [
            ResolveResult(
                hostname=host, host=ssrf_guard.scoped(where), port=port, family=kind, proto=proto, flags=_NUMERIC
            )
            for kind, _, proto, _, where in await self.look_up(host, port, family)
        ]
        for one in found:
            self.check(one["host"], host)
        return found

    async def look_up(self, host: str, port: int, family: socket.AddressFamily) -> Sequence[tuple[Any, ...]]:
        lookup = self._lookup or asyncio.get_running_loop().getaddrinfo
        return await lookup(host, port, type=socket.SOCK_STREAM, family=family)

    async def close(self) -> None:
        pass
