"""Schedules, versions and operations as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from horae.api.schemas.schedules import JobStatsView, OperationView, VersionView
from horae.api.views import definition_json, shown, whole
from horae.domain.explain.explanation import moment
from horae.domain.jobs.difference import Change, changes, compare
from horae.domain.jobs.job_record import JobRecord, VersionRecord
from horae.domain.jobs.standing import paused_at
from horae.domain.people.audit import written
from horae.domain.runs.operation import Operation
from horae.domain.runs.statistics import JobStats
from horae.domain.time.preview import Upcoming
from horae.domain.time.schedule import Schedule
from horae.domain.time.schedule_words import in_words

Json = dict[str, Any]
_DETAILS = ("start", "end", "parallelism", "version", "rate", "reason")


def preview_json(schedule: Schedule, upcoming: Sequence[Upcoming]) -> Json:
    return {"occurrences": [_upcoming_json(one) for one in upcoming], "words": in_words(schedule)}


def comparison_json(new: Sequence[Upcoming], schedule: Schedule, old: Sequence[Upcoming], count: int) -> Json:
    """The old schedule, and how the new occurrences differ from its own."""
    found = compare([one.at for one in new], [one.at for one in old], count)
    return {**preview_json(schedule, old), "added": found.added, "removed": found.removed, "until": found.until}


def next_json(job: JobRecord, upcoming: Sequence[Upcoming], now: datetime) -> Json:
    shown, note = preview_json(job.spec.schedule, upcoming), _standstill(job, now)
    if job.spec.fault:
        return {"occurrences": [], "words": "unknown", "note": f"the definition cannot be read: {job.spec.fault}"}
    return {**shown, "note": note} if note else shown


def _standstill(job: JobRecord, now: datetime) -> str | None:
    if not job.enabled:
        return "the job is disabled: none of these run until it is enabled"
    if not paused_at(job, now):
        return None
    until = "until it is resumed" if job.paused_until is None else f"before {moment(job.paused_until)}"
    return f"the job is paused: none of these run {until} (then catch_up decides: {job.spec.catch_up})"


def _upcoming_json(one: Upcoming) -> Json:
    shown: Json = {"at": one.at, "local": one.local.isoformat()}
    return {**shown, "note": one.note} if one.note else shown


def version_json(version: VersionRecord, before: VersionRecord | None, *, short: bool = False) -> Json:
    """In a list, long values of changes are cut, as in the audit trail."""
    found = [_change_json(one) for one in changes(before.spec, version.spec)] if before else []
    return shown(
        VersionView,
        version,
        definition=definition_json(version.spec),
        changes=written([Change(**one) for one in found]) if short else found,
    )


def _change_json(change: Change) -> Json:
    if change.path.split(".")[0] == "target":  # arguments of a function stay as they are
        return {"path": change.path, "old": change.old, "new": change.new}
    return {"path": change.path, "old": whole(change.old), "new": whole(change.new)}


def operation_json(operation: Operation) -> Json:
    details = {name: operation.details.get(name) for name in _DETAILS}
    return shown(OperationView, operation, **details | {name: _instant(details[name]) for name in ("start", "end")})


def _instant(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:  # a damaged row must not break the list
        return None


def stats_json(job_id: str, stats: JobStats) -> Json:
    recent = {"since": stats.since, **stats.recent, "skipped_by_reason": dict(stats.reasons)}
    given = {"job_id": job_id, "avg_duration_ms": stats.average_ms, "recent": recent}
    return shown(JobStatsView, stats, **stats.live, **stats.total, **given)
