"""Requests: validated as by the API, with an id by which they are recognised."""

import json
from typing import Any

import pytest

from horae.domain.errors import HoraeError
from horae.intake.request import CreateOp, TriggerOp, parse_request
from horae.intake.source import IntakeMessage

JOB = {"name": "mail", "target": {"kind": "http", "url": "https://example.com/"}}


def parsed(value: Any, message_id: str | None = "7-0") -> TriggerOp | CreateOp:
    return parse_request(IntakeMessage(value if isinstance(value, bytes) else json.dumps(value).encode(), message_id))


def test_a_trigger():
    found = parsed({"op": "trigger", "job": "mail", "input": {"a": 1}, "priority": 9, "run_at": "2026-11-18T08:00:00Z"})
    assert isinstance(found, TriggerOp)
    assert (found.id, found.ref, found.body.input, found.body.priority) == ("7-0", "mail", {"a": 1}, 9)
    assert parsed({"job": "mail"}) == parsed({"op": "trigger", "job": "mail"})


def test_a_job():
    found = parsed({"op": "create", "job": JOB, "idempotency_key": "mine"}, None)
    assert isinstance(found, CreateOp)
    assert (found.id, found.body.name) == ("mine", "mail")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (b"{", "not valid JSON"),
        (b"", "not valid JSON"),
        (b"\xff", "not UTF-8"),
        ([], "must be a JSON object"),
        ({"op": "drop", "job": "mail"}, "op: must be one of trigger, create"),
        ({"op": []}, "op: must be one of"),
        ({}, "job: is missing"),
        ({"job": 7}, "job: must be a job's name or id"),
        ({"job": ""}, "job: must be a job's name or id"),
        ({"job": "x" * 201}, "no such job"),
        ({"job": "mail", "colour": 1}, "colour"),
        ({"job": "mail", "priority": 99}, "priority"),
        ({"job": "mail", "priority": "9"}, "priority"),
        ({"job": "mail", "idempotency_key": ""}, "idempotency_key"),
        ({"job": "mail", "idempotency_key": 7}, "idempotency_key"),
        ({"job": "mail", "idempotency_key": "é"}, "idempotency_key"),
        (b'{"job": "mail", "job": "other"}', "job: is given twice"),
        (b'{"job": "mail", "input": "\\u0000"}', "NUL"),
        ({"op": "create", "job": "mail"}, "must be the definition"),
        ({"op": "create", "job": JOB, "input": 1}, "belong into `job`"),
        ({"op": "create", "job": {"name": "mail"}}, "target"),
        (b'{"job": "mail", "input": "' + b"x" * (1 << 20) + b'"}', "larger than 1 MiB"),
    ],
)
def test_what_is_wrong_is_named(value: Any, words: str):
    with pytest.raises(HoraeError) as refused:
        parsed(value)
    assert words in str(refused.value)


def test_without_an_id_it_is_refused():
    with pytest.raises(HoraeError, match="message_id: is missing"):
        parsed({"job": "mail"}, None)
