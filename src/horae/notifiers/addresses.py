"""The SSRF guard at the socket, for calls and for mail: a name is resolved once, every address that it has is checked,
and the connection goes to one of those very addresses."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

from horae.domain import ssrf_guard

Lookup = Callable[..., Awaitable[Sequence[tuple[Any, ...]]]]
"""`loop.getaddrinfo`, or what stands for it."""


class AddressRefused(Exception):
    """A channel leads to an address that it must not reach."""


class Addresses(AbstractResolver):
    def __init__(self, *, allow_private: bool, lookup: Lookup | None = None) -> None:
        self._allow_private, self._lookup = allow_private, lookup

    def check(self, address: str, host: str) -> None:
        if reason := ssrf_guard.refusal(address, allow_private=self._allow_private):
            leads = f"{host} resolves to an address that is not allowed: " if host != address else ""
            raise AddressRefused(f"refused: {leads}{reason}")

    def check_literal(self, host: str) -> None:
        """aiohttp does not ask a resolver about a host that looks like an address."""
        if ":" in host or host.replace(".", "").isdigit():
            self.check(host, host)

    async def of(self, host: str, port: int) -> str:
        """An address of a host, if it may be reached at all of them."""
        return (await self.resolve(host, port))[0]["host"]

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        self.check_literal(host)
        lookup = self._lookup or asyncio.get_running_loop().getaddrinfo
        resolved = []
        for kind, _, proto, _, where in await lookup(host, port, type=socket.SOCK_STREAM, family=family):
            address = str(where[0])
            if kind == socket.AF_INET6 and len(where) > 3 and where[3]:
                address = f"{address}%{where[3]}"
            self.check(address, host)
            resolved.append(
                ResolveResult(
                    hostname=host,
                    host=address,
                    port=port,
                    family=kind,
                    proto=proto,
                    flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
                )
            )
        return resolved

    async def close(self) -> None:
        pass
