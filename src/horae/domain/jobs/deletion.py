"""A deleted job whose runs are still to be cancelled."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deletion:
    """A job that was deleted, and who asked for it."""

    job_id: str
    project_id: str
    actor: str
