"""Jobs by how their last run ended, and those that recur: exact at any moment, and cheap among many."""

from typing import Any

import pytest

from horae.domain.jobs.job_filter import JobFilter
from horae.domain.jobs.job_record import JobRecord
from horae.domain.pages import Page
from horae.store.jobs import job_page
from tests.contract.explaining import statements
from tests.contract.world import CANCELLED, PERMANENT, World

every_way = pytest.mark.parametrize(
    "way",
    [
        pytest.param({}, id="few"),
        pytest.param({"_FEW": 0}, id="near"),
        pytest.param({"_FEW": 0, "_NEAR": 3}, id="many"),
        pytest.param({"_FEW": 0, "_NEAR": 1, "_MANY": 0}, id="most"),
    ],
)


def go(monkeypatch: pytest.MonkeyPatch, way: dict[str, int]) -> None:
    for name, value in way.items():
        monkeypatch.setattr(job_page, name, value)


async def page(tx: Any, *, project_id: str, limit: int = 50, after: str | None = None, **where: Any) -> Page[JobRecord]:
    found: Page[JobRecord] = await tx.jobs.page(project_id, JobFilter(**where), limit=limit, after=after)
    return found


async def names(world: World, **where: Any) -> list[str]:
    return [job.spec.name for job in (await world.store.read(page, project_id=world.project, **where)).items]


async def by_last_status(world: World) -> dict[str, list[str]]:
    found = {status: await names(world, last_status=status) for status in ("succeeded", "failed", "cancelled")}
    return {status: those for status, those in found.items() if those}


@every_way
async def test_the_last_run_decides(world: World, monkeypatch: pytest.MonkeyPatch, way: dict[str, int]) -> None:
    """Whether its counters were rolled up or not, and whichever way the page is found."""
    go(monkeypatch, way)
    a, b, c = [await world.job(name=name) for name in "abc"]
    await world.job(name="never ran")
    await world.ended(a, PERMANENT)
    await world.ended(b)
    await world.ended(c, PERMANENT)
    await world.ended(c, CANCELLED)
    expected = {"failed": ["a"], "succeeded": ["b"], "cancelled": ["c"]}
    assert await by_last_status(world) == expected
    await world.roll_up()
    assert await by_last_status(world) == expected
    await world.ended(a)
    await world.ended(b, PERMANENT)
    assert await by_last_status(world) == {"failed": ["b"], "succeeded": ["a"], "cancelled": ["c"]}
    for job in (a, b):
        assert (await world.look(job)).last_status == ("succeeded" if job is a else "failed")


async def test_a_status_rolled_up_out_of_order_does_not_replace_a_newer_one(world: World) -> None:
    job = await world.job(name="a")
    await world.ended(job, PERMANENT)
    later = await world.later(seconds=60)
    await later.ended(job)
    await later.roll_up()
    await world.execute(
        "INSERT INTO stat_deltas (id, job_id, project_id, status, runs, duration_ms, retries, timed_out, run_id, at) "
        "SELECT t.last_run_id, j.id, j.project_id, 'failed', 0, 0, 0, 0, t.last_run_id, j.created_at FROM job_stats t "
        "JOIN jobs j ON j.id = t.job_id"
    )
    assert await by_last_status(world) == {"succeeded": ["a"]}


@every_way
async def test_pages(world: World, monkeypatch: pytest.MonkeyPatch, way: dict[str, int]) -> None:
    go(monkeypatch, way)
    for n in range(7):
        await world.ended(await world.job(name=f"bad {n}", tags=("x",) if n % 2 else ()), PERMANENT)
        await world.ended(await world.job(name=f"good {n}"))
    found: list[str] = []
    after = None
    while True:
        one = await world.store.read(page, project_id=world.project, limit=3, after=after, last_status="failed")
        found += [job.spec.name for job in one.items]
        if (after := one.next) is None:
            break
    assert found == [f"bad {n}" for n in range(7)]
    assert await names(world, last_status="failed", tag="x") == ["bad 1", "bad 3", "bad 5"]
    assert await names(world, last_status="failed", text="d 2") == ["bad 2"]


async def test_other_projects_and_deleted_jobs_are_not_among_them(world: World) -> None:
    gone = await world.job(name="gone")
    await world.ended(gone, PERMANENT)
    await world.roll_up()
    await world.delete(gone)
    await world.ended(await world.job(name="here"), PERMANENT)
    assert await names(world, last_status="failed") == ["here"]


async def test_nothing_found_costs_one_statement(world: World) -> None:
    await world.ended()
    assert await statements(world, page, last_status="failed") == 1
    assert await statements(world, page, last_status="succeeded") <= 4


async def test_recurring(world: World) -> None:
    for name, schedule in {
        "cron": {"cron": "0 2 * * *"},
        "every": {"every": "15m"},
        "at": {"at": "2099-01-01T00:00:00Z"},
        "manual": {"manual": True},
        "follows": {"after": {"job": "cron"}},
    }.items():
        await world.job(name=name, schedule=schedule)
    assert await names(world, recurring=True) == ["cron", "every"]
    assert await names(world, recurring=False) == ["at", "follows", "manual"]
    assert await names(world) == ["at", "cron", "every", "follows", "manual"]
