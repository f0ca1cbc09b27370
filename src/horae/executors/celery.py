"""Calls a task of the operator's own Celery app. The run is parked before anything is sent, so that its slot is free
while the task waits and runs: the worker's tracker (processes/tracker.py) sends it, follows it and revokes it.

An untracked task (`track: false`) is sent here, and its run succeeds when the broker has the message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

import orjson

from horae.domain.runs.outcome import Outcome
from horae.domain.runs.remote_task import RemoteWork, task_id
from horae.domain.runs.states import AttemptOutcome
from horae.domain.targets.celery_limits import CeleryLimits
from horae.executors.celery_call import call_of
from horae.executors.failure import Refused, refused

if TYPE_CHECKING:
    from horae.domain.runs.attempt import Attempt
    from horae.domain.targets import CeleryTarget
    from horae.executors.celery_app import CeleryApp


class CeleryExecutor:
    """Executes `celery` targets with the app of the worker."""

    def __init__(self, app: CeleryApp) -> None:
        self.app = app
        self.limits = CeleryLimits()

    def offers(self) -> Iterable[str]:
        return ("celery",)

    async def execute(self, attempt: Attempt) -> Outcome:
        target, run = cast("CeleryTarget", attempt.job.target), attempt.run
        which = task_id(run.id, run.attempt)
        if (refusal := self.limits.refusal(run.project_id, target)) is not None:
            return refused(refusal.reason)
        try:
            call_of(target, run.input)  # what cannot be sent is refused here
        except Refused as error:
            return refused(str(error))
        if not target.track:
            return await self._send(attempt, which)
        if (reason := self.app.untrackable) is not None:
            return refused(f"{reason}; or set track to false: the run then succeeds when the task is sent")
        attempt.log.write("system", f"sending {target.task} to Celery as {which}\n")
        return Outcome(AttemptOutcome.PARKED, park_for=attempt.job.timeout, remote=self.app.name)

    async def _send(self, attempt: Attempt, which: str) -> Outcome:
        work = RemoteWork(which, attempt.job, attempt.run.input, attempt.traceparent, None)
        (failure,) = await self.app.send([work])
        if failure is not None:
            return failure
        return Outcome(AttemptOutcome.SUCCEEDED, result=orjson.dumps({"task_id": which}).decode())

    async def close(self) -> None:
        """The app is the tracker's as well, which ends after the executors."""
