"""A line per run, and no more of them than a second may have."""

import pytest
from structlog.testing import capture_logs

from horae.domain.runs.ending import Ended
from horae.domain.runs.events import RunsEnded
from horae.domain.runs.states import RunStatus
from horae.watch.run_log import RunLog


def ends(count: int) -> RunsEnded:
    return RunsEnded([Ended(f"run-{n}", "job", 1, "project", RunStatus.SUCCEEDED, duration_ms=5) for n in range(count)])


@pytest.fixture
def clock() -> list[float]:
    return [100.0]


def test_each_run_has_its_line(clock: list[float]) -> None:
    with capture_logs() as lines:
        RunLog(10, lambda: clock[0])(ends(1))
    (line,) = lines
    assert line == {
        "event": "run ended",
        "log_level": "info",
        "run": "run-0",
        "job": "job",
        "project": "project",
        "status": "succeeded",
        "duration_ms": 5,
    }


def test_a_busy_second_is_summed_up(clock: list[float]) -> None:
    observe = RunLog(10, lambda: clock[0])
    with capture_logs() as lines:
        observe(ends(7))
        observe(ends(1_000))
        observe(ends(1))
        clock[0] += 1
        observe(ends(2))
    assert [line["event"] for line in lines] == ["run ended"] * 10 + ["runs not logged"] + ["run ended"] * 2
    assert lines[10]["count"] == 998
