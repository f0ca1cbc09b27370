"""Log and metrics of refused requests: a count for each kind, and a log line for the first of many.

Never a password, a key or a token, and only the digest of an unknown name: people type passwords into that field."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any, Literal, get_args

import structlog
from fastapi import Request

from horae.api.address import Proxies
from horae.ports import Clock

log = structlog.get_logger()

Kind = Literal["password", "code", "locked", "key", "token", "refresh", "callback", "limited", "sso", "ping", "badge"]
KINDS: tuple[str, ...] = get_args(Kind)
_LINES, _EVERY = 10, 6.0  # lines per kind in a burst, and seconds until one more is allowed


class Refusals:
    """Those of this process."""

    def __init__(self, clock: Clock, proxies: Proxies) -> None:
        self._clock, self._proxies = clock, proxies
        self.counts: Counter[str] = Counter(dict.fromkeys(KINDS, 0))
        self._room: dict[str, tuple[float, float]] = {}  # lines left, and the time of that count
        self._unlogged: Counter[str] = Counter()

    def note(self, request: Request, kind: Kind, **about: Any) -> None:
        self.counts[kind] += 1
        now = self._clock.monotonic()
        left, at = self._room.get(kind, (float(_LINES), now))
        left = min(float(_LINES), left + (now - at) / _EVERY)
        if left < 1:
            self._room[kind] = (left, now)
            self._unlogged[kind] += 1
            return
        self._room[kind] = (left - 1, now)
        if unlogged := self._unlogged.pop(kind, 0):
            about["unlogged"] = unlogged
        address = self._proxies.address(request)
        log.warning("refused", kind=kind, address=address, request_id=request.scope["state"]["id"], **about)


def name_digest(name: str) -> str:
    return hashlib.sha256(name.lower().encode()).hexdigest()[:16]
