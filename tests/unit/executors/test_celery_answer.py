"""What Celery's result backend says, as outcomes."""

import json

import pytest

from horae.domain.runs.outcome import SUCCEEDED
from horae.domain.runs.states import AttemptOutcome
from horae.executors.celery_answer import sighting_of
from horae.executors.failure import RESULT_LIMIT


@pytest.mark.parametrize("state", ["PENDING", "RECEIVED", "STARTED", "RETRY", "PROGRESS"])
def test_what_is_not_over_has_no_outcome(state: str) -> None:
    assert sighting_of({"status": state, "result": {"exc_type": "Retry"}}) == (state, None)


def test_a_result_is_kept_as_json() -> None:
    assert sighting_of({"status": "SUCCESS", "result": None}).outcome is SUCCEEDED
    outcome = sighting_of({"status": "SUCCESS", "result": {"rows": [1, 2]}}).outcome
    assert outcome is not None
    assert (outcome.kind, json.loads(outcome.result or "")) == (AttemptOutcome.SUCCEEDED, {"rows": [1, 2]})


@pytest.mark.parametrize("result", ["x" * RESULT_LIMIT, {1, 2}, object()])
def test_a_result_that_cannot_be_kept_is_left_out(result: object) -> None:
    outcome = sighting_of({"status": "SUCCESS", "result": result}).outcome
    assert outcome is not None
    assert outcome.kind is AttemptOutcome.SUCCEEDED
    assert "omitted" in json.loads(outcome.result or "")


def test_a_failure_has_type_message_and_traceback() -> None:
    result = {"exc_type": "KeyError", "exc_message": ["nope"], "exc_module": "builtins"}
    outcome = sighting_of({"status": "FAILURE", "result": result, "traceback": "Traceback …\n"}).outcome
    assert outcome is not None
    assert (outcome.kind, outcome.error, outcome.traceback) == (
        AttemptOutcome.FAILED,
        "KeyError: nope",
        "Traceback …\n",
    )
    assert not outcome.permanent


@pytest.mark.parametrize("kind", ["PermanentError", "NotRegistered"])
def test_some_failures_are_permanent(kind: str) -> None:
    outcome = sighting_of({"status": "FAILURE", "result": {"exc_type": kind, "exc_message": "no"}}).outcome
    assert outcome is not None
    assert outcome.permanent


@pytest.mark.parametrize("result", [None, 7, "text", [], {"exc_message": {"a": 1}}, ValueError("broken\x00")])
def test_every_failure_can_be_stored(result: object) -> None:
    outcome = sighting_of({"status": "FAILURE", "result": result, "traceback": 5}).outcome
    assert outcome is not None
    assert outcome.error
    assert "\x00" not in outcome.error


def test_a_revoked_task_is_not_tried_again_but_one_that_expired_is() -> None:
    revoked = sighting_of({"status": "REVOKED", "result": {"exc_type": "TaskRevokedError", "exc_message": ["revoked"]}})
    expired = sighting_of({"status": "REVOKED", "result": {"exc_type": "TaskRevokedError", "exc_message": ["expired"]}})
    assert revoked.outcome is not None
    assert expired.outcome is not None
    assert (revoked.outcome.kind, revoked.outcome.permanent) == (AttemptOutcome.FAILED, True)
    assert (expired.outcome.kind, expired.outcome.permanent) == (AttemptOutcome.TIMED_OUT, False)
