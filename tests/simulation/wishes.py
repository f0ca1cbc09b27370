"""What people want: jobs of all kinds, and everything that can be asked of them."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from horae.domain.errors import Conflict, HoraeError, InvalidInput, NotFound, StaleVersion
from horae.domain.jobs.job import JobSpec
from horae.domain.runs.dead_letter import DeadFilter
from horae.domain.runs.outcome import SUCCEEDED, Outcome
from horae.domain.runs.states import Trigger
from horae.lifecycle import backfill, callback, cancel, drain, edit, queues, redrive, rerun, state, submit
from horae.store.store import SqlStore
from tests.simulation.loop import pause
from tests.simulation.people import Somebody
from tests.simulation.promises import REFUSED

if TYPE_CHECKING:
    from tests.simulation.world import World

Ask = Callable[[SqlStore], Awaitable[Any]]
_SCHEDULES: tuple[dict[str, Any], ...] = (
    {"every": "1s"},
    {"every": "3s"},
    {"every": "7s", "jitter": 2},
    {"every": "20s"},
    {"every": "2s", "max_runs": 5},
    {"cron": "*/5 * * * * *"},
    {"cron": "*/10 * * * * *", "timezone": "Europe/Berlin"},
    {"cron": "* * * * *"},
    {"manual": True},
    {"manual": True},
)
_POLICIES: tuple[dict[str, Any], ...] = (
    {"overlap": "skip", "catch_up": "last"},
    {"overlap": "skip", "catch_up": "all", "catch_up_window": 90},
    {"overlap": "queue_one", "catch_up": "none"},
    {"overlap": "queue_all", "catch_up": "all"},
    {"overlap": "cancel_running", "catch_up": "last"},
    {"overlap": "allow", "catch_up": "first"},
    {"overlap": "skip", "max_instances": 2},
    {"overlap": "queue_all", "max_instances": 2, "catch_up": "first"},
)


def some_fields(chance: random.Random, world: World) -> dict[str, Any]:
    """A definition, but for its name."""
    schedule = dict(chance.choice(_SCHEDULES))
    upstream = sorted(row["name"] for row in world.oracle.mirror.tables["jobs"].values())
    if upstream and chance.random() < 0.25:
        schedule = {"after": {"job": chance.choice(upstream), "on": chance.choice(("success", "failure", "any"))}}
    elif chance.random() < 0.1:
        schedule = {"at": world.now() + timedelta(seconds=chance.uniform(-20, 40))}
    fields: dict[str, Any] = {
        "schedule": schedule,
        "target": {"kind": "python", "function": "work"},
        "retry": {"max_attempts": chance.randint(1, 3), "delay": chance.choice((1, 4)), "max_delay": 10},
        "timeout": chance.choice((3, 300, 300)),
        "queue": chance.choice(("default", "default", "other")),
        "priority": chance.choice((5, 5, 1, 9)),
        **chance.choice(_POLICIES),
    }
    if chance.random() < 0.1:
        fields["start_within"] = chance.choice((2, 8))
    return fields


class Person(Somebody):
    """Makes some jobs, then does this and that until it is time to leave."""

    def __init__(self, world: World, name: str) -> None:
        super().__init__(world, name)
        self._number = 0

    async def live(self) -> None:
        for _ in range(self.world.settings.jobs):
            await self._wish("create")
        while not self.world.people.leaving:
            await pause(self.chance.expovariate(0.5))
            if not self.world.people.leaving:
                await self._wish(self.chance.choice((*_WISHES, *self.world.wishes)))
        self.world.people.busy.discard(self.name)

    async def _wish(self, kind: str) -> None:
        """Each wish has its own random stream: leaving one out does not change the others."""
        self._number += 1
        key = f"{self.name}:{self._number}"
        self.wish_chance = random.Random(f"{self.world.seed}/{key}")
        self.wish_ids = [self.ids.new() for _ in range(3)]
        if not self.world.faults.wanted(key):
            return
        wish = getattr(Wishes(self), kind)()
        if wish is None:
            return
        what, about, ask = wish
        places = [("jobs", about), ("runs", about), ("operations", about)]
        self.world.trace.ask(self.name, f"asks: {what} [{key}]", places)
        try:
            result = await self.ask(ask)
        except (Conflict, NotFound, InvalidInput, StaleVersion) as error:
            self.world.trace.ask(self.name, f"is refused: {what}: {error}", places)
            self.world.promises.refused(kind, what, about, self.name)
            return
        except HoraeError as error:
            self.world.oracle.broken(f"{what} failed: {error!r}")
            return
        self.world.trace.ask(self.name, f"hears: {what} is done", places)
        self.world.promises.add(kind, result)


Wish = tuple[str, str, Ask] | None


class Wishes:
    """One method for each kind: what it is in words, which id it is about, and how it is asked. None if there is
    nothing to ask it of."""

    def __init__(self, person: Person) -> None:
        self._world, self._chance, self._ids = person.world, person.wish_chance, person.wish_ids
        self._who = {"project_id": person.world.project, "actor": person.name}
        self._tables = person.world.oracle.mirror.tables

    def _pick(self, keys: list[str]) -> str | None:
        return self._chance.choice(sorted(keys)) if keys else None

    def _job(self) -> str | None:
        return self._pick(list(self._tables["jobs"]))

    def create(self) -> Wish:
        job_id = self._ids[0]
        spec = JobSpec.model_validate({"name": f"job {job_id[-6:]}", **some_fields(self._chance, self._world)})
        enabled = self._chance.random() < 0.9
        schedule = spec.schedule.model_dump_json(exclude_defaults=True)
        return (
            f"create job {job_id[-6:]} {schedule}",
            job_id,
            lambda store: store.transact(submit.create_job, job_id=job_id, spec=spec, enabled=enabled, **self._who),
        )

    def edit(self) -> Wish:
        job_id = self._job()
        if job_id is None:
            return None
        job = self._tables["jobs"][job_id]
        fields = some_fields(self._chance, self._world)
        if self._chance.random() < 0.4:
            del fields["schedule"]
        version = job["version"]

        def change(old: JobSpec) -> JobSpec:
            given = {name: getattr(old, name) for name in type(old).model_fields if name != "max_instances"}
            return JobSpec.model_validate({**given, **fields})

        return (
            f"edit job {job_id[-6:]} from version {version}: {fields.get('schedule', 'the same schedule')}",
            job_id,
            lambda store: store.transact(
                edit.edit_job, ref=job_id, change=change, expected_version=version, **self._who
            ),
        )

    def trigger(self) -> Wish:
        job_id = self._job()
        if job_id is None:
            return None
        run_ids = self._ids[: self._chance.randint(1, 3)]
        run_at = self._world.now() + timedelta(seconds=8) if self._chance.random() < 0.2 else None
        runs = [submit.TriggerRequest(run_id, run_at=run_at) for run_id in run_ids]
        return (
            f"trigger job {job_id[-6:]} × {len(runs)} ({run_ids[0][-6:]} …)",
            run_ids[0],
            lambda store: store.autocommit(submit.trigger, ref=job_id, runs=runs, trigger=Trigger.API, **self._who),
        )

    def _switch(self, verb: Any, what: str, **how: Any) -> Wish:
        job_id = self._job()
        if job_id is None:
            return None
        return (
            f"{what} job {job_id[-6:]}",
            job_id,
            lambda store: store.transact(verb, ref=job_id, **how, **self._who),
        )

    def pause(self) -> Wish:
        until = self._world.now() + timedelta(seconds=90) if self._chance.random() < 0.5 else None
        return self._switch(state.pause, "pause", until=until)

    def resume(self) -> Wish:
        return self._switch(state.resume, "resume")

    def disable(self) -> Wish:
        return self._switch(state.disable, "disable")

    def enable(self) -> Wish:
        return self._switch(state.enable, "enable")

    def delete(self) -> Wish:
        return self._switch(submit.delete_job, "delete")

    def cancel(self) -> Wish:
        run_id = self._pick(list(self._tables["runs"]))
        if run_id is None:
            return None
        return (
            f"cancel run {run_id[-6:]}",
            run_id,
            lambda store: store.transact(cancel.cancel_runs, run_ids=[run_id], **self._who),
        )

    def retry(self) -> Wish:
        run_id = self._pick([key for key, row in self._tables["run_history"].items() if row["status"] != "skipped"])
        if run_id is None:
            return None
        return (
            f"retry run {run_id[-6:]} as {self._ids[0][-6:]}",
            self._ids[0],
            lambda store: store.transact(rerun.retry_run, run_id=run_id, new_id=self._ids[0], **self._who),
        )

    def answer(self) -> Wish:
        """The called service reports on an attempt that is parked or about to be, or late, on one that is over."""
        parking, runs = self._world.works.parking, self._tables["runs"]
        now = [token for token, (run_id, n) in parking.items() if run_id in runs and runs[run_id]["attempt"] == n]
        late = [token for token, (run_id, n) in parking.items() if run_id in runs and runs[run_id]["attempt"] > n]
        over = [token for token, (run_id, _) in parking.items() if run_id not in runs]
        token = self._pick(self._chance.choice((now, now, late or now, late or now, over or now)))
        if token is None:
            return None
        run_id, attempt = parking[token]
        outcome = self._chance.choice((SUCCEEDED, SUCCEEDED, REFUSED, None))
        return (
            f"answer for attempt {attempt} of run {run_id[-6:]}: {outcome.kind if outcome else 'goes on'}",
            run_id,
            lambda store: self._answered(store, run_id, attempt, outcome),
        )

    async def _answered(self, store: SqlStore, run_id: str, attempt: int, outcome: Outcome | None) -> Any:
        await store.transact(
            callback.answer,
            run_id=run_id,
            attempt=attempt,
            outcome=outcome,
            progress=None if outcome else '{"fraction": 0.5, "note": null}',
            chance=self._chance.random,
        )
        return run_id, attempt, outcome

    def redrive(self) -> Wish:
        kind = self._chance.choice((redrive.REDRIVE, redrive.REDRIVE, redrive.DISCARD))
        resolution = redrive.Resolution(kind, DeadFilter(), rate=self._chance.choice((None, 1.0)))
        return (
            f"{kind} all dead letters as {self._ids[0][-6:]}",
            self._ids[0],
            lambda store: store.transact(
                redrive.resolve, operation_id=self._ids[0], resolution=resolution, **self._who
            ),
        )

    def backfill(self) -> Wish:
        job_id = self._pick([key for key, row in self._tables["jobs"].items() if row["next_run_at"] is not None])
        if job_id is None:
            return None
        end = self._world.now() - timedelta(seconds=1)
        start = end - timedelta(seconds=self._chance.uniform(2, 15))
        wanted = backfill.Backfill(start, end, self._chance.randint(1, 2))
        return (
            f"backfill job {job_id[-6:]} as {self._ids[0][-6:]}",
            self._ids[0],
            lambda store: store.transact(
                backfill.start_backfill,
                operation_id=self._ids[0],
                ref=job_id,
                wanted=wanted,
                **self._who,
            ),
        )

    def stop_operation(self) -> Wish:
        operation_id = self._pick([key for key, row in self._tables["operations"].items() if row["state"] == "running"])
        if operation_id is None:
            return None
        return (
            f"cancel operation {operation_id[-6:]}",
            operation_id,
            lambda store: store.transact(cancel.cancel_operation, operation_id=operation_id, **self._who),
        )

    def pause_queue(self) -> Wish:
        return self._queue(queues.pause_queue, "pause")

    def resume_queue(self) -> Wish:
        return self._queue(queues.resume_queue, "resume")

    def choose_engine(self) -> Wish:
        engine = self._chance.choice(("database", "celery", None))
        return self._queue(queues.choose_engine, f"choose {engine} for", engine=engine)

    def _queue(self, verb: Any, what: str, **how: Any) -> Wish:
        name = self._chance.choice(("default", "other"))
        return f"{what} queue {name}", "", lambda store: store.transact(verb, name=name, **how, **self._who)

    def drain(self) -> Wish:
        worker = self._chance.choice([p for place, p in self._world.processes.items() if place.startswith("worker")])
        actor = self._who["actor"]
        return (
            f"drain {worker.name}",
            "",
            lambda store: store.transact(drain.drain, worker_id=worker.id, actor=actor, offline_after=15),
        )


_OFTEN = ("trigger", "edit", "cancel", "create", "answer", "answer") * 3
_WISHES = (
    *_OFTEN,
    *("pause", "resume", "resume", "disable", "enable", "enable", "delete", "retry", "redrive"),
    *("backfill", "backfill", "backfill", "backfill"),
    *("stop_operation", "pause_queue", "resume_queue", "resume_queue", "drain"),
)
