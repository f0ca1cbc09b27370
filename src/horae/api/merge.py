"""Edits of a job: JSON merge patch (RFC 7396), and what happens to read-only fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from horae.api.body import validate
from horae.api.schemas import STATE, ListedJobView
from horae.domain.errors import InvalidInput
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.kinds import SCHEDULE_KINDS
from horae.domain.jobs.stored import read_spec, spec_fields, unknown_fields
from horae.lifecycle.find import unreadable_job

READ_ONLY = frozenset(ListedJobView.model_fields) - frozenset(JobSpec.model_fields) - STATE
_SCHEDULE_KINDS = frozenset(SCHEDULE_KINDS)


def without_read_only(given: dict[str, Any]) -> dict[str, Any]:
    """For PUT: what was read is sent back, changed here and there."""
    return {name: value for name, value in given.items() if name not in READ_ONLY}


def refuse_read_only(given: Mapping[str, Any]) -> None:
    """For PATCH: whoever names such a field means to change it."""
    for name in given:
        if name in READ_ONLY:
            raise InvalidInput(name, "is read-only")


def patched(spec: JobSpec, patch: Mapping[str, Any]) -> JobSpec:
    """What is stored and unknown to this version stays, unless the patch says null; what is given must be known."""
    if spec.fault:
        raise unreadable_job(spec.fault)
    new = validate(JobSpec, _patched(spec.to_json(), patch))
    if any(unknown_fields(spec)):
        return read_spec(json.dumps(_patched(spec_fields(spec), patch)))
    return new


def _patched(current: dict[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    changes = {name: value for name, value in patch.items() if name not in STATE}
    if "manual" in current["schedule"] and current["max_instances"] is None:
        # No limit was the default of what people start; what a schedule starts has another.
        del current["max_instances"]
    if _other_kind(current["schedule"], changes.get("schedule"), _schedule_kind):
        current["schedule"] = {}
    if _other_kind(current["target"], changes.get("target"), lambda target: target.get("kind")):
        current["target"] = {}
    merged: dict[str, Any] = _merged(current, changes)
    return merged


def _other_kind(old: dict[str, Any], new: Any, kind: Any) -> bool:
    return isinstance(new, dict) and kind(new) is not None and kind(new) != kind(old)


def _schedule_kind(schedule: dict[str, Any]) -> str | None:
    """What a schedule says it is now; keys set to null are being taken away."""
    return next((kind for kind in _SCHEDULE_KINDS if schedule.get(kind) is not None), None)


def _merged(old: Any, patch: Any) -> Any:
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(old) if isinstance(old, Mapping) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = _merged(merged.get(name), value)
    return merged
