"""Dead letters: runs that ended `failed` and have not been redriven or discarded."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from horae.domain.runs.run_record import RunRecord


@dataclass(frozen=True, slots=True)
class DeadFilter:
    """Which dead letters; None: any. `ids` are those of their runs."""

    job_id: str | None = None
    fingerprint: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    ids: tuple[str, ...] | None = None

    def to_json(self) -> dict[str, Any]:
        """Only the given fields, for an operation's details."""
        instants = {name: getattr(self, name) for name in ("since", "until")}
        found = {
            "job_id": self.job_id,
            "fingerprint": self.fingerprint,
            **{name: None if at is None else at.isoformat() for name, at in instants.items()},
            "ids": None if self.ids is None else list(self.ids),
        }
        return {name: value for name, value in found.items() if value is not None}

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> DeadFilter:
        instants = {name: datetime.fromisoformat(found[name]) for name in ("since", "until") if name in found}
        ids = tuple(found["ids"]) if "ids" in found else None
        return cls(found.get("job_id"), found.get("fingerprint"), **instants, ids=ids)


class DeadLetter(NamedTuple):
    """A failed run, as its redrive needs it; `input` is JSON text."""

    id: str
    job_id: str
    input: str | None
    scheduled_for: datetime | None


class DeadLetterRecord(NamedTuple):
    """A dead letter as people see it: the failed run, without long documents."""

    run: RunRecord
    fingerprint: str
    failed_at: datetime


@dataclass(frozen=True, slots=True)
class DeadJob:
    """A job's share in a group of dead letters."""

    id: str
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class DeadGroup:
    """Dead letters of one cause; code and error are those of the newest. Groups from before causes included job and
    code may span several jobs."""

    fingerprint: str
    count: int
    first_at: datetime
    last_at: datetime
    last_run_id: str
    error: str | None
    exit_code: int | None
    response_code: int | None
    jobs: tuple[DeadJob, ...]


_VARYING = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|0x[0-9a-f]+|\b[0-9a-f]{16,}\b|\d+", re.IGNORECASE)


def fingerprint(job_id: str, code: int | None, error: str | None) -> str:
    """The cause of a failure: equal for runs of one job that ended with the same code and whose errors differ only in
    numbers and ids."""
    cause = f"{job_id} {code} {_VARYING.sub('#', error or '')}"
    return hashlib.sha256(cause.encode()).hexdigest()[:16]


def allowance(rate: float | None, waited: float, most: int) -> int:
    """How many may be redriven now at `rate` per second, `waited` seconds after the last ones. Idle time does not
    accumulate beyond a short burst."""
    return most if rate is None else min(int(rate * min(waited, BURST) + 1e-9), most)


BURST = 5.0  # seconds


class Dead(NamedTuple):
    """A run that ended `failed` and is unresolved."""

    run_id: str
    job_id: str
    project_id: str
    fingerprint: str
