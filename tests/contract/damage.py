"""Rows that cannot be read: written by a version to come, or damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from horae.domain.jobs.job_record import JobRecord
from tests.contract.world import World

Json = dict[str, Any]


def newer_kind(spec: Json, plan: Json) -> None:
    spec["target"] = {"kind": "carrier-pigeon", "to": "Rome"}
    plan["overlap"] = "sometimes"


def newer_zone(spec: Json, plan: Json) -> None:
    for one in (spec, plan):
        one["schedule"]["timezone"] = "Mars/Olympus"


def emptied(spec: Json, plan: Json) -> None:
    for one in (spec, plan):
        one.clear()


FORMS: tuple[Callable[[Json, Json], None], ...] = (newer_kind, newer_zone, emptied)


async def damage(world: World, job: JobRecord, form: Callable[[Json, Json], None] = newer_zone) -> None:
    """The definition and the plan of a job's current version."""
    (row,) = await world.rows("SELECT plan FROM jobs WHERE id = :id", id=job.id)
    (version,) = await world.rows(
        "SELECT spec FROM job_versions WHERE job_id = :id AND version = :version", id=job.id, version=job.version
    )
    spec, plan = json.loads(version["spec"]), json.loads(row["plan"])
    form(spec, plan)
    await put(world, job, spec=json.dumps(spec), plan=json.dumps(plan))


async def tear(world: World, job: JobRecord) -> None:
    """Half of it is gone. PostgreSQL takes no such text: there it is something else altogether."""
    torn = "[1]" if world.kind == "postgresql" else '{"name": "x'
    await put(world, job, spec=torn, plan=torn)


async def put(world: World, job: JobRecord, *, spec: str | None = None, plan: str | None = None) -> None:
    if spec is not None:
        await world.execute(
            "UPDATE job_versions SET spec = :spec WHERE job_id = :id AND version = :version",
            id=job.id,
            version=job.version,
            spec=spec,
        )
    if plan is not None:
        await world.execute("UPDATE jobs SET plan = :plan WHERE id = :id", id=job.id, plan=plan)
