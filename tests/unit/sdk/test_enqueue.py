"""Enqueuing a task, step by step: the requests that are made, and what they are made of."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from horae.domain.errors import ConfigurationError, Conflict, InvalidInput, NotFound
from horae.domain.policy import Retry
from horae.domain.task import describe
from horae.sdk import connection, enqueue
from horae.sdk.calls import Request
from horae.sdk.enqueue import Options


def send(customer: int, day: date | None = None) -> None: ...


FUNCTION = describe(send, name="mail.send", queue="mail", timeout=60, retry=Retry(max_attempts=5))
JOB = {"name": "mail.send", "target": {"kind": "python", "function": "mail.send"}}


@pytest.fixture(autouse=True)
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("HORAE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("HORAE_TOKEN", "token")
    enqueue._known.clear()
    yield
    enqueue._known.clear()


def play(steps: enqueue.Steps, *answers: Any) -> tuple[list[Request[Any]], Any]:
    """Answers one request after the other; the requests, and what comes out."""
    requests: list[Request[Any]] = []
    waiting = iter(answers)
    try:
        request = next(steps)
        while True:
            requests.append(request)
            answer = next(waiting)
            request = steps.throw(answer) if isinstance(answer, Exception) else steps.send(answer)
    except StopIteration as end:
        return requests, end.value


def test_the_job_is_made_on_first_use_and_known_then():
    requests, run = play(enqueue.one(FUNCTION, {"customer": 7}, Options()), NotFound(), JOB, {"id": "1"})
    assert run == {"id": "1"}
    assert [(one.method, one.path) for one in requests] == [
        ("GET", "jobs/mail.send"),
        ("POST", "jobs"),
        ("POST", "jobs/mail.send/run"),
    ]
    made = requests[1].json
    assert made["target"] == {"kind": "python", "function": "mail.send"}
    assert (made["schedule"], made["queue"], made["timeout"]) == ({"manual": True}, "mail", 60)
    assert made["retry"]["max_attempts"] == 5
    assert requests[2].json == {"input": {"customer": 7}}
    requests, _ = play(enqueue.one(FUNCTION, {"customer": 8}, Options()), {"id": "2"})
    assert [one.path for one in requests] == ["jobs/mail.send/run"]


def test_somebody_else_makes_the_job_first():
    requests, run = play(enqueue.one(FUNCTION, {"customer": 7}, Options()), NotFound(), Conflict(), JOB, {"id": "1"})
    assert run == {"id": "1"}
    assert len(requests) == 4


def test_somebody_deletes_the_job():
    play(enqueue.one(FUNCTION, {"customer": 7}, Options()), JOB, {"id": "1"})
    requests, run = play(enqueue.one(FUNCTION, {"customer": 7}, Options()), NotFound(), NotFound(), JOB, {"id": "2"})
    assert run == {"id": "2"}
    assert [one.method for one in requests] == ["POST", "GET", "POST", "POST"]


def test_a_job_of_that_name_that_is_for_something_else():
    other = {"name": "mail.send", "target": {"kind": "http"}}
    with pytest.raises(Conflict, match="is not for this function"):
        play(enqueue.one(FUNCTION, {"customer": 7}, Options()), other)


def test_options_and_values_that_are_no_json():
    at = datetime(2026, 12, 1, 9, tzinfo=UTC)
    options = Options(run_at=at, priority=9, idempotency_key="order 7")
    arguments: list[dict[str, Any]] = [{"customer": 7, "day": date(2026, 12, 1)}, {"customer": 8}]
    requests, _ = play(enqueue.many(FUNCTION, arguments, options), JOB, {"items": []})
    assert requests[1].path == "jobs/mail.send/runs:batch"
    assert requests[1].json["runs"][0] == {
        "input": {"customer": 7, "day": "2026-12-01"},
        "run_at": "2026-12-01T09:00:00+00:00",
        "priority": 9,
    }
    assert requests[1].headers == {"idempotency-key": "order 7"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "arguments: mail.send: missing argument customer"),
        ({"customer": 7, "x": 1}, "arguments: mail.send: unknown argument x"),
        ({"customer": object()}, "arguments: mail.send: cannot be told as JSON"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_before_anything_is_sent(arguments: dict[str, Any], words: str):
    with pytest.raises(InvalidInput) as refused:
        enqueue.one(FUNCTION, arguments, Options())
    assert str(refused.value).startswith(words)


@pytest.mark.parametrize("count", [0, 1_001])
def test_too_many_at_once(count: int):
    with pytest.raises(InvalidInput, match="between 1 and 1,000"):
        enqueue.many(FUNCTION, [{"customer": 1}] * count, Options())


class TestAddress:
    def test_is_told(self):
        assert connection.address() == ("http://127.0.0.1:1", "token")

    def test_is_left_by_up(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
        monkeypatch.delenv("HORAE_URL")
        monkeypatch.delenv("HORAE_TOKEN")
        monkeypatch.setenv("HORAE_DATA_DIR", str(tmp_path))
        with pytest.raises(ConfigurationError, match="set HORAE_URL and HORAE_TOKEN"):
            connection.address()
        (tmp_path / "client.json").write_text('{"url": "http://127.0.0.1:2", "token": "left"}')
        assert connection.address() == ("http://127.0.0.1:2", "left")

    def test_the_token_of_up_goes_nowhere_else(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
        monkeypatch.delenv("HORAE_TOKEN")
        monkeypatch.setenv("HORAE_DATA_DIR", str(tmp_path))
        (tmp_path / "client.json").write_text('{"url": "http://127.0.0.1:2", "token": "left"}')
        assert connection.address() == ("http://127.0.0.1:1", None)
