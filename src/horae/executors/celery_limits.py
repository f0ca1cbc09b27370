"""Which tasks of the Celery app, and which queues of its broker, the jobs of a project may name. The operator's choice:
without it, every project that has such jobs may call every task."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase

from horae.domain.targets import CeleryTarget

EVERY = "*"  # project


class CeleryLimits:
    """`tasks` and `queues`: patterns by project id, `*` for those of every project. No `tasks`: no limits."""

    def __init__(
        self, tasks: Mapping[str, Collection[str]] | None = None, queues: Mapping[str, Collection[str]] | None = None
    ) -> None:
        self._tasks, self._queues = tasks, queues or {}

    def refusal(self, project_id: str, target: CeleryTarget) -> str | None:
        """Why a job of this project may not call it."""
        if self._tasks is not None and not _matches(self._tasks, project_id, target.task):
            return f"this project may not call the task {target.task!r}: HORAE_CELERY_TASKS does not name it"
        limited = self._tasks is not None or bool(self._queues)
        if target.queue is not None and limited and not _matches(self._queues, project_id, target.queue):
            return (
                f"this project may not choose the queue {target.queue!r}: HORAE_CELERY_QUEUES does not name "
                "it; without a queue, the app routes the task"
            )
        return None


def _matches(patterns: Mapping[str, Collection[str]], project_id: str, name: str) -> bool:
    return any(fnmatchcase(name, one) for whose in (project_id, EVERY) for one in patterns.get(whose, ()))
