"""Reads: live and ended runs as one list, in which no run is missing and none appears twice."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from horae.domain.jobs.job_filter import JobFilter
from horae.domain.people.key import ApiKey
from horae.ports import Transaction
from tests.contract.world import FAILED, IDS, PERMANENT, World, ids


async def walk(world: World, limit: int, **where: Any) -> list[str]:
    """All pages from the first to the last."""
    found: list[str] = []
    after = None
    while True:
        page = await world.page(limit=limit, after=after, **where)
        found += [run.id for run in page.items]
        assert len(page.items) <= limit
        if page.next is None:
            return found
        after = page.next


async def test_live_and_ended_runs_are_one_list_newest_first(world: World) -> None:
    job = await world.job()
    made = [run.id for run in await world.trigger(job, 9)]
    runs = {run.id: run for run in await world.claim()}
    await world.finish(*(runs[run_id] for run_id in made[::2]))
    newest_first = sorted(made, reverse=True)
    for limit in (1, 2, 4, 9, 50):
        assert await walk(world, limit) == newest_first


async def test_the_last_page_says_that_it_is_the_last(world: World) -> None:
    await world.trigger(await world.job(), 4)
    assert (await world.page(limit=4)).next is None
    assert (await world.page(limit=3)).next is not None
    assert (await world.page(limit=4, after="0" * 8 + IDS.new()[8:])).items == []


async def test_runs_of_a_queue(world: World) -> None:
    mail, other = await world.job(name="mail", queue="mail"), await world.job(name="other")
    (ended,), (live,) = await world.trigger(mail), await world.trigger(mail)
    await world.cancel(ended)
    await world.trigger(other)
    assert await walk(world, 1, queue="mail") == [live.id, ended.id]
    assert await walk(world, 1, queue="nobody's") == []


def made(run_id: str) -> datetime:
    """An id begins with the milliseconds at which it was made."""
    return datetime.fromtimestamp(int(run_id.replace("-", "")[:12], 16) / 1000, UTC)


async def test_runs_of_a_time(world: World) -> None:
    job = await world.job()
    runs = [(await world.ended(job)).id]
    while len(runs) == 1 or made(runs[-1]) == made(runs[0]):
        runs.append((await world.trigger(job))[0].id)
    middle, newest_first = made(runs[-1]), runs[::-1]
    assert await walk(world, 1, since=middle) == newest_first[:1]
    assert await walk(world, 1, until=middle) == newest_first[1:]
    assert await walk(world, 1, since=middle, until=middle) == []
    assert await walk(world, 1, since=made(runs[0])) == newest_first


async def test_runs_that_ended_within_a_time(world: World) -> None:
    job = await world.job()
    first, second = await world.ended(job), await world.ended(job)
    await world.trigger(job)  # lives, and so has not ended
    ends = {run.id: run.finished_at for run in (await world.page(status="succeeded")).items if run.finished_at}
    last, moment = ends[second.id], timedelta(milliseconds=1)
    assert await walk(world, 1, ended_until=last + moment) == [second.id, first.id]
    assert await walk(world, 1, ended_since=ends[first.id]) == [second.id, first.id]
    assert await walk(world, 1, ended_since=ends[first.id], ended_until=ends[first.id]) == []
    assert await walk(world, 1, ended_since=last + moment) == []


async def test_runs_that_end_between_two_pages_are_neither_lost_nor_doubled(world: World) -> None:
    made = [run.id for run in await world.trigger(await world.job(), 9)]
    runs = await world.claim()
    seen: list[str] = []
    after = None
    for _ in range(3):
        page = await world.page(limit=3, after=after)
        seen += [run.id for run in page.items]
        after = page.next
        await world.finish(*runs[:3])
        runs = runs[3:]
    assert after is None
    assert seen == sorted(made, reverse=True)


async def test_runs_that_end_while_a_page_is_read_are_neither_lost_nor_doubled(world: World) -> None:
    made = {run.id for run in await world.trigger(await world.job(), 60)}
    runs = await world.claim()
    reader, worker = await world.crowd(2)

    async def work() -> None:
        for n in range(0, 60, 3):
            await worker.finish(*runs[n : n + 3])

    working = asyncio.create_task(work())
    while not working.done():
        seen = await walk(reader, 25)
        assert len(seen) == len(set(seen))
        assert set(seen) == made
        assert (await reader.find(runs[-1])).id == runs[-1].id
    await working


async def test_filters(world: World) -> None:
    one, two = await world.job(every="1h"), await world.job()
    await world.fire()
    worker = IDS.new()
    (fired,) = await world.claim(worker=worker)
    (queued,) = await world.trigger(two)
    good, bad = await world.ended(two), await world.ended(two, PERMANENT)
    await world.trigger(two, 2)
    expected = {
        "job_id": (one.id, {fired.id}),
        "status": ("failed", {bad.id}),
        "trigger": ("schedule", {fired.id}),
        "worker_id": (worker, {fired.id}),
    }
    for column, (value, found) in expected.items():
        assert set(await walk(world, 1, **{column: value})) == found, column
    assert set(await walk(world, 1, status="succeeded", job_id=two.id)) == {good.id}
    assert set(await walk(world, 1, status="running")) >= {fired.id}
    assert queued.id in await walk(world, 1, job_id=two.id)
    assert await walk(world, 1, status="succeeded", job_id=one.id) == []


async def test_a_skipped_row_is_in_the_list(world: World) -> None:
    await world.job(every="1h", catch_up="none")
    await (await world.later(hours=3)).fire()
    ((row),) = (await world.page(status="skipped")).items
    assert (row.occurrences, row.reason, row.attempt) == (4, "missed", 0)
    assert row.scheduled_until
    assert row.scheduled_for
    assert row.scheduled_until > row.scheduled_for


async def test_a_run_looks_the_same_live_and_ended(world: World) -> None:
    run = await world.running()
    live = await world.find(run)
    await world.finish(run)
    ended = await world.find(run)
    shown = ("id", "job_id", "job_name", "queue", "due_at", "created_at", "started_at", "worker_id", "max_attempts")
    assert [getattr(live, field) for field in shown] == [getattr(ended, field) for field in shown]


async def test_malformed_ids_find_nothing(world: World) -> None:
    for nonsense in ("", "x", "0" * 36, IDS.new().upper(), IDS.new() + "0", "../etc/passwd", "' OR 1=1 --"):
        assert await world.store.read(_find_both, world.project, nonsense) == (None, None)


async def _find_both(tx: Transaction, project: str, ref: str) -> tuple[object, object]:
    return await tx.runs.find(project, ref), await tx.jobs.find(project, ref)


async def test_attempts_are_shown_in_order(world: World) -> None:
    run = await world.running(await world.job(retry={"max_attempts": 3, "delay": 0}))
    await world.finish(run, outcome=FAILED)
    await world.finish(*await world.claim(), outcome=FAILED)
    tries = await world.store.read(lambda tx: tx.runs.attempts(run.id))
    assert [(one.n, one.outcome) for one in tries] == [(1, "failed"), (2, "failed")]
    assert {one.error for one in tries} == {"it broke"}


# ---- jobs


async def job_names(world: World, limit: int, text: str | None = None) -> list[str]:
    found: list[str] = []
    after = None
    while True:
        page = await world.store.read(_jobs, world.project, limit, after, text)
        found += [job.spec.name for job in page.items]
        if page.next is None:
            return found
        after = page.next


async def _jobs(tx: Transaction, project: str, limit: int, after: str | None, text: str | None) -> Any:
    return await tx.jobs.page(project, JobFilter(text=text), limit=limit, after=after)


async def test_jobs_are_listed_by_name_page_by_page(world: World) -> None:
    made = ["b", "a", "B", "é", "e", "10", "9", "_x", "z z"]
    for name in made:
        await world.job(name=name)
    whole = await job_names(world, 50)
    assert sorted(whole) == sorted(made)
    for limit in (1, 2, 4):
        assert await job_names(world, limit) == whole


async def test_jobs_are_found_by_part_of_their_name_ignoring_case(world: World) -> None:
    for name in ("Daily Report", "weekly report", "100%", "under_score", "it's", "wow!"):
        await world.job(name=name)
    for text, found in {
        "report": {"Daily Report", "weekly report"},
        "DAILY": {"Daily Report"},
        "%": {"100%"},
        "_": {"under_score"},
        "!": {"wow!"},
        "'": {"it's"},
        "nothing": set(),
    }.items():
        assert set(await job_names(world, 2, text)) == found, text


async def test_a_foreign_project_has_no_jobs_and_no_counters(world: World) -> None:
    await world.ended()
    world.project = IDS.new()
    assert await job_names(world, 50) == []
    assert set((await world.totals()).values()) == {0}


async def test_every_queue_that_a_job_names_is_known(world: World) -> None:
    job = await world.job(queue="one")
    await world.job(queue="two")
    await world.edit(job, queue="three")
    assert await world.store.read(lambda tx: tx.jobs.queues()) == ["one", "three", "two"]


async def test_definitions_by_version(world: World) -> None:
    job = await world.job(description="first")
    await world.edit(job, description="second")
    found = await world.store.read(lambda tx: tx.jobs.definitions([(job.id, 1), (job.id, 2), (job.id, 3)]))
    assert {pair: spec.description for pair, spec in found.items()} == {(job.id, 1): "first", (job.id, 2): "second"}


# ---- keys


def key(project: str, name: str, prefix: str) -> ApiKey:
    return ApiKey(IDS.new(), project, name, "admin", prefix, "d" * 64, "tester")


async def test_a_key_is_found_by_its_prefix(world: World) -> None:
    await world.store.transact(lambda tx: tx.access.add_key(key(world.project, "ci", "abc")))
    found = await world.store.read(lambda tx: tx.access.key("abc"))
    assert found is not None
    assert (found.name, found.role, found.project_id, found.digest) == ("ci", "admin", world.project, "d" * 64)
    assert await world.store.read(lambda tx: tx.access.key("ABC")) is None


async def test_an_expired_key_is_not_found(world: World) -> None:
    await world.store.transact(lambda tx: tx.access.add_key(key(world.project, "ci", "abc")))
    await world.execute("UPDATE api_keys SET expires_at = :at", at=await world.now())
    later = await world.later(seconds=1)
    assert await later.store.read(lambda tx: tx.access.key("abc")) is None


async def test_a_key_takes_the_place_of_the_one_before(world: World) -> None:
    await world.store.transact(lambda tx: tx.access.replace_key(key(world.project, "x", "old")))
    await world.store.transact(lambda tx: tx.access.replace_key(key(world.project, "x", "new")))
    assert await world.store.read(lambda tx: tx.access.key("old")) is None
    assert await world.store.read(lambda tx: tx.access.key("new")) is not None


@pytest.mark.parametrize("empty", [[], ()])
async def test_asking_for_nothing_gives_nothing(world: World, empty: Any) -> None:
    assert await world.store.read(lambda tx: tx.jobs.definitions(empty)) == {}
    assert await world.store.read(lambda tx: tx.runs.live(world.project, empty)) == []
    assert await world.store.read(lambda tx: tx.runs.under_way(empty)) == []
    assert await world.store.transact(lambda tx: tx.runs.end(empty)) == set()
    await world.store.transact(lambda tx: tx.gates.open(empty))
    assert await world.store.transact(lambda tx: tx.runs.leased(empty)) == []
    assert ids(await world.cancel()) == set()
