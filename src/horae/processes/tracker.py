"""The tracker of a worker: sends the tasks of parked runs to the system that executes them, looks them up until they
are over, and revokes those whose runs have ended first.

What it tracks is in its memory and in `remote_tasks.tracked_by`. If its worker dies, another one takes the rows and
continues. Each loop fails alone: while the broker is away, results are still looked up."""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from horae.domain.errors import BrokerUnavailable, HoraeError, StoreUnavailable
from horae.domain.jobs.unreadable import missing_spec
from horae.domain.runs.events import Event, RunsParked
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.remote_task import (
    UNKNOWN,
    RemoteEnd,
    RemoteKey,
    RemoteRun,
    RemoteTask,
    RemoteWork,
    Sighting,
    is_remote,
    pause,
)
from horae.ports import Clock, RemoteApp, Specs, TaskDesk
from horae.processes.loop import Loop, log
from horae.processes.tracked import Tracked, end_of

BATCH = 500  # tasks that one transaction takes or ends
LOOKED_UP = 2_000  # tasks in one question to the system
MOST = 200_000  # tasks that one worker tracks
_POLL = 1.0  # seconds, in case a hint was lost
_SHORTEST = 0.05  # seconds between two questions
_SEEK = 20.0  # seconds between two questions to the workers of the system
_DAMAGED = 60.0  # seconds until something that could not be written is tried again


@dataclass(frozen=True, slots=True)
class _Unsent:
    """A task that this worker has taken and is about to send."""

    task: RemoteTask
    work: RemoteWork

    @classmethod
    def of(cls, task: RemoteTask, run: RemoteRun, specs: Specs) -> _Unsent:
        spec = specs.get((run.job_id, run.version)) or missing_spec(run.version)
        return cls(task, RemoteWork(task.key.task_id, spec, run.input, run.traceparent, task.left))


class Tracker:
    def __init__(self, worker_id: str, desk: TaskDesk, app: RemoteApp, clock: Clock, *, lease: float) -> None:
        self._worker_id, self._desk, self._app, self._clock = worker_id, desk, app, clock
        self._lease = lease
        self._adopt_at = 0.0
        self._unsent: list[_Unsent] = []
        self._refused: list[RemoteEnd] = []
        self._in_flight: set[RemoteKey] = set()
        self._due: list[tuple[float, int, Tracked]] = []  # a heap
        self._numbers = itertools.count()
        self._sending = Loop("send tasks", self.send)
        self._looking = Loop("look up tasks", self.look)
        self._revoking = Loop("revoke tasks", self.revoke)
        self._sought: deque[Tracked] = deque()
        self.loops = (self._sending, self._looking, self._revoking, Loop("seek tasks", self.seek))

    def __len__(self) -> int:
        return len(self._due)

    def observe(self, event: Event) -> None:
        """What this worker has reported: a parked run has a task to be sent."""
        if isinstance(event, RunsParked) and any(is_remote(run.needs) for run in event.runs):
            self._sending.wake.set()

    def on_hint(self) -> None:
        self._revoking.wake.set()

    async def close(self) -> None:
        try:
            await self._desk.release(app=self._app.name, worker_id=self._worker_id)
        except HoraeError as error:
            log.warning("could not hand over the tasks that it tracks", tasks=len(self), reason=str(error))

    # Sending

    async def send(self) -> float:
        """Nothing is sent before the database has noted that it is: what was taken waits here until then."""
        await self._refuse()
        await self._send()
        if len(self) >= MOST:
            return _POLL
        if await self._take() >= BATCH:
            return 0
        return await self._adopt()

    async def _take(self, owner: str | None = None) -> int:
        taken = await self._desk.take(app=self._app.name, worker_id=self._worker_id, limit=BATCH, owner=owner)
        if taken.doubtful:
            await self._let_go()
            return BATCH
        self._follow([task for task in taken.tasks if task.sent])
        self._refused = taken.refused
        self._unsent = [_Unsent.of(task, task.run, taken.specs) for task in taken.tasks if not task.sent and task.run]
        await self._refuse()
        await self._send()
        return len(taken.tasks)

    async def _adopt(self) -> float:
        """Goes on with what dead workers tracked."""
        if self._clock.monotonic() < self._adopt_at:
            return _POLL
        for owner in await self._desk.dead_trackers(app=self._app.name, silent_after=self._lease):
            if owner != self._worker_id:
                count = await self._take(owner)
                log.info("tracks the tasks of a worker that is gone", worker_gone=owner, tasks=count)
                if count >= BATCH:
                    return 0
        self._adopt_at = self._clock.monotonic() + self._lease / 3
        return _POLL

    async def _let_go(self) -> None:
        """Of everything, to take it again: what this worker tracks is not certain."""
        await self._desk.release(app=self._app.name, worker_id=self._worker_id)
        self._due.clear()

    async def _refuse(self) -> None:
        if self._refused:
            await self._end(self._refused)
            self._refused = []

    async def _send(self) -> None:
        if not self._unsent:
            return
        wanted = await self._desk.mark_sent([one.task.key for one in self._unsent])
        sending, self._unsent = [one for one in self._unsent if one.task.key in wanted], []
        self._in_flight = wanted
        failed: dict[RemoteKey, Outcome] = {}
        try:
            outcomes = await self._app.send([one.work for one in sending])
            failed = {one.task.key: end for one, end in zip(sending, outcomes, strict=True) if end is not None}
        finally:
            # Also after an error: they count as sent, and may have been.
            self._in_flight = set()
            self._follow([one.task for one in sending if one.task.key not in failed])
        await self._end([RemoteEnd(key, outcome) for key, outcome in failed.items()])

    def _follow(self, tasks: Sequence[RemoteTask]) -> None:
        now = self._clock.monotonic()
        for task in tasks:
            self._push(Tracked(task.key, now - task.age, now + task.left), now)
        self._looking.wake.set()

    def _push(self, tracked: Tracked, now: float, after: float | None = None) -> None:
        wait = min(pause(now - tracked.sent_at), max(tracked.deadline - now, _SHORTEST)) if after is None else after
        heapq.heappush(self._due, (now + wait, next(self._numbers), tracked))

    # Looking

    async def look(self) -> float | None:
        now = self._clock.monotonic()
        due: list[Tracked] = []
        while self._due and self._due[0][0] <= now and len(due) < min(LOOKED_UP, self._app.at_once):
            due.append(heapq.heappop(self._due)[2])
        if due:
            await self._judge(due)
        if not self._due:
            return None
        return max(self._due[0][0] - self._clock.monotonic(), _SHORTEST)

    async def _judge(self, due: Sequence[Tracked]) -> None:
        seen: Mapping[str, Sighting] = {}
        trouble: BrokerUnavailable | None = None
        try:
            seen = await self._app.look([one.key.task_id for one in due])
        except BrokerUnavailable as error:
            trouble = error
        except BaseException:
            self._again(due)
            raise
        now = self._clock.monotonic()
        ends: list[RemoteEnd] = []
        for one in due:
            sighting = seen.get(one.key.task_id, UNKNOWN)
            if (end := end_of(one, sighting, trouble, now)) is None:
                self._push(one, now)
            else:
                ends.append(end)
        try:
            await self._end(ends)
        except BaseException:
            over = {end.key for end in ends}
            self._again([one for one in due if one.key in over])
            raise
        if trouble is not None:
            raise trouble

    def _again(self, tasks: Sequence[Tracked]) -> None:
        now = self._clock.monotonic()
        for one in tasks:
            self._push(one, now)

    async def _end(self, ends: Sequence[RemoteEnd]) -> None:
        for start in range(0, len(ends), BATCH):
            some = ends[start : start + BATCH]
            try:
                await self._desk.end(some)
            except StoreUnavailable:
                raise
            except Exception:
                await self._end_each(some)

    async def _end_each(self, ends: Sequence[RemoteEnd]) -> None:
        """One of them cannot be written: the others must not wait for it."""
        for end in ends:
            try:
                await self._desk.end([end])
            except StoreUnavailable:
                raise
            except Exception:
                log.warning("could not end a run whose task is over", run=end.key.run_id, exc_info=True)
                now = self._clock.monotonic()
                self._push(Tracked(end.key, now, now + _DAMAGED), now, after=_DAMAGED)

    # Seeking

    async def seek(self) -> float:
        """Asks the workers of the system which tasks they have, some of them at a time. A task that a worker
        acknowledged, and that none has any more, is lost unless its result is there: the next look decides."""
        now = self._clock.monotonic()
        if not self._sought:
            self._sought.extend(one for _, _, one in self._due if now - one.sent_at >= _SEEK)
        if not self._sought:
            return _SEEK
        asked = [self._sought.popleft() for _ in range(min(LOOKED_UP, len(self._sought)))]
        held = await self._app.held([one.key.task_id for one in asked])
        for one in asked:
            there = held.get(one.key.task_id)
            one.acknowledged = one.acknowledged or bool(there)
            one.absences = one.absences + 1 if there is None and one.acknowledged else 0
        return _SEEK if not self._sought else max(_SEEK * LOOKED_UP / MOST, _SHORTEST)

    # Revoking

    async def revoke(self) -> float:
        """Not what is being sent at this moment: the message must not come after its revocation."""
        found = await self._desk.over(app=self._app.name, worker_id=self._worker_id, limit=BATCH)
        if keys := [key for key in found if key not in self._in_flight]:
            await self._app.revoke([key.task_id for key in keys])
            await self._desk.forget(keys)
        return 0 if len(keys) >= BATCH else _POLL
