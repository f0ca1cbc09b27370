"""JSON merge patch (RFC 7396) on the definition of a job: a schedule or target of another kind replaces the old one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from horae.domain.jobs.kinds import SCHEDULE_KINDS


def patch_definition(fields: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    kept = dict(fields)
    for name, kind in (("schedule", _schedule_kind), ("target", _target_kind)):
        if _is_other_kind(kept.get(name), patch.get(name), kind):
            del kept[name]
    merged: dict[str, Any] = _merge(kept, patch)
    return merged


def _merge(old: Any, patch: Any) -> Any:
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(old) if isinstance(old, Mapping) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = _merge(merged.get(name), value)
    return merged


def _is_other_kind(old: Any, new: Any, kind: Callable[[Mapping[str, Any]], str | None]) -> bool:
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return False
    before, now = kind(old), kind(new)
    return before is not None and now is not None and before != now


def _schedule_kind(schedule: Mapping[str, Any]) -> str | None:
    """The kind that a schedule names; a null key is being removed."""
    return next((kind for kind in SCHEDULE_KINDS if schedule.get(kind) is not None), None)


def _target_kind(target: Mapping[str, Any]) -> str | None:
    return target.get("kind")
