"""Differences between two definitions, and between the occurrences of two schedules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from horae.domain.time.schedule import KINDS


@dataclass(frozen=True, slots=True)
class Change:
    """One changed field; None where it was added or removed."""

    path: str
    old: Any
    new: Any


def changes(old: BaseModel, new: BaseModel) -> list[Change]:
    """Field by field, in the usual order of a definition. A list is shown as a whole, and so is a schedule or a target
    of another kind: the fields that only one kind has say nothing."""
    found: list[Change] = []
    for name in (name for name in type(new).model_fields if name in type(old).model_fields):
        was, now = getattr(old, name), getattr(new, name)
        if isinstance(was, BaseModel) and isinstance(now, BaseModel) and type(was) is not type(now):
            found.append(Change(name, essence(was), essence(now)))
        else:
            found += _walk(name, _plain(was), _plain(now))
    unknown, kept = old.model_extra or {}, new.model_extra or {}
    for name in {**unknown, **kept}:
        found += _walk(name, unknown.get(name), kept.get(name))
    return found


def made(spec: BaseModel) -> list[Change]:
    """The fields of a new definition, without defaults."""
    found: list[Change] = []
    for name, field in type(spec).model_fields.items():
        value = getattr(spec, name)
        if value != field.get_default(call_default_factory=True):
            found.append(Change(name, None, essence(value) if isinstance(value, BaseModel) else _plain(value)))
    return found


def _walk(path: str, old: Any, new: Any) -> Iterator[Change]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in {**old, **new}:
            yield from _walk(f"{path}.{name}", old.get(name), new.get(name))
    elif old != new or isinstance(old, bool) != isinstance(new, bool):  # 1 is not true
        yield Change(path, old, new)


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return {**value.model_dump(mode="json"), **(value.model_extra or {})}
    return list(value) if isinstance(value, tuple) else value


def essence(model: BaseModel) -> dict[str, Any]:
    """Without fields that have their default, but always with the field that identifies the kind, which comes first."""
    kind = {"kind": model.kind} if hasattr(model, "kind") else {}
    fields = model.model_dump(mode="json", exclude_defaults=True)
    return {**kind, **{name: fields[name] for name in KINDS if name in fields}, **fields}


@dataclass(frozen=True, slots=True)
class Comparison:
    """The instants that only one of two schedules has, up to `until` (None: to the end of both)."""

    added: tuple[datetime, ...]
    removed: tuple[datetime, ...]
    until: datetime | None


def compare(new: Sequence[datetime], old: Sequence[datetime], count: int) -> Comparison:
    """Compares the next `count` instants of two schedules up to where both are known: a full list says nothing about
    what comes after its last item."""
    until = min((instants[-1] for instants in (new, old) if len(instants) >= count), default=None)
    known_new, known_old = ({at for at in instants if until is None or at <= until} for instants in (new, old))
    return Comparison(tuple(sorted(known_new - known_old)), tuple(sorted(known_old - known_new)), until)
