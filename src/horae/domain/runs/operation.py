"""Long-running operations with progress: backfills, redrives, discards."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class NewOperation:
    """A long-running operation to start; `details` hold what it needs to resume."""

    id: str
    project_id: str
    kind: str
    job_id: str | None
    details: dict[str, Any]
    total: int
    actor: str
    fingerprint: str | None = None  # equal for the same work of the same job


@dataclass(frozen=True, slots=True)
class Operation:
    id: str
    project_id: str
    kind: str
    state: str  # running, done, cancelled or failed
    job_id: str | None
    details: dict[str, Any]
    done: int
    total: int
    error: str | None
    created_by: str
    created_at: datetime
    finished_at: datetime | None
