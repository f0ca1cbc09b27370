"""Tasks that another system executes for parked runs: taken, sent once, followed and revoked, by any live worker."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from horae.controllers.stored import StoreTasks
from horae.domain.errors import BrokerUnavailable, InvalidInput
from horae.domain.jobs.function import FunctionChange, FunctionSign
from horae.domain.jobs.retention import Retention
from horae.domain.runs.claim import Claimed
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.remote_task import RemoteEnd, RemoteKey, RemoteWork, Sighting, task_id
from horae.domain.runs.states import AttemptOutcome, RunStatus
from horae.lifecycle import functions, track
from horae.lifecycle.prune import TASK_RETENTION, prune
from horae.processes.tracked import ABSENT
from horae.processes.tracker import Tracker
from tests.contract.explaining import alone, of_run
from tests.contract.world import FAILED, IDS, LEASE, WORK, World, lost_reply, middle, worker_sign

APP = "celery test"
HOUR = 3_600.0
TARGET = {"kind": "celery", "task": "shop.add"}
PARKED = Outcome(AttemptOutcome.PARKED, park_for=HOUR, remote=APP)
DONE = Outcome(AttemptOutcome.SUCCEEDED, result='{"rows": 7}')
OFFERS = ("celery",)


class System:
    """Executes nothing: the test says what it answers."""

    name = APP
    at_once = 1_000

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.looked = 0
        self.revoked: list[str] = []
        self.known: dict[str, Sighting] = {}
        self.having: dict[str, bool] = {}  # what its workers have, and whether they have acknowledged it
        self.away: BrokerUnavailable | None = None
        self.refusal: Outcome | None = None
        self.crash = False

    async def send(self, work: Sequence[RemoteWork]) -> list[Outcome | None]:
        if self.crash:
            raise RuntimeError("killed")
        if self.refusal is None:
            self.sent += [one.task_id for one in work]
        return [self.refusal] * len(work)

    async def look(self, task_ids: Sequence[str]) -> Mapping[str, Sighting]:
        if self.away is not None:
            raise self.away
        self.looked += len(task_ids)
        assert len(task_ids) <= self.at_once
        return {one: self.known[one] for one in task_ids if one in self.known}

    async def held(self, task_ids: Sequence[str]) -> Mapping[str, bool]:
        if self.away is not None:
            raise self.away
        return {one: self.having[one] for one in task_ids if one in self.having}

    async def revoke(self, task_ids: Sequence[str]) -> None:
        if self.away is not None:
            raise self.away
        self.revoked += task_ids


class Watch:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.at = 1_000.0

    def monotonic(self) -> float:
        return self.at

    def now(self) -> Any:
        raise NotImplementedError


class Following:
    """A worker's tracker, step by step."""

    def __init__(self, world: World, system: System, worker_id: str | None = None) -> None:
        self.system, self.clock, self.id = system, Watch(), worker_id or IDS.new()
        self.tracker = Tracker(self.id, StoreTasks(world.store, IDS.chance), system, self.clock, lease=LEASE)

    async def send(self) -> "Following":
        await self.tracker.send()
        return self

    async def look(self, after: float = 20.0) -> None:
        self.clock.at += after
        await self.tracker.look()

    async def seek(self, times: int = 1) -> None:
        for _ in range(times):
            self.clock.at += 20.0
            await self.tracker.seek()
            await self.tracker.look()


async def parked(world: World, **fields: Any) -> Claimed:
    run = await world.running(await world.job(target=TARGET, **fields), offers=OFFERS)
    await world.finish(run, outcome=PARKED)
    return run


async def sign_on(world: World, **fields: Any) -> None:
    sign = worker_sign(**fields)
    await world.store.transact(lambda tx: tx.processes.register_worker(sign))


def task_of(run: Claimed) -> str:
    return task_id(run.id, run.attempt)


async def test_parking_leaves_a_task_that_is_sent_once_and_ends_the_run(world: World) -> None:
    system, run = System(), await parked(world)
    (row,) = await world.rows("SELECT * FROM remote_tasks")
    assert (row["run_id"], row["attempt"], row["token"], row["app"]) == (run.id, 1, run.token, APP)
    assert (row["sent_at"], row["tracked_by"], row["revoke_at"]) == (None, None, None)
    one, two = Following(world, system), Following(world, system)
    await one.send()
    await two.send()
    assert system.sent == [task_of(run)]
    await one.look()
    assert (await world.find(run)).status == RunStatus.RUNNING
    system.known[task_of(run)] = Sighting("SUCCESS", DONE)
    await one.look()
    found = await world.find(run)
    assert (found.status, found.result, found.attempt) == (RunStatus.SUCCEEDED, {"rows": 7}, 1)
    assert await world.rows("SELECT * FROM remote_tasks") == []
    assert (await world.totals())["succeeded"] == 1


async def test_parking_twice_leaves_one_task(world: World) -> None:
    run = await world.running(await world.job(target=TARGET), offers=OFFERS)
    await world.finish(run, outcome=PARKED, reply_lost=True)
    assert len(await world.rows("SELECT * FROM remote_tasks")) == 1


async def test_a_failure_is_tried_again_as_another_task(world: World) -> None:
    system, run = System(), await parked(world, retry={"max_attempts": 2, "delay": 0})
    one = await Following(world, system).send()
    system.known[task_of(run)] = Sighting("FAILURE", Outcome(FAILED.kind, error="no", traceback="line 1"))
    await one.look()
    (again,) = await world.claim(offers=OFFERS)
    assert again.attempt == 2
    await world.finish(again, outcome=PARKED)
    await one.send()
    assert system.sent == [task_of(run), task_of(again)]
    assert len(set(system.sent)) == 2
    assert [piece.text for piece in await world.log_of(run)] == ["line 1\n"]
    system.known[task_of(again)] = Sighting("FAILURE", FAILED)
    await one.look()
    found = await world.find(run)
    assert (found.status, found.reason, found.error) == (RunStatus.FAILED, "attempts", "it broke")


async def test_what_could_not_be_sent_fails_its_attempt(world: World) -> None:
    system, run = System(), await parked(world, retry={"max_attempts": 1})
    system.refusal = Outcome(AttemptOutcome.FAILED, error="the broker is away")
    await Following(world, system).send()
    found = await world.find(run)
    assert (found.status, found.error) == (RunStatus.FAILED, "the broker is away")
    assert await world.rows("SELECT * FROM remote_tasks") == []


async def test_cancelling_ends_the_run_at_once_and_revokes_its_task(world: World) -> None:
    system, run, unsent = System(), await parked(world), await parked(world)
    one = Following(world, system)
    await world.cancel(unsent)  # before it was sent: it never is
    await one.send()
    assert system.sent == [task_of(run)]
    (found,) = await world.cancel(run)
    assert found.status == RunStatus.CANCELLED
    system.away = BrokerUnavailable("away")
    with pytest.raises(BrokerUnavailable):
        await one.tracker.revoke()
    system.away = None
    await Following(world, system).tracker.revoke()
    assert system.revoked == [], "another worker does not know whether it is being sent right now"
    await Following(await world.later(seconds=60), system).tracker.revoke()
    assert system.revoked == [task_of(run)]
    assert await world.rows("SELECT * FROM remote_tasks") == []
    await one.look(HOUR)  # it still had it in its memory
    assert (await world.find(run)).status == RunStatus.CANCELLED


async def test_the_deadline_times_it_out_and_revokes_it(world: World) -> None:
    system, run = System(), await parked(world, retry={"max_attempts": 1})
    one = await Following(world, system).send()
    await one.look(HOUR + 1)
    found = await world.find(run)
    assert found.status == RunStatus.FAILED
    assert found.error is not None
    assert "PENDING" in found.error
    assert "3600 s" in found.error
    await one.tracker.revoke()
    assert system.revoked == [task_of(run)]


async def test_a_task_whose_worker_is_gone_is_lost_long_before_its_deadline(world: World) -> None:
    system, run = System(), await parked(world, retry={"max_attempts": 1})
    one = await Following(world, system).send()
    system.having = {task_of(run): True}
    await one.seek()
    system.having = {}
    await one.seek(ABSENT - 1)
    assert (await world.find(run)).status == RunStatus.RUNNING
    system.having = {task_of(run): True}  # it was only cut off for a while
    await one.seek()
    system.having = {}
    await one.seek(ABSENT - 1)
    assert (await world.find(run)).status == RunStatus.RUNNING
    system.away = BrokerUnavailable("away")  # nobody can be asked: that says nothing
    with pytest.raises(BrokerUnavailable):
        await one.seek()
    system.away = None
    await one.look()
    assert (await world.find(run)).status == RunStatus.RUNNING
    await one.seek()
    await one.look()
    found = await world.find(run)
    assert (found.status, "the task is lost" in (found.error or "")) == (RunStatus.FAILED, True), found.error
    await one.tracker.revoke()
    assert system.revoked == [task_of(run)], "in case it goes on somewhere"


async def test_what_nobody_was_seen_with_or_would_be_delivered_again_is_not_lost(world: World) -> None:
    system = System()
    waiting, late, done = [await parked(world) for _ in range(3)]
    one = await Following(world, system).send()
    system.having = {task_of(late): False, task_of(done): True}
    await one.seek()
    system.having = {}
    await one.seek(ABSENT - 1)
    system.known[task_of(done)] = Sighting("SUCCESS", DONE)  # at the last moment
    await one.seek(3)
    assert [(await world.find(run)).status for run in (waiting, late, done)] == ["running", "running", "succeeded"]


async def test_very_many_are_handed_over_and_pruned_in_portions(world: World) -> None:
    system, worker = System(), IDS.new()
    for _ in range(5):
        await parked(world)
    await Following(world, system, worker).send()
    release = {"app": APP, "worker_id": worker}
    assert [await world.store.transact(track.release_tasks, **release, limit=2) for _ in range(4)] == [2, 2, 1, 0]
    later = await world.later(seconds=HOUR + TASK_RETENTION + 60)
    for left in (3, 1, 0):
        pruned = await later.store.transact(prune, keep=Retention(runs=1e9, logs=1e9), limit=2)
        assert pruned.more is (left > 0)
        assert len(await world.rows("SELECT * FROM remote_tasks")) == left


async def test_the_backend_away_costs_time_not_runs(world: World) -> None:
    system, run = System(), await parked(world)
    one = await Following(world, system).send()
    system.away = BrokerUnavailable("the backend is away")
    for _ in range(3):
        with pytest.raises(BrokerUnavailable):
            await one.look()
    system.away, system.known = None, {task_of(run): Sighting("SUCCESS", DONE)}
    await one.look()
    assert (await world.find(run)).status == RunStatus.SUCCEEDED


async def test_more_than_one_look_can_ask_for(world: World) -> None:
    """Of the same age, so that the same ones would always be first."""
    system, runs = System(), [await parked(world) for _ in range(5)]
    system.at_once = 2
    one = await Following(world, system).send()
    system.known = {task_of(run): Sighting("SUCCESS", DONE) for run in runs}
    for after in (20.0, 0.0, 0.0):
        await one.look(after)
    assert {(await world.find(run)).status for run in runs} == {RunStatus.SUCCEEDED}


async def test_a_task_that_no_worker_tracks_is_timed_out_by_the_sweep(world: World) -> None:
    run = await parked(world, retry={"max_attempts": 1})
    assert await (await world.later(seconds=HOUR + 5)).recover() == 0, "its worker has a moment to say more"
    assert await (await world.later(seconds=HOUR + 60)).recover() == 1
    found = await world.find(run)
    assert found.error is not None
    assert "no worker followed its task" in found.error
    (row,) = await world.rows("SELECT revoke_at FROM remote_tasks")
    assert row["revoke_at"] is not None


async def test_another_worker_goes_on_when_the_first_is_dead(world: World) -> None:
    """Killed between noting that the task is sent and the next look: nothing is sent again."""
    system, run, worker = System(), await parked(world), IDS.new()
    await sign_on(world, id=worker)
    await Following(world, system, worker).send()
    two = Following(world, system)
    await two.send()
    assert len(two.tracker) == 0, "the first one lives"
    later = await world.later(seconds=LEASE + 5)
    three = await Following(later, system).send()
    assert len(three.tracker) == 1
    system.known[task_of(run)] = Sighting("SUCCESS", DONE)
    await three.look()
    assert (await world.find(run)).status == RunStatus.SUCCEEDED
    assert system.sent == [task_of(run)]


async def test_a_crash_while_sending_never_sends_twice(world: World) -> None:
    system, run = System(), await parked(world)
    system.crash = True
    one = Following(world, system)
    with pytest.raises(RuntimeError):
        await one.send()
    system.crash = False
    await one.send()
    two = await Following(await world.later(seconds=LEASE + 5), system).send()
    assert system.sent == [], "it may have been sent: nobody knows"
    system.known[task_of(run)] = Sighting("SUCCESS", DONE)
    await two.look()
    assert (await world.find(run)).status == RunStatus.SUCCEEDED


async def test_a_crash_before_it_is_noted_as_sent_sends_it_later(world: World) -> None:
    system, run = System(), await parked(world)
    await world.store.transact(track.take_tasks, app=APP, worker_id=IDS.new(), limit=10)
    await Following(await world.later(seconds=LEASE + 5), system).send()
    assert system.sent == [task_of(run)]


async def test_a_taken_task_whose_reply_was_lost_is_taken_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    system, run = System(), await parked(world)
    monkeypatch.setattr("horae.lifecycle.track.take_tasks", lost_reply(track.take_tasks))
    one = Following(world, system)
    assert await one.tracker.send() == 0
    assert system.sent == []
    monkeypatch.undo()
    await one.send()
    assert system.sent == [task_of(run)]


async def test_a_tracker_that_stops_hands_over(world: World) -> None:
    system, run, worker = System(), await parked(world), IDS.new()
    await sign_on(world, id=worker)
    one = await Following(world, system, worker).send()
    await one.tracker.close()
    two = await Following(world, system).send()
    system.known[task_of(run)] = Sighting("SUCCESS", DONE)
    await two.look()
    assert (await world.find(run)).status == RunStatus.SUCCEEDED
    assert system.sent == [task_of(run)]


async def test_a_late_end_does_not_touch_the_next_attempt(world: World) -> None:
    run = await parked(world, retry={"max_attempts": 3, "delay": 0})
    key = RemoteKey(run.id, run.attempt, run.token)
    await world.store.transact(track.end_tasks, ends=[RemoteEnd(key, FAILED)], chance=middle)
    (second,) = await world.claim(offers=OFFERS)
    await world.finish(second, outcome=PARKED)
    late = Outcome(AttemptOutcome.TIMED_OUT, error="late")
    assert await world.store.transact(track.end_tasks, ends=[RemoteEnd(key, late)], chance=middle) == 0
    (row,) = await world.rows("SELECT attempt, revoke_at FROM remote_tasks")
    assert (row["attempt"], row["revoke_at"]) == (2, None)


async def test_one_that_cannot_be_written_holds_up_no_other(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    system, bad, good = System(), await parked(world), await parked(world)
    one, end_tasks = await Following(world, system).send(), track.end_tasks

    async def end(tx: Any, *, ends: Sequence[RemoteEnd], chance: Any) -> int:
        if any(end.key.run_id == bad.id for end in ends):
            raise ValueError("damaged")
        return await end_tasks(tx, ends=ends, chance=chance)

    monkeypatch.setattr("horae.lifecycle.track.end_tasks", end)
    system.known = {task_of(run): Sighting("SUCCESS", DONE) for run in (bad, good)}
    await one.look()
    assert (await world.find(good)).status == RunStatus.SUCCEEDED
    assert (await world.find(bad)).status == RunStatus.RUNNING
    monkeypatch.undo()
    await one.look(100)
    assert (await world.find(bad)).status == RunStatus.SUCCEEDED


async def test_it_keeps_its_place(world: World) -> None:
    system, job = System(), await world.job(target=TARGET, max_instances=1)
    first, second = await world.trigger(job, 2)
    (run,) = await world.claim(offers=OFFERS)
    await world.finish(run, outcome=PARKED)
    assert await world.claim(offers=OFFERS) == []
    one = await Following(world, system).send()
    system.known[task_of(run)] = Sighting("SUCCESS", DONE)
    await one.look()
    (next_one,) = await world.claim(offers=OFFERS)
    assert (run.id, next_one.id) == (first.id, second.id)


async def test_it_says_what_it_waits_for(world: World) -> None:
    run = await parked(world)
    gate = alone(await of_run(world, run), "task")
    assert "no live worker follows the task" in gate.detail
    await sign_on(world, offers=OFFERS)
    gate = alone(await of_run(world, run), "task")
    assert task_of(run) in gate.detail


async def test_what_is_simply_under_way_costs_the_database_nothing(world: World) -> None:
    system = System()
    for _ in range(3):
        await parked(world)
    one = await Following(world, system).send()
    assert len(one.tracker) == 3
    looked = system.looked
    await one.look(0.0)
    assert system.looked == looked, "none is due yet"
    for _ in range(50):
        await one.look(1.0)
    assert 3 * 8 <= system.looked <= 3 * 50, "more and more rarely"


async def test_a_registered_task_is_checked_and_can_be_disabled(world: World) -> None:
    system, queued = System(), await parked(world)  # a task that no one registered is accepted
    parameters = '{"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": false}'
    sign = replace(FunctionSign.of(WORK), name="celery:shop.add", kind="celery", parameters=parameters)
    await world.store.transact(functions.register_functions, [sign])
    with pytest.raises(InvalidInput, match=r"target\.kwargs\.a: must be a whole number"):
        await world.job(target={**TARGET, "kwargs": {"a": "text"}})
    job = await world.job(target={**TARGET, "kwargs": {"a": 1}, "locked": ["a"]})
    for text in ('{"b": 1}', '{"a": 2}', "[1]"):
        with pytest.raises(InvalidInput):
            await world.trigger(job, input=text)
    change = FunctionChange(is_active=False)
    await world.store.transact(functions.change_function, name=sign.name, change=change, actor="tester")
    for refused in (world.job(target=TARGET), world.trigger(job)):
        with pytest.raises(InvalidInput, match="is disabled"):
            await refused
    await Following(world, system).send()
    found = await world.find(queued)
    assert (system.sent, found.reason) == ([], "permanent")
    assert "is disabled" in (found.error or "")


async def test_what_is_cancelled_after_it_was_taken_is_not_sent(world: World) -> None:
    """Whether its row is marked, or gone already."""
    for revoked in (False, True):
        system, run = System(), await parked(world)
        taken = await world.store.transact(track.take_tasks, app=APP, worker_id=IDS.new(), limit=10)
        await world.cancel(run)
        if revoked:
            await Following(world, system).tracker.revoke()
        keys = [task.key for task in taken.tasks]
        assert len(keys) == 1
        assert await world.store.transact(track.mark_sent, keys) == set()
        await Following(world, system).tracker.revoke()
        assert await world.rows("SELECT * FROM remote_tasks") == []
        assert system.revoked == []
