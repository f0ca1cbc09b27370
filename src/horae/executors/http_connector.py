"""The SSRF guard at the socket: a name is resolved once, each of its addresses is checked, and the connection goes to
one of those very addresses, so DNS rebinding has no effect. Connections are kept alive and reused."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from horae.domain import ssrf_guard
from horae.executors.failure import Refused
from horae.ports import Clock

_KEEPALIVE = 4.0  # below the 5 s after which Node and others hang up: a POST on a dying connection would fail
_spent: ContextVar[dict[str, float]] = ContextVar("horae_http_timings")

Lookup = Callable[..., Awaitable[Sequence[tuple[Any, ...]]]]
"""`loop.getaddrinfo`, or a stand-in."""


def watch_connecting() -> dict[str, float]:
    """Starts measuring in this task: `dns_ms` and `connect_ms`, if a connection has to be opened."""
    spent: dict[str, float] = {}
    _spent.set(spent)
    return spent


def check_literal(url: URL, *, allow_private: bool) -> None:
    """aiohttp does not call the resolver for a host that looks like an address."""
    reason = _literal_refusal(url.raw_host or "", allow_private)
    if reason is not None:
        raise Refused(f"the call was refused: {reason}")


@lru_cache(maxsize=1_024)  # most jobs call one of a few hosts
def _literal_refusal(host: str, allow_private: bool) -> str | None:
    return ssrf_guard.literal_refusal(host, allow_private=allow_private)


class CheckedConnector(aiohttp.TCPConnector):
    def __init__(self, clock: Clock, *, allow_private: bool, lookup: Lookup | None = None) -> None:
        super().__init__(
            resolver=CheckedResolver(clock, allow_private=allow_private, lookup=lookup),
            limit=0,  # the worker's slots are the limit
            keepalive_timeout=_KEEPALIVE,
        )
        self._clock = clock

    async def _create_connection(self, *args: Any, **kwargs: Any) -> Any:
        began = self._clock.monotonic()
        made = await super()._create_connection(*args, **kwargs)
        _note("connect_ms", began, self._clock)
        return made


class CheckedResolver(AbstractResolver):
    """Resolves a name and refuses it if any of its addresses is forbidden."""

    def __init__(self, clock: Clock, *, allow_private: bool, lookup: Lookup | None = None) -> None:
        self._clock, self._allow_private, self._lookup = clock, allow_private, lookup

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        began = self._clock.monotonic()
        lookup = self._lookup or asyncio.get_running_loop().getaddrinfo
        found = await lookup(host, port, type=socket.SOCK_STREAM, family=family)
        _note("dns_ms", began, self._clock)
        at = [(kind, proto, ssrf_guard.scoped(where)) for kind, _, proto, _, where in found]
        checked = (address for _, _, address in at)
        if reason := ssrf_guard.found_refusal(checked, host, allow_private=self._allow_private):
            raise Refused(f"the call was refused: {reason}")
        numeric = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
        return [
            ResolveResult(hostname=host, host=address, port=port, family=kind, proto=proto, flags=numeric)
            for kind, proto, address in at
        ]

    async def close(self) -> None:
        pass


def _note(name: str, began: float, clock: Clock) -> None:
    spent = _spent.get(None)
    if spent is not None:
        spent[name] = round((clock.monotonic() - began) * 1000, 1)
