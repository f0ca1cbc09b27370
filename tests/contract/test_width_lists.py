"""A page of what is rare costs the same among a great many others: jobs by how they ended last, runs by outcome, dead
letters by cause. Counted in what the database looks at, never in time."""

from typing import Any

import pytest

from horae.accounts.projects import create_project
from horae.domain.jobs.job_filter import JobFilter
from horae.domain.people.project import Project
from horae.domain.runs.dead_letter import DeadFilter
from horae.domain.runs.run_filter import RunFilter
from horae.lifecycle import queues
from horae.ports import Transaction
from horae.store.jobs import job_page
from tests.contract.cost import metered
from tests.contract.test_width import _SLACK
from tests.contract.wide import _UUID, copy, enough
from tests.contract.world import IDS, PERMANENT, TIMED_OUT, World

pytestmark = pytest.mark.slow
OTHERS = 100_000


async def _page(tx: Transaction, what: str, project_id: str, where: Any) -> Any:
    return await getattr(tx, what).page(project_id, where, limit=50, after=None)


async def _costs(world: World, pages: dict[str, tuple[str, Any, int]]) -> dict[str, int]:
    costly, meter = await metered(world)
    found = {}
    for name, (what, where, count) in pages.items():
        meter.read = 0
        page = await costly.store.read(_page, what, world.project, where)
        assert len(page.items) == count, name
        found[name] = meter.read
    return found


async def test_pages_of_what_is_rare(world: World) -> None:
    fine, broken = await world.job(name="fine"), await world.job(name="broken", retry={"max_attempts": 1})
    ended = await world.ended(fine)
    late = await world.ended(broken, TIMED_OUT)
    failed = await world.ended(await world.job(name="also broken"), PERMANENT)
    await world.roll_up()
    (letter,) = await world.rows("SELECT fingerprint FROM dead_letters WHERE run_id = :id", id=late.id)
    pages = {
        "jobs that failed last": ("jobs", JobFilter(last_status="failed"), 2),
        "jobs that were cancelled last": ("jobs", JobFilter(last_status="cancelled"), 0),
        "runs that timed out": ("runs", RunFilter(outcome="timed_out"), 1),
        "runs that were lost": ("runs", RunFilter(outcome="lost"), 0),
        "runs of a job that timed out": ("runs", RunFilter(outcome="timed_out", job_id=broken.id), 1),
        "letters of one cause": ("dead_letters", DeadFilter(fingerprint=letter["fingerprint"]), 1),
    }
    before = await _costs(world, pages)
    uuid, others = _UUID.get(world.kind, "UUID()"), enough(world, OTHERS)
    number = "'other ' || v.n" if world.kind == "sqlite" else "CONCAT('other ', v.n)"
    await copy(world, "jobs", fine.id, others, name=number)
    await copy(world, "run_history", ended.id, others)
    await copy(world, "run_history", failed.id, others)
    await copy(world, "dead_letters", failed.id, others, key="run_id", run_id=uuid)
    for table in ("jobs", "run_history", "dead_letters", "job_stats", "stat_deltas"):
        if world.kind != "sqlite":
            await world.rows(f"ANALYZE {'TABLE ' if world.kind != 'postgresql' else ''}{table}")
    after = await _costs(world, pages)
    assert not [name for name in before if after[name] > 2 * before[name] + _SLACK], f"few {before}, many {after}"


async def test_jobs_that_failed_last_and_come_last(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many to be looked up at once, and behind all the others in the order of the list."""
    monkeypatch.setattr(job_page, "_FEW", 20)
    fine, broken = await world.job(name="fine"), await world.job(name="zz", retry={"max_attempts": 1})
    await world.ended(fine)
    await world.ended(broken, PERMANENT)
    await world.roll_up()
    await _alike(world, broken.id, 100, "zz ")
    pages = {"failed": ("jobs", JobFilter(last_status="failed"), 50)}
    await _alike(world, fine.id, 2 * job_page._NEAR, "fine ")
    before = await _costs(world, pages)
    await _alike(world, fine.id, 20 * job_page._NEAR, "more ")
    after = await _costs(world, pages)
    assert after["failed"] <= 2 * before["failed"] + _SLACK, (before, after)


async def _alike(world: World, job_id: str, count: int, prefix: str) -> None:
    """Jobs like one that is there, with its definition and its counters."""
    number = f"'{prefix}' || v.n" if world.kind == "sqlite" else f"CONCAT('{prefix}', v.n)"
    await copy(world, "jobs", job_id, count, name=number)
    for table in ("job_versions", "job_stats"):
        (row,) = await world.rows(f"SELECT * FROM {table} WHERE job_id = :id", id=job_id)
        values = ", ".join("j.id" if column == "job_id" else f"o.{column}" for column in row)
        await world.execute(
            f"INSERT INTO {table} ({', '.join(row)}) SELECT {values} FROM {table} o, jobs j "
            f"WHERE o.job_id = :id AND j.name LIKE '{prefix}%'",
            id=job_id,
        )
    if world.kind == "sqlite":
        await world.execute("ANALYZE")
        return
    for table in ("jobs", "job_versions", "job_stats"):
        await world.rows(f"ANALYZE {'TABLE ' if world.kind != 'postgresql' else ''}{table}")


async def test_queues_among_those_of_others(world: World) -> None:
    """What one project names, and how many it has reserved, is nothing to those who look at their own. How many jobs
    and live runs there are concerns only `queue_use`, which the API does not ask for at every request."""
    (run,) = await world.trigger(await world.job(queue="mail"))
    use = await world.store.read(queues.queue_use, world.project)
    costly, meter = await metered(world)

    async def cost(*, everything: bool) -> int:
        meter.read = 0
        page = await costly.store.read(queues.list_queues, world.project, use, everything=everything, limit=1)
        assert len(page.items) == 1
        return meter.read

    before = [await cost(everything=False), await cost(everything=True)]
    await copy(world, "runs", run.id, enough(world, OTHERS))
    number = "'other ' || v.n" if world.kind == "sqlite" else "CONCAT('other ', v.n)"
    await copy(world, "queues", "mail", enough(world, OTHERS), key="name", name=number)
    other = Project(IDS.new(), "other", "Other")
    await world.store.transact(create_project, project=other, actor="test")
    await world.rows(
        "INSERT INTO queue_projects (queue, project_id, reserved_by, reserved_at) "
        f"SELECT name, '{other.id}', 'test', created_at FROM queues WHERE name <> 'mail'"
    )
    for table in ("queues", "queue_projects", "runs"):
        if world.kind != "sqlite":
            await world.rows(f"ANALYZE {'TABLE ' if world.kind != 'postgresql' else ''}{table}")
    after = [await cost(everything=False), await cost(everything=True)]
    assert all(many <= 2 * few + _SLACK for few, many in zip(before, after, strict=True)), (before, after)
