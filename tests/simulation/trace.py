"""What happened, in order: all of it for the fingerprint of a world, some of it for people."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from tests.simulation.connection import Change


@dataclass(frozen=True)
class Entry:
    at: float
    who: str
    what: str
    kind: str  # commit, rollback, fault, note or ask
    changed: tuple[Change, ...] = ()

    def __str__(self) -> str:
        return f"{self.at:10.4f}  {self.who:<16} {self.what}"


class Trace:
    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.entries: list[Entry] = []

    def _add(self, who: str, what: str, kind: str, changed: Sequence[Change] = ()) -> None:
        self.entries.append(Entry(self._now(), who, what, kind, tuple(sorted(changed))))

    def commit(self, who: str, verb: str, told: str, changed: Sequence[Change]) -> None:
        self._add(who, f"{verb} {told}".rstrip(), "commit", changed)

    def rolled_back(self, who: str, verb: str, changed: Sequence[Change]) -> None:
        self._add(who, f"{verb} is rolled back", "rollback", changed)

    def fault(self, who: str, what: str, key: str) -> None:
        self._add(who, f"! {what} [{key}]", "fault")

    def note(self, who: str, what: str, *about: Change) -> None:
        self._add(who, what, "note", about)

    def ask(self, who: str, what: str, about: Collection[Change] = ()) -> None:
        self._add(who, what, "ask", sorted(about))

    def fingerprint(self) -> str:
        digest = hashlib.sha256()
        for entry in self.entries:
            digest.update(f"{entry.at!r} {entry.who} {entry.what} {entry.changed}\n".encode())
        return digest.hexdigest()[:16]
