"""What a claim of an agent is answered with: the runs, their definitions, and the secrets that these name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from horae.api.context import RequestContext
from horae.api.schemas.worker import ClaimedRunView
from horae.api.views import shown
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.stored import spec_fields
from horae.domain.jobs.unreadable import missing_spec
from horae.domain.people.worker_key import WorkerKeyRecord
from horae.domain.runs.callback import Callbacks
from horae.domain.runs.claim import Claimed
from horae.domain.secrets.secret import CannotOpen, unknown
from horae.domain.targets import HttpTarget
from horae.lifecycle.agents import definitions_of, release_for

Json = dict[str, Any]
Pair = tuple[str, int]


async def runs_and_jobs(
    context: RequestContext, key: WorkerKeyRecord, worker_id: str, runs: Sequence[Claimed]
) -> tuple[list[Json], list[Json]]:
    """Runs whose definition cannot be read here are given back, and are in neither list."""
    if not runs:
        return [], []
    found = await context.store.read(definitions_of, runs)
    specs = {pair: found.get(pair) or missing_spec(pair[1]) for pair in {(run.job_id, run.version) for run in runs}}
    bad = {(run.id, run.token): fault for run in runs if (fault := specs[run.job_id, run.version].fault)}
    if bad:
        await context.store.transact(release_for, key=key, worker_id=worker_id, pairs=list(bad), unreadable=bad)
    good = [run for run in runs if (run.id, run.token) not in bad]
    projects = {(run.job_id, run.version): run.project_id for run in good}
    values = await _values(context, {pair: (projects[pair], specs[pair]) for pair in projects})
    jobs = [_job(pair, specs[pair], projects[pair], values) for pair in projects]
    return [_run(context, run, specs[run.job_id, run.version]) for run in good], jobs


async def _values(
    context: RequestContext, jobs: Mapping[Pair, tuple[str, JobSpec]]
) -> dict[tuple[str, str], str | CannotOpen]:
    wanted = {(project_id, name) for project_id, spec in jobs.values() for name in spec.target.secrets}
    if not wanted:
        return {}
    values: dict[tuple[str, str], str | CannotOpen] = {}
    for one in await context.store.read(lambda tx: tx.secrets.sealed(wanted)):
        try:
            values[one.project_id, one.name] = context.seals.open(one)
        except CannotOpen as error:
            values[one.project_id, one.name] = error
    return values


def _job(pair: Pair, spec: JobSpec, project_id: str, values: Mapping[tuple[str, str], str | CannotOpen]) -> Json:
    secrets: dict[str, str] = {}
    fault: Json | None = None
    for name in sorted(spec.target.secrets):
        value = values.get((project_id, name))
        if isinstance(value, str):
            secrets[name] = value
        elif fault is None:
            fault = {"error": unknown(name) if value is None else str(value), "permanent": value is None}
    return {
        "job_id": pair[0],
        "version": pair[1],
        "definition": spec_fields(spec),
        "secrets": {} if fault else secrets,
        "fault": fault,
    }


def _run(context: RequestContext, run: Claimed, spec: JobSpec) -> Json:
    settings, url = context.settings, None
    if isinstance(spec.target, HttpTarget) and spec.target.callback is not None and settings.public_url:
        url = Callbacks(settings.public_url, settings.secret_key).address(run.id, run.attempt)
    return shown(ClaimedRunView, run, callback_url=url)
