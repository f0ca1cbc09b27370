"""Explanations are limited to the caller's project, and their cost is bounded."""

from __future__ import annotations

from typing import Any

import pytest

from horae.domain.errors import NotFound
from horae.lifecycle import explain
from tests.contract.explaining import HOURLY, alive, statements
from tests.contract.world import IDS, PERMANENT, World


async def test_a_job_by_its_name(world: World) -> None:
    job = await world.job()
    for ref in (job.id, job.spec.name):
        found = await world.store.read(explain.explain_job, project_id=world.project, ref=ref)
        assert job.spec.name in found.summary


async def another_project(world: World) -> str:
    project_id = IDS.new()

    async def add(tx: Any) -> None:
        await tx.access.db.execute(
            f"INSERT INTO projects (id, slug, name, created_at) VALUES (:id, 'other', 'Other', {tx.access.d.now})",
            {"id": project_id},
        )

    await world.store.transact(add)
    return project_id


async def test_what_belongs_to_another_project_is_not_there(world: World) -> None:
    job = await world.job()
    (run,) = await world.trigger(job)
    stranger = await another_project(world)
    for ref in (job.id, job.spec.name, IDS.new()):
        with pytest.raises(NotFound):
            await world.store.read(explain.explain_job, project_id=stranger, ref=ref)
    with pytest.raises(NotFound):
        await world.store.read(explain.explain_run, project_id=stranger, run_id=run.id)


async def test_few_statements(world: World) -> None:
    await alive(world)
    load = await world.job(max_instances=1)
    report = await world.job(schedule={"after": {"job": load.spec.name}})
    hourly = await world.job(**HOURLY)
    running, held = await world.trigger(load, 2)
    failed = await world.ended(outcome=PERMANENT)
    for job in (load, report, hourly):
        assert await statements(world, explain.explain_job, ref=job.id) <= 12
    for run in (running, held, failed):
        assert await statements(world, explain.explain_run, run_id=run.id) <= 10
