"""Follow: dependent jobs start in the same transaction that ends the upstream run, once for each run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from horae.accounts.quotas import places_after, spend
from horae.domain.errors import InvalidInput, Unreadable
from horae.domain.jobs.follower import Follower
from horae.domain.jobs.function import NEEDS
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.unreadable import UnreadableSpec, missing_spec
from horae.domain.runs.ending import Ended
from horae.domain.runs.firing import Plan, SkippedRange, parse_plan, plan_of, spread
from horae.domain.runs.gate import NO_GATE, JobGate, Places
from horae.domain.runs.run import NewRun, Skipped
from horae.domain.runs.states import RunStatus, SkipReason, Trigger
from horae.domain.runs.tally import Tally, detail
from horae.domain.time.blackouts import closed_until
from horae.domain.time.schedule import AfterSchedule
from horae.lifecycle.find import no_job
from horae.ports import Transaction

_ENDS = {
    "success": (RunStatus.SUCCEEDED,),
    "failure": (RunStatus.FAILED,),
    "any": (RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.CANCELLED),
}
_LONGEST_CHAIN = 1000


@dataclass(frozen=True, slots=True)
class Started:
    """The queued runs, and how many older runs of which job must make room for them."""

    run_ids: Collection[str]
    cancelling: Mapping[str, int]


async def set_upstream(
    tx: Transaction, project_id: str, job_id: str, spec: JobSpec, old: JobSpec | None = None
) -> None:
    """Saves which job this one depends on; names are resolved to ids, and cycles are refused. An unchanged name keeps
    referring to the same job, even if that has been renamed."""
    if not isinstance(spec.schedule, AfterSchedule):
        await tx.dependencies.set(job_id, None, None)
        return
    await tx.dependencies.lock()
    wanted, known = spec.schedule.after.job, None
    if old is not None and isinstance(old.schedule, AfterSchedule) and old.schedule.after.job == wanted:
        known = await tx.dependencies.upstream_of(job_id)
    upstream = await tx.jobs.head(project_id, known or wanted)
    if upstream is None and wanted != spec.name:
        raise InvalidInput("schedule.after.job", str(await no_job(tx, project_id, wanted)))
    if upstream is None or await _waits_for(tx, upstream.id, job_id):
        raise InvalidInput("schedule.after.job", "would make the job wait for itself")
    await tx.dependencies.set(job_id, upstream.id, spec.schedule.after.on)


async def _waits_for(tx: Transaction, job_id: str, other: str) -> bool:
    """Whether a job is the other one or depends on it, directly or indirectly."""
    current: str | None = job_id
    for _ in range(_LONGEST_CHAIN):
        if current is None:
            return False
        if current == other:
            return True
        current = await tx.dependencies.upstream_of(current)
    return True


async def start_followers(
    tx: Transaction, ended: Sequence[Ended], followers: Sequence[Follower], *, wait: bool = True
) -> Started:
    """Queues a run of each job that waited for these ends, under that job's own limit and overlap rule."""
    gates = await tx.gates.lock({follower.id for follower in followers})
    places = await places_after(tx, ended, followers, wait=wait)
    left = defaultdict(lambda: len(ended) * len(followers), places)  # for jobs without a quota: unlimited
    batch = _Batch(gates, left, await tx.now(), tx.new_id)
    for follower in followers:
        plan = await _plan(tx, follower)
        for parent in ended:
            if parent.job_id == follower.upstream_id and parent.status in _ENDS.get(follower.on, ()):
                batch.add(follower, plan, parent)
    await spend(tx, batch.runs, places, batch.skipped, ended)
    await tx.runs.insert(batch.runs)
    await tx.history.skip(batch.skipped)
    await tx.stats.add(
        [
            Tally(row.job_id, row.project_id, RunStatus.SKIPPED, 1, reason=row.reason, detail=detail(row.queue))
            for row in batch.skipped
        ]
    )
    return Started({run.id for run in batch.runs}, batch.cancelling)


class _Batch:
    """Decides about the dependent runs, one after the other, and collects their rows."""

    def __init__(
        self, gates: Mapping[str, JobGate], left: dict[str, int], now: datetime, new_id: Callable[[], str]
    ) -> None:
        self._gates, self._left, self._now, self._new_id = dict(gates), left, now, new_id
        self.runs: list[NewRun] = []
        self.skipped: list[Skipped] = []
        self.cancelling: Counter[str] = Counter()

    def add(self, follower: Follower, plan: Plan | UnreadableSpec, parent: Ended) -> None:
        whose: dict[str, Any] = {"trigger": Trigger.AFTER, "parent_run_id": parent.id}
        if isinstance(plan, UnreadableSpec):  # which must not prevent the end of the run that it follows
            self._skip(follower, plan, SkipReason.DEFINITION, whose)
            return
        schedule = _schedule(plan)
        if _out_of_bounds(schedule, self._now):
            return
        gate = self._gates.get(follower.id, NO_GATE)
        places = gate.admit(1, plan.overlap)
        if reason := self._refusal(follower, plan, places):
            self._skip(follower, plan, reason, whose)
            return
        held, due_at = places.held > 0, _due_at(follower, schedule, self._now)
        whose["traceparent"] = parent.traceparent  # one trace for the whole chain
        self.runs.append(NewRun.of(follower, plan, id=self._new_id(), held=held, due_at=due_at, **whose))
        self._left[follower.project_id] -= 1
        self._gates[follower.id] = gate.with_(places)
        if held and plan.overlap == "cancel_running":
            self.cancelling[follower.id] += 1

    def _refusal(self, follower: Follower, plan: Plan, places: Places) -> SkipReason | None:
        schedule = _schedule(plan)
        if not follower.enabled:
            return SkipReason.DISABLED
        if follower.paused:
            return SkipReason.PAUSED
        if follower.function_off and plan.needs.startswith(NEEDS):
            return SkipReason.FUNCTION
        if schedule is not None and closed_until(schedule.blackouts, schedule.timezone, self._now) is not None:
            return SkipReason.BLACKOUT
        if not places.placed and not places.held:
            return SkipReason.OVERLAP
        return SkipReason.QUOTA if self._left[follower.project_id] <= 0 else None

    def _skip(self, follower: Follower, plan: Plan | UnreadableSpec, reason: SkipReason, whose: dict[str, Any]) -> None:
        gap = SkippedRange(reason, self._now, self._now, 1)
        self.skipped.append(Skipped.of(follower, plan, gap, id=self._new_id(), **whose))


async def _plan(tx: Transaction, follower: Follower) -> Plan | UnreadableSpec:
    """Derived from the definition again if its own text is damaged; a placeholder if both are."""
    try:
        return parse_plan(follower.plan)
    except Unreadable:
        pair = (follower.id, follower.version)
        spec = (await tx.jobs.definitions([pair])).get(pair) or missing_spec(follower.version)
        return spec if isinstance(spec, UnreadableSpec) else plan_of(spec)


def _schedule(plan: Plan) -> AfterSchedule | None:
    """None if a concurrent edit has just given it another one."""
    return plan.schedule if isinstance(plan.schedule, AfterSchedule) else None


def _out_of_bounds(schedule: AfterSchedule | None, now: datetime) -> bool:
    """Before its start and after its end a schedule has no occurrences, so there is nothing to account for."""
    if schedule is None:
        return False
    too_early = schedule.start_at is not None and now < schedule.start_at
    return too_early or (schedule.end_at is not None and now > schedule.end_at)


def _due_at(follower: Follower, schedule: AfterSchedule | None, now: datetime) -> datetime | None:
    return None if schedule is None or not schedule.jitter else spread(follower.id, schedule.jitter, now)
