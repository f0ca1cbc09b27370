"""Outcomes without secrets: results stay valid JSON, and what was cut does not end or begin with a part of one."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.domain.secrets.outcome_redaction import redact_json, redact_outcome
from horae.domain.secrets.redaction import Redactor

KNOWN = Redactor({"A": 'pass"w\\rd/é\n1', "N": "31415926", "P": "password"})


def redacted(**fields: Any) -> Outcome:
    return redact_outcome(Outcome(AttemptOutcome.FAILED, **fields), KNOWN)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("the password is", "the [secret P] is"),
        ({"password": ["password", {"a": "password"}]}, {"[secret P]": ["[secret P]", {"a": "[secret P]"}]}),
        ('pass"w\\rd/é\n1', "[secret A]"),
        ({"a": 31415926, "b": -31415926.5, "c": 12}, {"a": "[secret N]", "b": "-[secret N].5", "c": 12}),
        ([None, True, 1.5], [None, True, 1.5]),
    ],
)
def test_results_stay_valid_json(value: Any, shown: Any):
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False), json.dumps(value).replace("/", "\\/")):
        outcome = redacted(result=text)
        assert outcome.result is not None
        assert json.loads(outcome.result) == shown


def test_escapes_do_not_hide_a_secret():
    escaped = "".join(f"\\u{ord(character):04x}" for character in "password")
    assert redact_json(f'["{escaped}"]', KNOWN) == '["[secret P]"]'


def test_a_field_that_is_given_twice_does_not_hide_a_secret():
    assert redact_json('{"a": "password", "a": 1}', KNOWN) == '{"a":1}'


def test_text_without_secrets_stays_as_it_was_written():
    text = '{ "a" : 1.50, "b": [1e3, "\\u00e9"] }'
    assert redact_json(text, KNOWN) == text


@pytest.mark.parametrize("text", ["[" * 100_000, "not JSON: password", f"[{'1' * 5_000}]"])
def test_what_cannot_be_searched_is_withheld(text: str):
    assert "withheld" in json.loads(redact_json(text, KNOWN))
    assert redact_json(text, Redactor({})) == text  # where there are none to search for


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8), st.sampled_from(["password", 31415926])),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)),
    max_leaves=10,
)


@settings(max_examples=200, deadline=None)
@given(json_values)
def test_any_json_stays_json_and_has_no_secret(value: Any):
    shown = json.dumps(json.loads(redact_json(json.dumps(value), KNOWN)))
    assert "password" not in shown
    assert "31415926" not in shown


def test_errors_and_tracebacks():
    outcome = redacted(error="it said password", traceback="Traceback\npassword\n", exit_code=3)
    assert (outcome.error, outcome.traceback) == ("it said [secret P]", "Traceback\n[secret P]\n")
    assert outcome.exit_code == 3
    assert redacted() == Outcome(AttemptOutcome.FAILED)


def test_what_was_cut_does_not_show_a_part_of_a_secret():
    assert redacted(error="x passw…").error == "x [secret P]…"
    assert redacted(error="my pass").error == "my pass"  # short, and so not cut
    body = json.dumps({"body": "x" * 2_000 + "passwo"})
    assert redacted(result=body).result == json.dumps({"body": "x" * 2_000 + "[secret P]"}, separators=(",", ":"))
    assert redacted(traceback="[…]\nssword\nthe rest\n").traceback == "[…]\nthe rest\n"
