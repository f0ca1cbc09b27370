"""A deleted job whose runs are still to be cancelled."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deletion:
    """A deleted job, and who requested it."""

    job_id: str
    project_id: str
    actor: str
