"""Unreadable definitions: which jobs, why, and which processes found out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A job that was due and could not be fired, because its definition cannot be read; `reason` in words."""

    job_id: str
    version: int
    reason: str


@dataclass(frozen=True, slots=True)
class JobFault:
    """A job whose current definition cannot be read, and why."""

    project: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Portion:
    """Definitions that were checked: how many, those that cannot be read, and the id to continue after; None at the
    end."""

    tried: int
    faults: tuple[JobFault, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class UnreadableNote:
    """A process could not read a version of a job: since when this is known, and when it last tried."""

    job_id: str
    version: int
    process_id: str
    reason: str
    found_at: datetime
    seen_at: datetime
