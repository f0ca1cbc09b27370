"""A job as the store keeps it: its state, its versions, and what changes them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from horae.domain.jobs.function import CallRules
from horae.domain.jobs.job import JobSpec


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job's first version and its schedule's state."""

    id: str
    project_id: str
    spec: JobSpec
    plan: str
    enabled: bool
    anchor_at: datetime
    next_run_at: datetime | None
    actor: str
    at: datetime


@dataclass(frozen=True, slots=True)
class JobChange:
    """A new version of a job, to be saved only if `version` is still the current one."""

    id: str
    version: int
    spec: JobSpec
    plan: str
    anchor_at: datetime
    next_run_at: datetime | None
    actor: str
    at: datetime
    note: str | None = None


@dataclass(frozen=True, slots=True)
class JobState:
    """What users switch: audited state, not a version."""

    id: str
    enabled: bool
    paused: bool
    paused_until: datetime | None
    next_run_at: datetime | None
    fired_through: datetime | None
    actor: str


@dataclass(frozen=True, slots=True)
class VersionRecord:
    version: int
    spec: JobSpec
    created_by: str
    created_at: datetime
    note: str | None


@dataclass(frozen=True, slots=True)
class JobHead:
    """The part of a job that a trigger needs."""

    id: str
    project_id: str
    version: int
    plan: str
    bounded: bool = False  # whether its project has a quota of live runs
    function: CallRules | None = None  # that it calls, if a worker has registered it


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A job's current version and state."""

    id: str
    project_id: str
    version: int
    spec: JobSpec
    enabled: bool
    paused: bool
    paused_until: datetime | None
    anchor_at: datetime
    next_run_at: datetime | None
    fired_through: datetime | None
    fired_count: int
    live_runs: int
    last_run_at: datetime | None
    last_status: str | None
    created_by: str
    created_at: datetime
    updated_by: str
    updated_at: datetime
    shard: int


class Advance(NamedTuple):
    """Where a job's schedule continues after firing."""

    id: str
    next_run_at: datetime | None
    fired_through: datetime
    fired: int
