"""Idempotency keys: a request takes effect once, however often it is sent. What is stored about it, and the ids it
generates."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

KEPT = 86_400.0  # seconds
HELD = 30.0  # seconds in which an answer is expected; after that a retry may take over


@dataclass(frozen=True, slots=True)
class Once:
    """A request with an idempotency key: its owner, the key, and a fingerprint of the request. `holder` identifies this
    try."""

    project_id: str
    digest: str
    request: str
    holder: str


@dataclass(frozen=True, slots=True)
class KeptRequest:
    """The record of a key. Without a `status` the request is in progress, or was when a process died."""

    request: str
    holder: str
    created_at: datetime
    free: bool  # its holder is gone
    old: bool  # expired
    status: int | None
    headers: dict[str, str]
    body: str | None  # sealed
    taken_over: bool = False  # from a try that may have taken effect


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    status: int
    headers: dict[str, str]
    body: str  # sealed


class DerivedIds:
    """The ids that a request generates, the same at every try: UUIDv7 with the time at which its key was first seen, a
    counter that keeps their order, and the key's digest."""

    def __init__(self, at: datetime, seed: str) -> None:
        self._millis = int(at.timestamp() * 1000)
        self._seed = seed
        self._count = 0

    @classmethod
    def under(cls, once: Once, kept: KeptRequest) -> DerivedIds:
        return cls(kept.created_at, f"{once.project_id}\0{once.digest}")

    def new(self) -> str:
        place, self._count = self._count, self._count + 1
        millis, counter = self._millis + (place >> 12), place & 0xFFF
        rest = hashlib.sha256(f"{self._seed}\0{place}".encode()).digest()[:8]
        tail = 0x8000_0000_0000_0000 | (int.from_bytes(rest) & 0x3FFF_FFFF_FFFF_FFFF)
        return str(UUID(int=millis << 80 | 7 << 76 | counter << 64 | tail))
