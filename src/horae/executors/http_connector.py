"""Connections of `http` jobs: behind the SSRF guard, measured, kept alive and reused."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

import aiohttp
from yarl import URL

from horae.checked_resolver import CheckedResolver, Lookup
from horae.domain import ssrf_guard
from horae.executors.failure import Refused
from horae.ports import Clock

_KEEPALIVE = 4.0  # below the 5 s after which Node and others hang up: a POST on a dying connection would fail
_spent: ContextVar[dict[str, float]] = ContextVar("horae_http_timings")


def watch_connecting() -> dict[str, float]:
    """Starts measuring in this task: `dns_ms` and `connect_ms`, if a connection has to be opened."""
    spent: dict[str, float] = {}
    _spent.set(spent)
    return spent


def check_literal(url: URL, *, allow_private: bool) -> None:
    """aiohttp does not call the resolver for a host that looks like an address."""
    reason = _literal_refusal(url.raw_host or "", allow_private)
    if reason is not None:
        raise _refused(reason)


@lru_cache(maxsize=1_024)  # most jobs call one of a few hosts
def _literal_refusal(host: str, allow_private: bool) -> str | None:
    return ssrf_guard.literal_refusal(host, allow_private=allow_private)


class CheckedConnector(aiohttp.TCPConnector):
    def __init__(self, clock: Clock, *, allow_private: bool, lookup: Lookup | None = None) -> None:
        super().__init__(
            resolver=TimedResolver(clock, allow_private=allow_private, lookup=lookup),
            limit=0,  # the worker's slots are the limit
            keepalive_timeout=_KEEPALIVE,
        )
        self._clock = clock

    async def _create_connection(self, *args: Any, **kwargs: Any) -> Any:
        began = self._clock.monotonic()
        made = await super()._create_connection(*args, **kwargs)
        _note("connect_ms", began, self._clock)
        return made


class TimedResolver(CheckedResolver):
    """Measures `dns_ms`."""

    def __init__(self, clock: Clock, *, allow_private: bool, lookup: Lookup | None = None) -> None:
        super().__init__(allow_private=allow_private, refused=_refused, lookup=lookup)
        self._clock = clock

    async def look_up(self, host: str, port: int, family: socket.AddressFamily) -> Sequence[tuple[Any, ...]]:
        began = self._clock.monotonic()
        found = await super().look_up(host, port, family)
        _note("dns_ms", began, self._clock)
        return found


def _refused(reason: str, address: str = "") -> Refused:
    return Refused(f"the call was refused: {reason}")


def _note(name: str, began: float, clock: Clock) -> None:
    spent = _spent.get(None)
    if spent is not None:
        spent[name] = round((clock.monotonic() - began) * 1000, 1)
