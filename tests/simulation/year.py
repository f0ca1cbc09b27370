"""A year of schedules in seconds: jobs of every kind, schedulers that are killed, stopped and away for days, and every
occurrence accounted for."""

from __future__ import annotations

import random
from collections.abc import Collection
from datetime import timedelta
from functools import partial
from typing import Any

from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.retention import Retention
from horae.domain.runs.claim import Claimant, ClaimRequest
from horae.domain.runs.ending import Finished
from horae.domain.runs.outcome import SUCCEEDED, Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.lifecycle import claim, finish, state, submit
from horae.ports import Transaction
from horae.processes.duties import DUTIES
from horae.processes.duties.pings import PingsDuty
from horae.processes.duties.series import SeriesDuty
from horae.processes.settings import SchedulerSettings, WorkerSettings
from tests.simulation import quiet
from tests.simulation.loop import pause
from tests.simulation.people import Somebody
from tests.simulation.settings import Settings
from tests.simulation.world import World

HOUR, DAY = 3_600.0, 86_400.0
_SETTINGS = Settings(
    schedulers=2,
    workers=0,
    jobs=0,
    people=0,
    seconds=366 * DAY,
    worker=WorkerSettings(lease=400.0, heartbeat=100.0),
    # No one polls every second of a year; a process that is up sleeps until something is due.
    scheduler=SchedulerSettings(
        poll=6 * HOUR, shard_lease=2 * DAY, sweep=DAY, evaluation=6 * HOUR, retention=Retention(runs=500 * DAY)
    ),
)
_BLACKOUTS = [{"days": ["SAT", "SUN"], "start": "00:00", "end": "24:00"}, {"start": "22:00", "end": "06:30"}]
_FAILED = Outcome(AttemptOutcome.FAILED, error="it broke")


def _jobs(begin: Any) -> dict[str, dict[str, Any]]:
    """By name: schedules in zones with and without daylight saving, and every rule for what is missed."""
    cron, every = "cron", "every"
    return {
        "berlin gap": {cron: "30 2 * * *", "timezone": "Europe/Berlin"},
        "berlin skip": {cron: "30 2 * * *", "timezone": "Europe/Berlin", "dst_gap": "skip", "dst_fold": "both"},
        "new york": {cron: "15,45 1-3 * * SUN", "timezone": "America/New_York", "dst_fold": "second"},
        "lord howe": {cron: "0 2 * * *", "timezone": "Australia/Lord_Howe", "jitter": 900},
        "santiago": {cron: "0 0 * * *", "timezone": "America/Santiago", "dst_gap": "skip"},
        "weekdays": {cron: "0 9 * * MON-FRI", "timezone": "Asia/Kolkata"},
        "month's end": {cron: "0 12 L * *", "timezone": "Europe/Lisbon"},
        "open hours": {cron: "0 */8 * * *", "timezone": "Europe/Berlin", "blackouts": _BLACKOUTS},
        "fifty hours": {every: "50h"},
        "grid": {every: "1d", "start_at": begin + timedelta(days=20), "end_at": begin + timedelta(days=300)},
        "some": {every: "36h", "max_runs": 100},
        "once": {"at": begin + timedelta(days=123, hours=4)},
    }


class Year(World):
    delays = (60.0, HOUR, 30 * HOUR)
    # Those by the second and by the minute have nothing to do here, and were nearly everything that happened in a year.
    duties = tuple(duty for duty in DUTIES if duty not in (PingsDuty, SeriesDuty))

    def __init__(self, seed: str, path: str, *, keep: Collection[str] | None = None) -> None:
        super().__init__(seed, path, keep=keep, settings=_SETTINGS)

    async def story(self) -> None:
        self.populate()
        self.faults.on = False  # until the jobs are there
        await pause(1)
        somebody = Somebody(self, "somebody")
        self.loop.begin(somebody.actor, self._begin(somebody))
        await pause(self.settings.seconds)
        self.faults.on = False
        for process in list(self.processes.values()):
            process.go_on()
        await pause(8 * DAY)
        self._nothing_is_late()
        for job_id in sorted(self.oracle.mirror.tables["jobs"]):
            await quiet.ask(somebody, state.disable, ref=job_id)
        await pause(10 * DAY)
        if self.oracle.mirror.tables["runs"]:
            self.oracle.broken("runs are left over")
        await quiet.all_is_well(self, somebody, gaps=True)

    async def _begin(self, somebody: Somebody) -> None:
        chance = random.Random(f"{self.seed}/jobs")
        who: dict[str, Any] = {"project_id": self.project, "actor": "somebody"}
        specs = {name: {"schedule": schedule} for name, schedule in _jobs(self.now()).items()}
        specs["after weekdays"] = {"schedule": {"after": {"job": "weekdays", "on": "any"}}}
        for name, fields in specs.items():
            policy = {
                "catch_up": chance.choice(("last", "all", "first", "none")),
                "catch_up_window": chance.choice((3_600, 86_400, 2_000_000)),
                "overlap": chance.choice(("skip", "queue_one", "queue_all", "cancel_running", "allow")),
                "target": {"kind": "python", "function": "work"},
                "retry": {"max_attempts": 2, "delay": 600},
            }
            spec = JobSpec.model_validate({"name": name, **policy, **fields})
            job_id = somebody.ids.new()
            await somebody.ask(
                lambda store, job_id=job_id, spec=spec: store.transact(  # type: ignore[misc]
                    submit.create_job, job_id=job_id, spec=spec, enabled=True, **who
                )
            )
        self.faults.on = True
        await self._work(somebody)

    async def _work(self, somebody: Somebody) -> None:
        """In the place of workers, whose clocks tick four times a second: takes what there is, now and then."""
        while True:
            await pause(HOUR * somebody.chance.choice((2, 5, 11, 40)))
            await somebody.ask(partial(_carry_out, somebody))

    def _nothing_is_late(self) -> None:
        for job in self.oracle.mirror.tables["jobs"].values():
            if job["next_run_at"] is not None and job["next_run_at"] < self.now():
                self.oracle.broken(f"{job['name']} was due at {job['next_run_at']}", job=job["id"])


async def _carry_out(somebody: Somebody, store: Any) -> None:
    """Claims and ends a few runs, some of them badly."""
    token, chance = somebody.ids.new(), somebody.chance
    claimant = Claimant(store.process.id, ["python:work"])
    request = ClaimRequest(claimant, token, _SETTINGS.lease, limit=10, queues=["default"])
    found = await store.autocommit(claim.claim, request)
    specs = await store.read(_definitions, {(run.job_id, run.version) for run in found.runs})
    ends = [Finished(run, chance.choice((SUCCEEDED, SUCCEEDED, _FAILED))) for run in found.runs]
    await store.transact(finish.finish, finished=ends, specs=specs, chance=chance.random)


async def _definitions(tx: Transaction, pairs: set[tuple[str, int]]) -> dict[tuple[str, int], JobSpec]:
    return await tx.jobs.definitions(pairs)
