"""Definitions of jobs, and what is said about wrong ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from horae.domain.jobs.job import JobSpec
from horae.domain.targets import HttpTarget, PythonTarget, ScriptTarget
from tests.unit.domain.refused import refused

SCRIPT = {"kind": "script", "source": "echo hello"}
HTTP = {"kind": "http", "url": "https://example.org/hook"}
PYTHON = {"kind": "python", "function": "reports.send"}
JOB = {"name": "hello", "target": SCRIPT}

FULL: dict[str, Any] = {
    "name": "nightly-report",
    "description": "Sends the report.\nEvery night.",
    "tags": ["finance", "nightly"],
    "target": {**HTTP, "method": "POST", "headers": {"X-A": "b"}, "query": {"q": "ü"}, "body": "{}"},
    "schedule": {"cron": "0 2 * * *", "timezone": "Europe/Berlin"},
    "retry": {"max_attempts": 3, "backoff": "exponential", "delay": 60},
    "timeout": 300,
    "overlap": "skip",
    "max_instances": 1,
    "catch_up": "last",
    "catch_up_window": 86_400,
    "queue": "default",
    "priority": 5,
    "start_within": None,
    "grace": None,
}


@pytest.mark.parametrize(
    "form",
    [
        JOB,
        FULL,
        {**JOB, "target": {**SCRIPT, "args": ["a", "b"], "env": {"A": "b"}, "cwd": "/tmp", "interpreter": "/bin/dash"}},
        {**JOB, "target": {**PYTHON, "arguments": {"customer_id": 7, "deep": [{"a": None}]}}},
        {**JOB, "schedule": {"every": 5}, "overlap": "allow"},
    ],
)
def test_definitions_survive_being_stored(form):
    """As JSON that was parsed elsewhere (lists, not tuples) and as JSON text."""
    spec = JobSpec.model_validate(form)
    stored = spec.to_json()
    assert JobSpec.model_validate(stored) == spec
    assert JobSpec.model_validate(json.loads(json.dumps(stored))) == spec
    assert JobSpec.model_validate_json(json.dumps(form)) == spec


def test_targets_tell_what_they_need():
    assert JobSpec.model_validate({**JOB, "target": HTTP}).target == HttpTarget(url=HTTP["url"])
    assert HttpTarget(url="http://x.org").needs == "http"
    assert ScriptTarget(source="true").needs == "script"
    assert PythonTarget(function="reports.send").needs == "python:reports.send"


@pytest.mark.parametrize(
    ("changes", "limit", "gate"),
    [
        ({}, None, None),
        ({"schedule": {"manual": True}}, None, None),
        ({"schedule": {"every": 5}}, 1, 1),
        ({"schedule": {"after": {"job": "load"}}}, 1, 1),
        ({"schedule": {"every": 5}, "max_instances": None}, None, None),
        ({"schedule": {"every": 5}, "max_instances": 7}, 7, 7),
        ({"schedule": {"every": 5}, "overlap": "allow"}, None, None),
        ({"schedule": {"every": 5}, "overlap": "allow", "max_instances": 2}, 2, None),
        ({"schedule": {"manual": True}, "max_instances": 2}, 2, 2),
    ],
)
def test_limits(changes, limit, gate):
    spec = JobSpec.model_validate({**JOB, **changes})
    assert (spec.max_instances, spec.gate_limit) == (limit, gate)
    assert JobSpec.model_validate(spec.to_json()) == spec


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": " "}, "name"),
        ({"name": "a "}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "x" * 1_000_000}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": "a\x00"}, "name"),
        ({"name": "\ud800"}, "name"),
        ({"name": 5}, "name"),
        ({"name": None}, "name"),
        ({"name": ["a"]}, "name"),
        ({"description": "\x00"}, "description"),
        ({"description": "x" * 10_001}, "description"),
        ({"description": None}, "description"),
        ({"tags": "finance"}, "tags"),
        ({"tags": [""]}, "tags.0"),
        ({"tags": ["a", 5]}, "tags.1"),
        ({"tags": ["x" * 101]}, "tags.0"),
        ({"tags": ["a"] * 51}, "tags"),
        ({"tags": {"a": 1}}, "tags"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": 0.5}, "timeout"),
        ({"timeout": -1}, "timeout"),
        ({"timeout": 604_801}, "timeout"),
        ({"timeout": NAN}, "timeout"),
        ({"timeout": INF}, "timeout"),
        ({"timeout": True}, "timeout"),
        ({"timeout": "soon"}, "timeout"),
        ({"timeout": None}, "timeout"),
        ({"timeout": 10**400}, "timeout"),
        ({"overlap": "never"}, "overlap"),
        ({"max_instances": 0}, "max_instances"),
        ({"max_instances": 10_001}, "max_instances"),
        ({"max_instances": True}, "max_instances"),
        ({"max_instances": 1.5}, "max_instances"),
        ({"max_instances": "1"}, "max_instances"),
        ({"catch_up": "some"}, "catch_up"),
        ({"catch_up_window": -1}, "catch_up_window"),
        ({"catch_up_window": 315_360_001}, "catch_up_window"),
        ({"catch_up_window": True}, "catch_up_window"),
        ({"catch_up_window": 1e400}, "catch_up_window"),
        ({"queue": ""}, "queue"),
        ({"queue": "x" * 101}, "queue"),
        ({"queue": "a\tb"}, "queue"),
        ({"queue": 1}, "queue"),
        ({"priority": -1}, "priority"),
        ({"priority": 10}, "priority"),
        ({"priority": True}, "priority"),
        ({"priority": "5"}, "priority"),
        ({"priority": 5.5}, "priority"),
        ({"start_within": 0}, "start_within"),
        ({"grace": -1}, "grace"),
        ({"grace": 601}, "grace"),
        ({"grace": "11m"}, "grace"),
        ({"start_within": NAN}, "start_within"),
        ({"start_within": True}, "start_within"),
        ({"retry": {"max_attempts": 0}}, "retry.max_attempts"),
        ({"retry": None}, "retry"),
        ({"retry": 3}, "retry"),
        ({"schedule": {"cron": "61 * * * *"}}, "schedule.cron"),
        ({"schedule": {}}, "schedule"),
        ({"schedule": {"every": 5, "cron": "* * * * *"}}, "schedule"),
        ({"schedule": {"every": 60, "jitter": 60}}, "schedule.jitter"),
        ({"schedule": "hourly"}, "schedule"),
        ({"owner": "me"}, "owner"),
        ({"target": None}, "target"),
        ({"target": {}}, "target"),
        ({"target": {"kind": "ftp"}}, "target"),
        ({"target": {"source": "x"}}, "target"),
        ({"target": {"kind": "script"}}, "target.script.source"),
        ({"target": {**SCRIPT, "file": "/x"}}, "target.script.file"),
        ({"target": {**SCRIPT, "source": "\x00"}}, "target.script.source"),
        ({"target": {**SCRIPT, "interpreter": "perl"}}, "target.script.interpreter"),
        ({"target": {**SCRIPT, "interpreter": "../bash"}}, "target.script.interpreter"),
        ({"target": {**SCRIPT, "interpreter": ""}}, "target.script.interpreter"),
        ({"target": {**SCRIPT, "args": "a b"}}, "target.script.args"),
        ({"target": {**SCRIPT, "args": [1]}}, "target.script.args.0"),
        ({"target": {**SCRIPT, "env": {"A=B": "c"}}}, "target.script.env.A=B.[key]"),
        ({"target": {**SCRIPT, "env": {"A\n": "c"}}}, "target.script.env.A\n.[key]"),
        ({"target": {**SCRIPT, "env": {"A": 1}}}, "target.script.env.A"),
        ({"target": {**SCRIPT, "env": {"A": "\x00"}}}, "target.script.env.A"),
        ({"target": {**SCRIPT, "shell": True}}, "target.script.shell"),
        ({"target": {"kind": "script", "file": ""}}, "target.script.file"),
        ({"target": {"kind": "http"}}, "target.http.url"),
        ({"target": {**HTTP, "url": "ftp://x"}}, "target.http.url"),
        ({"target": {**HTTP, "url": "http://x.org/" + "a" * 8_000}}, "target.http.url"),
        ({"target": {**HTTP, "method": "TRACE"}}, "target.http.method"),
        ({"target": {**HTTP, "method": "get"}}, "target.http.method"),
        ({"target": {**HTTP, "headers": {"a\n": "b"}}}, "target.http.headers.a\n.[key]"),
        ({"target": {**HTTP, "headers": {"Host": "b"}}}, "target.http.headers.Host.[key]"),
        ({"target": {**HTTP, "headers": {"a": "b\r\nc: d"}}}, "target.http.headers.a"),
        ({"target": {**HTTP, "headers": {"a": "x" * 8_193}}}, "target.http.headers.a"),
        ({"target": {**HTTP, "headers": {"a": 1}}}, "target.http.headers.a"),
        ({"target": {**HTTP, "headers": {f"a{n}": "b" for n in range(101)}}}, "target.http.headers"),
        ({"target": {**HTTP, "headers": []}}, "target.http.headers"),
        ({"target": {**HTTP, "query": {"a": "\x00"}}}, "target.http.query.a"),
        ({"target": {**HTTP, "body": "\ud800"}}, "target.http.body"),
        ({"target": {**HTTP, "body": {"a": 1}}}, "target.http.body"),
        ({"target": {"kind": "python"}}, "target.python.function"),
        ({"target": {**PYTHON, "function": "os.system()"}}, "target.python.function"),
        ({"target": {**PYTHON, "function": "1a"}}, "target.python.function"),
        ({"target": {**PYTHON, "function": "a\n"}}, "target.python.function"),
        ({"target": {**PYTHON, "function": "ａ"}}, "target.python.function"),
        ({"target": {**PYTHON, "arguments": []}}, "target.python.arguments"),
        ({"target": {**PYTHON, "arguments": {"a": NAN}}}, "target.python.arguments"),
        ({"target": {**PYTHON, "arguments": {"a": "\x00"}}}, "target.python.arguments"),
        ({"target": {**PYTHON, "arguments": {"a": 10**30}}}, "target.python.arguments"),
    ],
)
def test_refused(changes, field):
    assert refused(JobSpec, {**JOB, **changes})[0] == field


@pytest.mark.parametrize("form", [None, [], "x", 5, True])
def test_definitions_must_be_objects(form):
    assert refused(JobSpec, form)[0] == ""


def test_definitions_have_a_schema():
    """The interface is generated from it."""
    schema = JobSpec.model_json_schema()
    assert schema["$defs"]["AtSchedule"]["properties"]["at"] == {"format": "date-time", "title": "At", "type": "string"}
    assert len(schema["properties"]["schedule"]["oneOf"]) == 5
