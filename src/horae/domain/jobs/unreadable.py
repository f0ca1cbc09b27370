"""A placeholder for a stored definition that this version cannot read, so that loops over many jobs can continue.

It keeps the fields that can be read on their own. Its schedule never fires and nothing executes its target, and it is
never stored: verbs that need the definition refuse the job (`lifecycle/find.py`).
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter

from horae.domain.errors import Unreadable
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.stored import read_spec
from horae.domain.time.schedule import ManualSchedule

_SECRET = re.compile(r"secrets\s*\.\s*([A-Za-z_][A-Za-z0-9_]*)", re.ASCII)
_NO_LIMITS = ConfigDict(frozen=True)


class UnreadableTarget(BaseModel):
    """`secrets` are those that its text seems to name: they must be redacted, and must not be deleted."""

    model_config = _NO_LIMITS

    kind: str = "unreadable"
    secrets: frozenset[str] = frozenset()

    @property
    def needs(self) -> str:
        return self.kind


class UnreadableSpec(JobSpec):
    """`missing` are the fields that could not be read; they have their defaults."""

    reason: str
    missing: frozenset[str]

    @property
    def fault(self) -> str:
        return self.reason

    def to_json(self) -> dict[str, Any]:
        """As the API shows it: null for fields that have no default and cannot be read."""
        shown = self.model_dump(mode="json", include=JobSpec.model_fields.keys() - {"target", "schedule"})
        for name in ("target", "schedule"):
            shown[name] = None if name in self.missing else getattr(self, name).model_dump(mode="json")
        return {name: shown[name] for name in JobSpec.model_fields}


def read_any(text: str) -> JobSpec:
    """The definition, or its placeholder."""
    try:
        return read_spec(text)
    except Unreadable as error:
        return _stand_in(text, str(error))


def missing_spec(version: int) -> UnreadableSpec:
    """For a version whose row is gone."""
    return _stand_in("{}", f"version {version} of its job cannot be found")


def _stand_in(text: str, reason: str) -> UnreadableSpec:
    try:
        stored = json.loads(text)
    except (ValueError, RecursionError):
        stored = None
    found = {name: value for name, value in stored.items() if name in _kinds()} if isinstance(stored, dict) else {}
    fields: dict[str, Any] = {}
    for name, value in found.items():
        try:
            fields[name] = _kinds()[name].validate_json(json.dumps(value), extra="allow")
        except (ValueError, RecursionError):
            continue
    missing = frozenset(_kinds().keys() - fields.keys())
    fields.setdefault("name", "")
    fields.setdefault("schedule", ManualSchedule(manual=True))
    if "target" in missing:
        fields["target"] = UnreadableTarget(secrets=_secrets(text, found.get("target")))
    return UnreadableSpec.model_construct(reason=reason, missing=missing, **fields)


def _secrets(text: str, target: Any) -> frozenset[str]:
    signing = target.get("sign_with") if isinstance(target, dict) else None
    named = {name for name in signing if isinstance(name, str)} if isinstance(signing, list) else set()
    return frozenset(named | set(_SECRET.findall(text)))


@cache
def _kinds() -> dict[str, TypeAdapter[Any]]:
    """How each field of a definition is read on its own."""
    hints = get_type_hints(JobSpec, include_extras=True)
    return {name: TypeAdapter(hints[name]) for name in JobSpec.model_fields}
