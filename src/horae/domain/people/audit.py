"""Entries of the audit trail, as written and as read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from horae.domain.jobs.difference import Change

LONGEST = 4_000  # characters of a value; versions hold what is longer in full
MOST = 200  # fields of one entry


@dataclass(slots=True)
class Origin:
    """Where a request came from. `repeated`: an earlier try of the same request may have taken effect, which can be
    decided only after authentication."""

    address: str | None = None
    request_id: str | None = None
    repeated: bool = False


class Deed(NamedTuple):
    """An entry as observers get it: who did what to which object. Changes are only for those who may read the trail."""

    action: str
    actor: str
    project_id: str | None
    id: str | None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which entries a list shows; None leaves a field open. `subject` is an id or a name."""

    actor: str | None = None
    action: str | None = None
    kind: str | None = None
    subject: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """`action` is `KIND.VERB`, as in `job.edit`; `project_id` None is the installation."""

    id: str
    project_id: str | None
    at: datetime
    actor: str
    action: str
    subject_kind: str
    subject_id: str | None
    subject_name: str | None
    changes: list[dict[str, Any]]
    address: str | None
    request_id: str | None


def written(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Changes as stored: very long values are cut, and marked as such."""
    rows = [{"path": one.path, "old": _cut(one.old), "new": _cut(one.new)} for one in changes[:MOST]]
    if len(changes) > MOST:
        rows.append({"path": "…", "old": None, "new": f"and {len(changes) - MOST} more"})
    return rows


def differing(old: dict[str, Any], new: dict[str, Any]) -> list[Change]:
    """Field by field, for objects of plain values."""
    return [Change(name, old.get(name), new.get(name)) for name in {**old, **new} if old.get(name) != new.get(name)]


def _cut(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return value if len(text) <= LONGEST else f"{text[:200]}… ({len(text)} characters)"
