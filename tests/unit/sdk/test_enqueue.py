"""Enqueuing a task: the requests that are sent, and their results."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from horae.domain.errors import ConfigurationError, Conflict, InvalidInput, NotFound
from horae.domain.jobs.policy import Retry
from horae.domain.jobs.task import describe
from horae.sdk import connection, enqueue
from horae.sdk.drivers import at_once
from horae.sdk.enqueue import Options
from horae.sdk.runs import Run


def send(customer: int, day: date | None = None) -> None: ...


FUNCTION = describe(send, name="mail.send", queue="mail", timeout=60, retry=Retry(max_attempts=5))
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
JOB = {"name": "mail.send", "target": {"kind": "python", "function": "mail.send"}}


@pytest.fixture(autouse=True)
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("HORAE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("HORAE_TOKEN", "token")
    enqueue._known.clear()
    yield
    enqueue._known.clear()


class Script:
    """A submitter that has an answer ready for each thing it is asked, and writes down what that was."""

    address = "http://127.0.0.1:1"

    def __init__(self, *answers: Any) -> None:
        self._answers = iter(answers)
        self.asked: list[tuple[Any, ...]] = []

    async def job(self, name: str) -> Any:
        return self._next("job", name)

    async def create(self, definition: dict[str, Any]) -> Any:
        return self._next("create", definition)

    async def submit(self, name: str, runs: Sequence[dict[str, Any]], key: str | None, trace: str | None) -> Any:
        return self._next("submit", name, runs, key, trace)

    def _next(self, *asked: Any) -> Any:
        self.asked.append(asked)
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer


def play(to: Script, *batch: dict[str, Any], options: Options | None = None) -> list[Run]:
    return at_once(enqueue.enqueue(to, FUNCTION, batch or [{"customer": 7}], options or Options()))


def test_the_job_is_made_on_first_use_and_known_then():
    to = Script(NotFound(), JOB, [{"id": "1"}], [{"id": "2"}])
    assert [run.id for run in play(to)] == ["1"]
    assert [asked[0] for asked in to.asked] == ["job", "create", "submit"]
    made = to.asked[1][1]
    assert made["target"] == {"kind": "python", "function": "mail.send"}
    assert (made["schedule"], made["queue"], made["timeout"]) == ({"manual": True}, "mail", 60)
    assert made["retry"]["max_attempts"] == 5
    assert to.asked[2] == ("submit", "mail.send", [{"input": {"customer": 7}}], None, None)
    assert [run.id for run in play(to, {"customer": 8})] == ["2"]
    assert [asked[0] for asked in to.asked[3:]] == ["submit"]


def test_a_concurrent_creation_of_the_job_is_not_an_error():
    to = Script(NotFound(), Conflict(), JOB, [{"id": "1"}])
    assert [run.id for run in play(to)] == ["1"]
    assert len(to.asked) == 4


def test_a_deleted_job_is_created_again():
    to = Script(JOB, [{"id": "1"}], NotFound(), NotFound(), JOB, [{"id": "2"}])
    play(to)
    assert [run.id for run in play(to)] == ["2"]
    assert [asked[0] for asked in to.asked[2:]] == ["submit", "job", "create", "submit"]


def test_a_job_of_that_name_that_is_for_something_else():
    with pytest.raises(Conflict, match="is not for this function"):
        play(Script({"name": "mail.send", "target": {"kind": "http"}}))


def test_options_and_values_that_are_no_json():
    at = datetime(2026, 12, 1, 9, tzinfo=UTC)
    to = Script(JOB, [{}, {}])
    options = Options(run_at=at, priority=9, idempotency_key="order 7", traceparent=TRACE)
    play(to, {"customer": 7, "day": date(2026, 12, 1)}, {"customer": 8}, options=options)
    _, _, runs, key, trace = to.asked[1]
    assert runs[0] == {
        "input": {"customer": 7, "day": "2026-12-01"},
        "run_at": "2026-12-01T09:00:00+00:00",
        "priority": 9,
    }
    assert (len(runs), key, trace) == (2, "order 7", TRACE)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "arguments: mail.send: missing argument customer"),
        ({"customer": 7, "x": 1}, "arguments: mail.send: unknown argument x"),
        ({"customer": object()}, "arguments: mail.send: cannot be written as JSON"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_before_anything_is_sent(arguments: dict[str, Any], words: str):
    with pytest.raises(InvalidInput) as refused:
        play(Script(), arguments)
    assert str(refused.value).startswith(words)


@pytest.mark.parametrize("count", [0, 1_001])
def test_too_many_at_once(count: int):
    with pytest.raises(InvalidInput, match="between 1 and 1,000"):
        at_once(enqueue.enqueue(Script(), FUNCTION, [{"customer": 1}] * count, Options()))


class TestAddress:
    def test_the_address_comes_from_the_settings(self):
        assert connection.address() == ("http://127.0.0.1:1", "token")

    def test_the_address_comes_from_client_json(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
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
