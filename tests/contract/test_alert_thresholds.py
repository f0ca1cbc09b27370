"""Thresholds of alert rules: a job's own, then its project's, then the installation's."""

from typing import Any

import pytest

from horae.domain.jobs.stored import spec_fields
from tests.contract.watching import alerts, evaluate, fail, rules, titles, well_again, worker
from tests.contract.world import World, spec


async def test_a_failing_streak_by_a_jobs_own_threshold(world: World):
    await worker(world)
    quick = await world.job(name="quick", alert={"failing": 1})
    silent = await world.job(name="silent", alert={"failing": 0})
    await fail(world, quick)
    await fail(world, silent, 5)
    await evaluate(world)
    assert titles(await alerts(world)) == ["quick failed"]


async def test_a_projects_own_threshold(world: World):
    await worker(world)
    await configure(world, '{"failing": 5, "dead_letters": 0}')
    job = await world.job(name="report")
    await fail(world, job, 4)
    await evaluate(world)
    assert await rules(world) == []
    await fail(world, job)
    await evaluate(world)
    assert await rules(world) == ["failing"]


async def configure(world: World, settings: str) -> None:
    await world.execute(
        "INSERT INTO alert_settings (subject_id, project_id, subject_kind, settings) "
        "VALUES (:id, :id, 'project', :text)",
        id=world.project,
        text=settings,
    )


async def test_an_edit_changes_the_rules_and_a_deletion_ends_them(world: World):
    await worker(world)
    job = await world.job(name="report", alert={"failing": 1})
    await fail(world, job)
    await evaluate(world)
    assert await rules(world) == ["failing"]
    edited = await world.edit(job, alert=None)
    assert await world.rows("SELECT * FROM alert_settings") == []
    edited = await world.edit(edited, alert={"failing": 1})
    await world.delete(edited)
    assert await world.rows("SELECT * FROM alert_settings") == []
    await well_again(world, "failing")


async def test_damaged_thresholds_set_nothing(world: World):
    await worker(world)
    job = await world.job(name="report", alert={"failing": 1})
    await configure(world, '{"failing": "often"}')
    for settings in ('{"failing": -7}', "[]", '{"failing": 1, "colour": "red"}'):
        await world.execute(
            "UPDATE alert_settings SET settings = :text WHERE subject_id = :id", text=settings, id=job.id
        )
        await evaluate(world)
    await fail(world, job)
    await evaluate(world)
    assert await rules(world) == ["failing"]  # what the last of them says, which a newer version wrote


@pytest.mark.parametrize(
    ("alert", "field"),
    [
        ({"failing": -1}, "failing"),
        ({"late": "soon"}, "late"),
        ({"done_by": "25:00"}, "done_by"),
        ({"failure_budget": {"failures": 1, "within": "1s"}}, "within"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_wrong_thresholds_are_refused(alert: dict[str, Any], field: str):
    with pytest.raises(ValueError, match=field):
        spec(alert=alert)


def test_a_definition_without_alert_is_stored_as_before():
    assert "alert" not in spec_fields(spec())
    assert spec_fields(spec(alert={"failing": 2}))["alert"]["failing"] == 2
