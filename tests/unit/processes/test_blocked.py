"""A blocked event loop is logged once, with the function that blocks it."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs

from horae.clock import SystemClock
from horae.processes import blocked
from horae.processes.blocked import Watcher


class Clock(SystemClock):
    at = 100.0

    def monotonic(self) -> float:
        return self.at


@pytest.fixture(autouse=True)
def own_logger(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one of the module keeps the level that other tests of this process have given it."""
    monkeypatch.setattr(blocked, "log", structlog.wrap_logger(None, wrapper_class=structlog.BoundLogger))


@pytest.fixture
def held() -> Iterator[threading.Thread]:
    """A thread in which an executor calls a function that waits inside another one."""
    go, begun = threading.Event(), threading.Event()

    def helper() -> None:
        begun.set()
        go.wait(30)

    def users_function() -> None:
        helper()

    call: dict[str, Any] = {"__name__": blocked.EXECUTOR, "function": users_function}
    exec("def execute():\n    function()", call)  # noqa: S102 (a frame of that module)
    thread = threading.Thread(target=call["execute"])
    thread.start()
    begun.wait(10)
    yield thread
    go.set()
    thread.join()


def watcher(clock: Clock, thread: threading.Thread) -> Watcher:
    made = Watcher(clock)
    made._thread_id = thread.ident or 0
    return made


def pass_time(clock: Clock, watcher: Watcher, seconds: float) -> None:
    for _ in range(int(seconds / 0.5)):
        clock.at += 0.5
        watcher.look()


def test_names_the_function_once(held: threading.Thread):
    clock = Clock()
    it = watcher(clock, held)
    with capture_logs() as logs:
        pass_time(clock, it, 5)
        it.turned()
        pass_time(clock, it, 1)
    first, second = logs
    assert first["function"].endswith("users_function")
    assert "test_blocked.py:" in first["where"]
    assert first["where"].endswith("Event.wait") or ", in " in first["where"]
    assert (second["event"], second["blocked"]) == ("the event loop is running again", 5)


def test_each_block_is_logged_once(held: threading.Thread):
    clock = Clock()
    it = watcher(clock, held)
    with capture_logs() as logs:
        for _ in range(3):
            pass_time(clock, it, 4)
            it.turned()
    assert [entry["log_level"] for entry in logs] == ["warning", "info"] * 3


def test_a_worker_that_was_stopped_as_a_whole_is_not_blocked(held: threading.Thread):
    clock = Clock()
    it = watcher(clock, held)
    with capture_logs() as logs:
        clock.at += 600
        it.look()
        it.turned()
        pass_time(clock, it, 0.5)
    assert logs == []


def test_a_blocked_loop_without_a_function_is_unknown():
    clock = Clock()
    it = Watcher(clock)
    it._thread_id = threading.get_ident()
    with capture_logs() as logs:
        pass_time(clock, it, 2)
    assert logs[0]["function"] == "unknown"
