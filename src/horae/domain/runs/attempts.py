"""The attempts of a run as people see them. Those that were retried have rows of their own; the last is in the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from horae.domain.runs.run_record import RunRecord

_TOLD = (
    *("worker_id", "started_at", "finished_at", "duration_ms", "outcome", "error", "exit_code", "response_code"),
    *("result", "traceback"),
)


def with_last(run: RunRecord, tried: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A run that waits, or was cancelled while it waited, has no attempt besides those that were retried."""
    waits = run.started_at is None or (tried and tried[-1]["n"] == run.attempt)
    return [*tried] if waits else [*tried, {"n": run.attempt, **{field: getattr(run, field) for field in _TOLD}}]
