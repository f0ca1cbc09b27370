"""One project's flood of problems hides no other project's: both break the rules that look at many rows, one of them
thousands of times, for longer, and first."""

from __future__ import annotations

from datetime import timedelta

from horae.accounts import projects
from horae.domain.alerts.alert import AlertFilter
from horae.domain.people.project import Project
from tests.contract.test_alerts_wide import crowd
from tests.contract.watching import beat, evaluate, fail, worker
from tests.contract.wide import _UUID, copy
from tests.contract.world import IDS, LEASE, World

FLOOD = 2_100
DEAD = 10_100
THRESHOLDS = {"failing": 1, "dead_letters": 1, "failure_rate": 0}
RULES = ["dead_letters", "failing", "late", "late", "not_done", "queued", "stuck"]


async def seen_from_another_project(world: World) -> World:
    project = Project(IDS.new(), "other", "Other")
    await world.store.transact(projects.create_project, project=project, actor="test")
    other = await world.later(seconds=1)
    other.project = project.id
    return other


async def trouble(world: World, times: int = 0) -> None:
    """A job that fails and leaves a dead letter, one whose run is stuck, one whose run waits, one that is not fired and
    one that is not done by its time; `times` more of each."""
    broken = await world.job(name="broken", priority=9)
    await fail(world, broken, 2 if times else 1)
    await world.roll_up()
    stuck = await world.running(await world.job(name="stuck", priority=9), lease=LEASE)
    (queued,) = await world.trigger(await world.job(name="waiting"))
    unfired = await world.job(name="unfired", every="10m")
    undone = await world.job(name="undone", manual=True, alert={"done_by": "00:00"})
    await world.execute(
        "UPDATE jobs SET created_at = :then WHERE id = :id", then=await world.now() - timedelta(days=2), id=undone.id
    )
    if times:
        uuid = _UUID.get(world.kind, "UUID()")
        (dead, *_) = await world.rows("SELECT run_id FROM dead_letters WHERE job_id = :id", id=broken.id)
        await crowd(world, broken.id, 300, "broken")
        await copy(world, "dead_letters", dead["run_id"], DEAD, key="run_id", run_id=uuid)
        await copy(world, "runs", stuck.id, times)
        await copy(world, "runs", queued.id, times)
        await copy(world, "jobs", unfired.id, times, name=text(world, "unfired"))
        zone = text(world, "zone")
        await copy(world, "alert_settings", undone.id, times, key="subject_id", subject_id=uuid, timezone=zone)


def text(world: World, prefix: str) -> str:
    return f"'{prefix}-' || v.n" if world.kind == "sqlite" else f"CONCAT('{prefix}-', v.n)"


async def test_a_flood_of_one_project_hides_no_other(world: World) -> None:
    await worker(world)
    await trouble(world, FLOOD)
    other = await seen_from_another_project(world)
    await trouble(other)
    later = await world.later(minutes=40)
    await beat(later)
    await evaluate(later, **THRESHOLDS)
    page = await later.store.read(lambda tx: tx.alerts.page([other.project], AlertFilter(), limit=20, after=None))
    found = page.items
    assert sorted(one.rule for one in found) == RULES
    (failing,) = [one for one in found if one.rule == "failing"]
    assert "Last error: no such thing" in failing.why
    (queued,) = [one for one in found if one.rule == "queued"]
    assert queued.why == "Due and not started: 1 run of 1 job."
