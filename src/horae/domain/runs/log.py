"""The log of a run: the output of its attempts in chunks, and their progress."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class LogLines:
    """A chunk of an attempt's output, as its worker writes it."""

    run_id: str
    token: str
    attempt: int
    seq: int
    at: datetime
    stream: str
    text: str


_POSITION = re.compile(r"\d{1,9}\.\d{1,9}", re.ASCII)


class LogPosition(NamedTuple):
    """A position in a run's log: after this chunk of this attempt. As text `attempt.seq`."""

    attempt: int = 0
    seq: int = 0

    def __str__(self) -> str:
        return f"{self.attempt}.{self.seq}"

    @classmethod
    def parse(cls, text: str | None) -> LogPosition:
        """Raises ValueError."""
        if text is None:
            return cls()
        if not _POSITION.fullmatch(text):
            raise ValueError("not a position")
        attempt, _, seq = text.partition(".")
        return cls(int(attempt), int(seq))


class LogPiece(NamedTuple):
    """A chunk of a run's log, as read."""

    attempt: int
    seq: int
    at: datetime
    stream: str
    text: str

    @property
    def position(self) -> LogPosition:
        return LogPosition(self.attempt, self.seq)


@dataclass(frozen=True, slots=True)
class Progress:
    """The latest progress that an attempt reported; `value` is JSON text."""

    run_id: str
    token: str
    value: str
