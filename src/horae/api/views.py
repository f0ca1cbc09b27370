"""Records as JSON: their fields are those of the views (schemas.py and others), filled in by name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any

import orjson
from fastapi import Response
from pydantic import BaseModel

from horae.accounts.departure import Left
from horae.api.schemas import JobView, RunView
from horae.api.schemas.accounts import MadeKeyView
from horae.api.schemas.processes import IsolationView, SchedulerView, ShardLeaseView, WorkerView
from horae.domain.cluster.process import SchedulerRecord, WorkerRecord
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.job_record import JobRecord
from horae.domain.jobs.standing import job_status, paused_at
from horae.domain.people.sight import EVERYTHING, Sight, seen
from horae.domain.runs.run_record import RunRecord

Json = dict[str, Any]
_shown = attrgetter(*RunView.model_fields)
# Microseconds only where there are any, `Z` for UTC; a time without a zone is taken as UTC.
_OPTIONS = orjson.OPT_UTC_Z | orjson.OPT_NAIVE_UTC


def reply(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(render(value), status, headers, media_type="application/json")


PAGE_BYTES = 8 << 20
"""Approximate size of a page in bytes; a page with longer items has fewer of them."""


def fitting(items: Sequence[Any], room: int = PAGE_BYTES, *, least: int = 1) -> int:
    """How many of these items fit on a page."""
    for count, item in enumerate(items):
        room -= len(render(item))
        if room < 0:
            return max(count, least)
    return len(items)


def render(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=_OPTIONS)
    except TypeError:
        # A script's result may contain integers of any size, or lone surrogates.
        return json.dumps(value, default=_plain).encode()


def _plain(value: Any) -> str:
    return instant(value) if isinstance(value, datetime) else str(value)


def instant(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def job_reply(job: JobRecord, now: datetime, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return reply(job_json(job, now), status, {"etag": f'"{job.version}"', **(headers or {})})


def shown(view: type[BaseModel], *records: object, **given: Any) -> Json:
    """A record as its view: field by field under the same name, from the first record that has it. `given` are the
    fields that no record has in the shown form."""
    return {field: given[field] if field in given else _taken(records, field) for field in view.model_fields}


def _taken(records: Sequence[object], field: str) -> Any:
    for record in records[:-1]:
        if hasattr(record, field):
            return getattr(record, field)
    return getattr(records[-1], field)


def job_json(job: JobRecord, now: datetime) -> Json:
    given = {
        **definition_json(job.spec),
        "unreadable": job.spec.fault,
        "status": job_status(job, now).value,
        "next_run_at": job.next_run_at if job.enabled else None,
        "paused": paused_at(job, now),
    }
    return {"id": job.id, **shown(JobView, job, **given)}


class _Same:
    """Wraps a definition to compare it by identity: its contents are not hashable."""

    __slots__ = ("spec",)

    def __init__(self, spec: JobSpec) -> None:
        self.spec = spec

    def __hash__(self) -> int:
        return id(self.spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.spec is other.spec


def definition_json(spec: JobSpec) -> Mapping[str, Any]:
    return _definition(_Same(spec))


@lru_cache(maxsize=1_000)  # the store returns the same object for the same definition, which never changes
def _definition(one: _Same) -> Mapping[str, Any]:
    """`60` rather than `60.0`, as it was written; arguments of a function stay as they are."""
    found = one.spec.to_json()
    return {name: value if name == "target" else whole(value) for name, value in found.items()}


def whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return {name: whole(inner) for name, inner in value.items()} if isinstance(value, dict) else value


def run_json(run: RunRecord) -> Json:
    return dict(zip(RunView.model_fields, _shown(run), strict=True))


def worker_json(worker: WorkerRecord, sight: Sight = EVERYTHING) -> Json:
    queues, other_queues = seen(worker.queues, sight.queues)
    projects, other_projects = seen(worker.projects, sight.projects)
    return shown(
        WorkerView,
        worker,
        worker.host,
        queues=queues,
        other_queues=other_queues,
        projects=projects,
        other_projects=other_projects,
        isolation=None if worker.isolation is None else shown(IsolationView, worker.isolation),
    )


def scheduler_json(scheduler: SchedulerRecord) -> Json:
    leases = [shown(ShardLeaseView, lease) for lease in scheduler.leases]
    return shown(SchedulerView, scheduler, scheduler.host, leases=leases)


def left_json(left: Left) -> Json:
    keys = [shown(MadeKeyView, made, made.key) for made in left.keys]
    return {"keys": keys, "invitations_withdrawn": left.invitations}


def listing(items: Iterable[Json], next_cursor: str | None = None) -> Json:
    return {"items": list(items), "next_cursor": next_cursor}
