"""Definitions as stored text, which several versions of Horae share while an installation is being upgraded.

Input is strict: an unknown field is an error. Reading stored text is tolerant: a field that this version does not know
stays with its model (`model_extra`), has no effect, and is written back with it. Writing is conservative: a field that
the oldest running version does not know is left out while it has its default, because that version refuses unknown
fields.

So to add a field to a definition, give it a default that means "as before", and do nothing else. A field is new if it
is not listed in `FIRST_FIELDS` or `FIRST_PLAN` below. Never add a name there, not even for a new model. A new field of
`Plan` has the same name as its field of `JobSpec`, so that a version that does not know it can still pass it on from
one to the other (`plan_text` in domain/runs/firing.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from horae.domain.errors import Unreadable
from horae.domain.jobs.job import JobSpec
from horae.domain.targets.templates import STORED
from horae.domain.text.validation_text import readable

LARGEST_DEFINITION = 262_144  # bytes, as it is stored

FIRST_VERSION = "c6d5d55"
"""The commit whose fields these are: the oldest version that may share a database with this one. It is also the first,
so there is no tag yet. tests/faults/scenarios/versions.py runs it beside this tree."""

_TIMED = "timezone start_at end_at jitter blackouts max_runs dst_gap dst_fold"
FIRST_FIELDS: Mapping[str, frozenset[str]] = {
    model: frozenset(fields.split())
    for model, fields in {
        "AfterSchedule": "timezone start_at end_at jitter blackouts after",
        "ArtifactTarget": "kind uri digest entrypoint arguments env install image limits",
        "AtSchedule": f"{_TIMED} at",
        "BasicAuth": "username password",
        "BlackoutRange": "start end",
        "ContainerLimits": "memory cpus processes",
        "ContainerTarget": "kind image entrypoint command env cwd user mounts limits network pull reuse",
        "CronFields": "second minute hour day month day_of_week",
        "CronSchedule": f"{_TIMED} cron",
        "EverySchedule": f"{_TIMED} every",
        "HttpAuth": "bearer basic",
        "HttpCallback": "timeout",
        "HttpTarget": "kind method url headers query body auth expect follow_redirects sign_with callback",
        "Interval": "weeks days hours minutes seconds",
        "JobSpec": "name description tags target schedule retry timeout overlap max_instances catch_up "
        "catch_up_window queue priority start_within",
        "Limits": "memory cpu files processes",
        "ManualSchedule": "manual",
        "Mount": "source target read_only",
        "PythonTarget": "kind function arguments",
        "Retry": "max_attempts backoff delay max_delay jitter permanent_exit_codes",
        "Sandbox": "network read_only",
        "ScriptTarget": "kind interpreter source file args env cwd limits sandbox",
        "Upstream": "job on",
        "WeeklyWindow": "days start end",
    }.items()
}
_PLAN = "schedule catch_up catch_up_window overlap max_instances queue priority needs start_within"
FIRST_PLAN = frozenset(_PLAN.split())


def read_spec(text: str) -> JobSpec:
    """Raises Unreadable if this version cannot parse it."""
    try:
        return JobSpec.model_validate_json(text, extra="allow", context=STORED)
    except ValidationError as error:
        raise unreadable(error) from None
    except (ValueError, RecursionError):
        raise Unreadable("it is not valid JSON") from None


def unreadable(error: ValidationError) -> Unreadable:
    """Names the first invalid field, never its value."""
    found = error.errors(include_url=False, include_input=False)
    ((field, message), *_) = readable(found)
    if found[0]["type"] == "union_tag_invalid":
        message = "has a kind that this version does not know"
    return Unreadable(f"{field or 'it'} {message}")


def spec_fields(spec: JobSpec) -> dict[str, Any]:
    """What is stored of a definition."""
    return fields_of(spec, spec.to_json())


def too_large(spec: JobSpec) -> str | None:
    """Why a definition is too large to be saved, if it is. One that was saved before the rule is not affected."""
    size = len(json.dumps(spec_fields(spec), ensure_ascii=False, separators=(",", ":")).encode())
    if size <= LARGEST_DEFINITION:
        return None
    return f"makes a definition of {size:,} bytes; at most {LARGEST_DEFINITION:,} (256 KiB) are stored"


def fields_of(model: BaseModel, dumped: Mapping[str, Any]) -> dict[str, Any]:
    """The stored form of a model: what Pydantic dumps, plus the unknown fields that it ignores."""
    fields: dict[str, Any] = dict(model.model_extra or {})
    first = FIRST_FIELDS.get(type(model).__name__)
    for name, value in dumped.items():
        known, info = getattr(model, name), type(model).model_fields[name]
        if first is None or name in first or known != info.get_default(call_default_factory=True):
            fields[name] = _nested(known, value)
    return fields


def _nested(value: Any, dumped: Any) -> Any:
    if isinstance(value, BaseModel):
        return fields_of(value, dumped)
    if isinstance(value, tuple):
        return [_nested(*pair) for pair in zip(value, dumped, strict=True)]
    return dumped


def unknown_fields(model: BaseModel, path: str = "") -> Iterator[str]:
    """The fields that this version preserves without understanding them, such as `target.colour`."""
    yield from (f"{path}{name}" for name in model.model_extra or ())
    for name in type(model).model_fields:
        value = getattr(model, name)
        for place, inner in enumerate(value if isinstance(value, tuple) else (value,)):
            if isinstance(inner, BaseModel):
                where = f"{name}[{place}]" if isinstance(value, tuple) else name
                yield from unknown_fields(inner, f"{path}{where}.")
