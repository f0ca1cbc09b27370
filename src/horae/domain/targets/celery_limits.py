"""Which tasks of the Celery app, and which queues of its broker, the jobs of a project may name. The operator's choice:
without it, every project that has such jobs may call every task. Queues that are not for tasks are always refused."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from horae.domain.targets.celery import CeleryTarget

EVERY = "*"  # project
ENGINE_QUEUES = "horae."  # the queues of the engine celery: a message there would name a run
_RESERVED = (  # what these begin is not a queue of tasks, and a message there could disturb every worker
    *("amq.", "celeryev", "_kombu.", "unacked", "celery-task-meta-", "celery-taskset-meta-"),
    ENGINE_QUEUES,
)
_CONTROL = "celery.pidbox"  # remote control, and the replies to it
_SHOWN = 10  # names in a message


class TargetRefusal(NamedTuple):
    """Why a job may not call its target; `field` is where."""

    field: str
    reason: str


class CeleryLimits:
    """`tasks` and `queues`: patterns by project, `*` for those of every project. No `tasks`: no limits."""

    def __init__(
        self, tasks: Mapping[str, Collection[str]] | None = None, queues: Mapping[str, Collection[str]] | None = None
    ) -> None:
        self._tasks, self._queues = tasks, queues or {}

    def __bool__(self) -> bool:
        """Whether it matters which project asks."""
        return self._tasks is not None or bool(self._queues)

    def refusal(self, project: str, target: CeleryTarget) -> TargetRefusal | None:
        """Why a job of this project may not call it."""
        if target.queue is not None and _reserved(target.queue):
            return TargetRefusal(
                "target.queue", f"{target.queue!r} is reserved: Celery, the broker or Horae's engine uses such a name"
            )
        if self._tasks is not None and (allowed := _named(self._tasks, project, target.task)) is not None:
            reason = f"this project may not call the task {target.task!r}: HORAE_CELERY_TASKS allows it {allowed}"
            return TargetRefusal("target.task", reason)
        if target.queue is None or not self:
            return None
        if (allowed := _named(self._queues, project, target.queue)) is None:
            return None
        reason = f"this project may not choose the queue {target.queue!r}: HORAE_CELERY_QUEUES allows it {allowed}"
        return TargetRefusal("target.queue", f"{reason}; without a queue, the app routes the task")


def _reserved(queue: str) -> bool:
    return queue.startswith(_RESERVED) or queue.endswith(_CONTROL)


def _named(patterns: Mapping[str, Collection[str]], project: str, name: str) -> str | None:
    """None if one of them matches; otherwise the patterns of this project, in words."""
    mine = [one for whose in (project, EVERY) for one in patterns.get(whose, ())]
    if any(fnmatchcase(name, one) for one in mine):
        return None
    more = f" and {len(mine) - _SHOWN} more" if len(mine) > _SHOWN else ""
    return ", ".join(mine[:_SHOWN]) + more if mine else "none"
