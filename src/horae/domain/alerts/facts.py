"""What the rules of alerts look at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from horae.domain.cluster.process import WorkerRecord
from horae.domain.runs.stranded import Stranded


@dataclass(frozen=True, slots=True)
class FailingJob:
    """A job that failed so many times in a row."""

    project_id: str
    job_id: str
    name: str
    version: int
    streak: int
    since: datetime | None
    last_run_id: str | None


class LastError(NamedTuple):
    """Of a run that ended."""

    id: str
    error: str | None


@dataclass(frozen=True, slots=True)
class Facts:
    """As of `now`. `errors` are those of last runs, by run, as far as the history still has them; `founded_at` is when
    the installation was set up."""

    now: datetime
    founded_at: datetime
    workers: tuple[WorkerRecord, ...] = ()
    stranded: tuple[Stranded, ...] = ()
    failing: tuple[FailingJob, ...] = ()
    errors: dict[str, str | None] | None = None
