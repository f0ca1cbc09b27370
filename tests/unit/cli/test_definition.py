"""From options to a definition."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from horae.cli import definition
from horae.cli.definition import Http, Python, Script
from horae.cli.printing import ago, span, took
from horae.domain.errors import InvalidInput

NO_SCRIPT, NO_HTTP, NO_PYTHON = Script(None, None, None), Http(None, None, [], None), Python(None, [], None)


def test_each_target(tmp_path: Path):
    file = tmp_path / "job.sh"
    file.write_text("echo from a file\n")
    assert definition.target(Script("echo", None, None), NO_HTTP, NO_PYTHON) == {"kind": "script", "source": "echo"}
    assert definition.target(Script(None, file, "sh"), NO_HTTP, NO_PYTHON) == {
        "kind": "script",
        "source": "echo from a file\n",
        "interpreter": "sh",
    }
    http = Http("http://x.y/", "PUT", ["A: b", "C:d:e"], "body")
    assert definition.target(NO_SCRIPT, http, NO_PYTHON) == {
        "kind": "http",
        "url": "http://x.y/",
        "method": "PUT",
        "body": "body",
        "headers": {"A": "b", "C": "d:e"},
    }
    python = Python("send", ["n=7", "who=ann", "x={}"], '{"n": 1, "all": true}')
    assert definition.target(NO_SCRIPT, NO_HTTP, python) == {
        "kind": "python",
        "function": "send",
        "arguments": {"n": 7, "all": True, "who": "ann", "x": {}},
    }


@pytest.mark.parametrize(
    ("script", "http", "python", "message"),
    [
        (NO_SCRIPT, NO_HTTP, NO_PYTHON, "exactly one of --script"),
        (Script("a", None, None), Http("http://x", None, [], None), NO_PYTHON, "exactly one of --script"),
        (Script("a", None, None), Http(None, "GET", [], None), NO_PYTHON, "--method: goes with --http only"),
        (Script("a", None, None), NO_HTTP, Python(None, ["a=1"], None), "--arg: goes with --python only"),
        (Script(None, None, "sh"), Http("http://x", None, [], None), NO_PYTHON, "--interpreter: goes with"),
        (NO_SCRIPT, Http("http://x", None, ["oops"], None), NO_PYTHON, "--header: must be a name, ':'"),
        (NO_SCRIPT, NO_HTTP, Python("f", ["oops"], None), "--arg: must be a name, '='"),
        (NO_SCRIPT, NO_HTTP, Python("f", [], "[1]"), "--arguments: must be a JSON object"),
        (NO_SCRIPT, NO_HTTP, Python("f", [], "{"), "--arguments: must be JSON"),
        (Script(None, Path("/nothing/here"), None), NO_HTTP, NO_PYTHON, "--script-file: cannot read"),
    ],
)
def test_bad_targets(script: Script, http: Http, python: Python, message: str):
    with pytest.raises(InvalidInput) as refused:
        definition.target(script, http, python)
    assert message in str(refused.value)


def test_schedules():
    def schedule(**given: Any) -> Any:
        return definition.schedule(**{"cron": None, "timezone": None, "every": None, "at": None, **given})

    assert schedule() is None
    assert schedule(cron="* * * * *", timezone="UTC") == {"cron": "* * * * *", "timezone": "UTC"}
    assert schedule(every="5m") == {"every": "5m"}
    for bad in ({"cron": "x", "every": "y"}, {"every": "5m", "timezone": "UTC"}, {"timezone": "UTC"}):
        with pytest.raises(InvalidInput):
            schedule(**bad)


def test_durations_are_checked_here():
    assert definition.seconds("--timeout", "5m") == 300
    assert definition.seconds("--timeout", None) is None
    with pytest.raises(InvalidInput, match="--timeout: must be a duration"):
        definition.seconds("--timeout", "soon")


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        ({"cron": "0 9 * * *", "timezone": "Europe/Berlin"}, "0 9 * * * (Europe/Berlin)"),
        ({"cron": "0 9 * * *", "timezone": "UTC"}, "0 9 * * *"),
        ({"every": "5m"}, "every 5m"),
        ({"every": 90}, "every 90s"),
        ({"every": {"hours": 1, "minutes": 5}}, "every hours=1 minutes=5"),
        ({"cron": {"minute": "0", "hour": "*/2"}}, "minute=0 hour=*/2"),
        ({"at": "2026-01-01T00:00:00Z"}, "at 2026-01-01T00:00:00Z"),
        ({"manual": True}, "manual"),
        ({"after": {"job": "load", "on": "any"}}, "after load (any)"),
    ],
)
def test_schedules_in_a_cell(schedule: dict[str, Any], words: str):
    assert definition.schedule_words(schedule) == words


def test_times_in_a_cell():
    now = datetime(2026, 1, 1, tzinfo=UTC)

    def shown(seconds: float) -> str:
        return str(ago((now + timedelta(seconds=seconds)).isoformat(), now))

    assert [shown(s) for s in (-0.4, -65, 3_600, 90_000)] == ["now", "1m 5s ago", "in 1h", "in 1d 1h"]
    assert str(ago(None, now)) == "–"
    assert [span(s) for s in (0, 59, 3_601, 86_400)] == ["0s", "59s", "1h", "1d"]
    assert [took(ms) for ms in (None, 5, 1_500, 90_000)] == ["", "5 ms", "1.5 s", "1m 30s"]
