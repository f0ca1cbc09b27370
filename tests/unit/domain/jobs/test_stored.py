"""Stored definitions: what an older version can still read, and what a newer one has written is not lost."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import typing
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, create_model

from horae.api.merge import patched
from horae.domain.errors import HoraeError, Unreadable
from horae.domain.jobs.difference import changes
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.policy import Retry
from horae.domain.jobs.stored import FIRST_FIELDS, FIRST_PLAN, read_spec, spec_fields, too_large, unknown_fields
from horae.domain.runs.firing import Plan, parse_plan, plan_text
from tests.first_version import unpack_first_version
from tests.unit.domain.jobs.test_job import FULL

_LIST = """
import dataclasses, json, typing
from pydantic import BaseModel
from horae.domain.firing import Plan
from horae.domain.job import JobSpec
found = {}
def walk(kind):
    if isinstance(kind, type) and issubclass(kind, BaseModel) and kind.__name__ not in found:
        found[kind.__name__] = sorted(kind.model_fields)
        for field in kind.model_fields.values():
            walk(field.annotation)
    for part in typing.get_args(kind):
        walk(part)
walk(JobSpec)
print(json.dumps([found, sorted(field.name for field in dataclasses.fields(Plan))]))
"""
_READ = """
import sys
from horae.domain.firing import parse_plan
from horae.domain.job import JobSpec
spec, plan = sys.stdin.read().splitlines()
JobSpec.model_validate_json(spec)
parse_plan(plan)
"""
NEWER: dict[str, Any] = {
    **FULL,
    "mercy": 5,
    "target": {**FULL["target"], "colour": {"hue": [1, None]}},
    "schedule": {**FULL["schedule"], "blackouts": [{"start": "22:00", "end": "23:00", "moon": True}]},
}


def test_the_list_of_fields_is_the_one_of_the_first_version(tmp_path: Path) -> None:
    fields, plan = json.loads(_first_version(tmp_path, _LIST))
    assert {model: sorted(names) for model, names in FIRST_FIELDS.items()} == fields
    assert sorted(FIRST_PLAN) == plan


def test_the_first_version_reads_what_this_one_stores(tmp_path: Path) -> None:
    spec = JobSpec.model_validate(FULL)
    _first_version(tmp_path, _READ, f"{json.dumps(spec_fields(spec))}\n{plan_text(spec)}")


def test_every_field_that_is_new_can_be_left_out() -> None:
    for model in _models(JobSpec):
        for name, info in model.model_fields.items():
            assert name in FIRST_FIELDS.get(model.__name__, model.model_fields) or not info.is_required(), (
                f"{model.__name__}.{name} needs a default: older versions store definitions without it"
            )
    for field in dataclasses.fields(Plan):
        assert field.name in FIRST_PLAN or (
            field.default is not dataclasses.MISSING and field.name in JobSpec.model_fields
        ), f"Plan.{field.name} needs a default, and the name of a field of JobSpec"


def test_a_new_field_is_stored_only_when_it_is_set() -> None:
    retry = create_model("Retry", __base__=Retry, ceiling=(int | None, None))
    job = create_model("JobSpec", __base__=JobSpec, mercy=(float | None, None), retry=(retry, retry()))
    unset, given = job(**FULL), job(**{**FULL, "mercy": 5.0, "retry": {"ceiling": 3}})
    assert spec_fields(unset) == spec_fields(JobSpec.model_validate(FULL))
    stored = spec_fields(given)
    assert (stored["mercy"], stored["retry"]["ceiling"]) == (5.0, 3)


def test_what_a_newer_version_wrote_is_kept() -> None:
    spec = read_spec(json.dumps(NEWER))
    stored = spec_fields(spec)
    assert list(unknown_fields(spec)) == ["mercy", "target.colour", "schedule.blackouts[0].moon"]
    assert (stored["mercy"], stored["target"]["colour"]) == (5, {"hue": [1, None]})
    assert stored["schedule"]["blackouts"][0]["moon"] is True
    assert read_spec(json.dumps(stored)) == spec
    assert "mercy" not in spec.to_json()  # what this version does not know it does not show as its own


def test_a_plan_passes_on_what_this_version_does_not_know() -> None:
    text = plan_text(read_spec(json.dumps(NEWER)))
    assert json.loads(text)["mercy"] == 5
    assert json.loads(text)["schedule"]["blackouts"][0]["moon"] is True
    assert parse_plan(text) == parse_plan(plan_text(JobSpec.model_validate({**FULL, "schedule": _known_schedule()})))


def test_an_edit_keeps_what_it_does_not_know_and_takes_away_what_is_said_to_go() -> None:
    spec = read_spec(json.dumps(NEWER))
    edited = patched(spec, {"timeout": 7, "target": {"method": "PUT"}})
    assert (edited.timeout, list(unknown_fields(edited))) == (7, list(unknown_fields(spec)))
    assert {change.path for change in changes(spec, edited)} == {"timeout", "target.method"}
    without = patched(spec, {"mercy": None})
    assert [(change.path, change.old, change.new) for change in changes(spec, without)] == [("mercy", 5, None)]


@pytest.mark.parametrize("patch", [{"mercy": 6}, {"moon": 1}, {"target": {"colour": "red"}}])
def test_people_may_give_known_fields_only(patch: dict[str, Any]) -> None:
    with pytest.raises(HoraeError, match="is not a known field"):
        patched(read_spec(json.dumps(NEWER)), patch)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"target": {"kind": "carrier-pigeon"}}, "target has a kind that this version does not know"),
        ({"schedule": {"cron": "0 2 * * *", "timezone": "Mars/Olympus"}}, "schedule.timezone"),
        ({"overlap": "sometimes"}, "overlap should be"),
    ],
)
def test_what_cannot_be_read_says_which_field_is_at_fault(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_spec(json.dumps({**FULL, **change}))


@pytest.mark.parametrize("text", ["", "{", "null", "[]", '{"name": 1}', "[" * 100_000])
def test_damage_is_unreadable_and_nothing_else(text: str) -> None:
    for read in (read_spec, parse_plan):
        with pytest.raises(Unreadable):
            read(text)


def _known_schedule() -> dict[str, Any]:
    return {**FULL["schedule"], "blackouts": [{"start": "22:00", "end": "23:00"}]}


def _models(kind: Any, known: set[type[BaseModel]] | None = None) -> set[type[BaseModel]]:
    known = set() if known is None else known
    if isinstance(kind, type) and issubclass(kind, BaseModel) and kind not in known:
        known.add(kind)
        for field in kind.model_fields.values():
            _models(field.annotation, known)
    for part in typing.get_args(kind):
        _models(part, known)
    return known


def _first_version(folder: Path, code: str, given: str = "") -> str:
    env = {"PYTHONPATH": str(unpack_first_version(folder))}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, input=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_definition_has_a_largest_size_when_it_is_saved_and_none_when_it_is_read():
    target = {"kind": "script", "source": "x" * 262_144}
    spec = read_spec(json.dumps({"name": "large", "target": target}))
    assert spec_fields(spec)["target"]["source"] == target["source"]
    assert "at most 262,144 (256 KiB) are stored" in (too_large(spec) or "")
    assert too_large(JobSpec.model_validate({"name": "less", "target": {**target, "source": "x" * 261_000}})) is None
