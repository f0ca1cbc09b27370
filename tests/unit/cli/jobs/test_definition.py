"""From options to a definition."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from horae.cli.jobs import definition
from horae.cli.jobs.definition import Http, Python, Script
from horae.cli.jobs.words import schedule_words
from horae.cli.terminal.printing import ago, details, span, table, took
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
    assert definition.target(NO_SCRIPT, Http("http://x.y/", None, [], None), NO_PYTHON)["method"] == "GET"
    assert definition.target(NO_SCRIPT, Http("http://x.y/", None, [], "{}"), NO_PYTHON)["method"] == "POST"
    python = Python("send", ["n=7", "who=ann", "x={}"], '{"n": 1, "all": true}')
    assert definition.target(NO_SCRIPT, NO_HTTP, python) == {
        "kind": "python",
        "function": "send",
        "arguments": {"n": 7, "all": True, "who": "ann", "x": {}},
    }
    celery = Python(None, ["n=7"], None, ["n"], "shop.send")
    expected = {"kind": "celery", "task": "shop.send", "kwargs": {"n": 7}, "locked": ["n"]}
    assert definition.target(NO_SCRIPT, NO_HTTP, celery) == expected


@pytest.mark.parametrize(
    ("script", "http", "python", "message"),
    [
        (NO_SCRIPT, NO_HTTP, NO_PYTHON, "exactly one of --script"),
        (Script("a", None, None), Http("http://x", None, [], None), NO_PYTHON, "exactly one of --script"),
        (Script("a", None, None), Http(None, "GET", [], None), NO_PYTHON, "--method: goes with --http only"),
        (Script("a", None, None), NO_HTTP, Python(None, ["a=1"], None), "--arg: goes with --python or --celery only"),
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


def split(**options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of a schedule as the commands hand them on."""
    kinds: dict[str, Any] = {}
    for name in ("cron", "every", "at", "after", "manual"):
        if name in options:
            kinds[name] = options.pop(name)
    return kinds, options


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, None),
        ({"cron": "* * * * *", "timezone": "UTC"}, {"cron": "* * * * *", "timezone": "UTC"}),
        ({"every": "5m"}, {"every": "5m"}),
        ({"every": "5m", "jitter": ("--jitter", "1m30s")}, {"every": "5m", "jitter": 90}),
        ({"manual": True}, {"manual": True}),
        ({"after": {"job": "load", "on": None}}, {"after": {"job": "load"}}),
        ({"after": {"job": "load", "on": "any"}}, {"after": {"job": "load", "on": "any"}}),
        (
            {"cron": "@daily", "blackouts": ['{"start": "22:00", "end": "06:00"}'], "dst_gap": "skip"},
            {"cron": "@daily", "blackouts": [{"start": "22:00", "end": "06:00"}], "dst_gap": "skip"},
        ),
    ],
)
def test_schedules(options: dict[str, Any], expected: dict[str, Any] | None):
    assert definition.schedule(*split(**options)) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cron": "x", "every": "y"}, "at most one of --cron, --every, --at, --after, --manual"),
        ({"cron": "x", "manual": True}, "at most one of"),
        ({"cron": "x", "after": {"job": "y", "on": None}}, "at most one of"),
        ({"after": {"job": None, "on": "any"}}, "--on: goes with --after only"),
        ({"timezone": "UTC"}, "--timezone: goes with --cron, --every or --at only"),
        ({"manual": True, "max_runs": 1}, "--max-runs: goes with"),
        ({"after": {"job": "y", "on": None}, "start_at": "x"}, "--start-at: goes with"),
        ({"blackouts": ['{"start": "22:00"}']}, "--blackout: goes with"),
        ({"cron": "x", "blackouts": ["sunday"]}, "--blackout: must be JSON"),
        ({"cron": "x", "jitter": ("--jitter", "soon")}, "--jitter: must be a duration"),
    ],
)
def test_bad_schedules(options: dict[str, Any], message: str):
    with pytest.raises(InvalidInput) as refused:
        definition.schedule(*split(**options))
    assert message in str(refused.value)


def test_an_edit_may_name_a_part_only():
    nothing: dict[str, Any] = {}

    def changes(script: Script = NO_SCRIPT, http: Http = NO_HTTP, **options: Any) -> dict[str, Any]:
        return definition.Definition(script, http, NO_PYTHON, None, *split(**options), nothing, nothing).changes()

    assert changes() == {}
    assert changes(timezone="UTC") == {"schedule": {"timezone": "UTC"}}
    assert changes(after={"job": None, "on": "any"}) == {"schedule": {"after": {"on": "any"}}}
    assert changes(http=Http(None, "GET", [], None)) == {"target": {"method": "GET"}}
    new = {"kind": "script", "source": "true", "file": None}  # regardless of the file
    assert changes(script=Script("true", None, None)) == {"target": new}


@pytest.mark.parametrize(
    ("old", "changes", "new"),
    [
        ({"cron": "a", "timezone": "Z", "end_at": None}, {"cron": "b"}, {"cron": "b", "timezone": "Z"}),
        ({"cron": {"hour": "9"}, "timezone": "Z"}, {"cron": "b"}, {"cron": "b", "timezone": "Z"}),
        ({"cron": "a", "timezone": "Z"}, {"every": "5m"}, {"every": "5m"}),
        ({"cron": "a", "jitter": 5}, {"jitter": None}, {"cron": "a"}),
        ({"every": {"hours": 1}}, {"every": "5m"}, {"every": "5m"}),
        ({"after": {"job": "x", "on": "any"}}, {"after": {"job": "y"}}, {"after": {"job": "y", "on": "any"}}),
        ({"manual": True}, {"after": {"job": "y"}}, {"after": {"job": "y"}}),
        ({"cron": "a"}, None, {"manual": True}),
    ],
)
def test_a_schedule_after_an_edit(old: dict[str, Any], changes: dict[str, Any] | None, new: dict[str, Any]):
    assert definition.merged(old, changes) == new


def test_fields_go_back_to_their_defaults():
    found = definition.unset({"schedule": {"cron": "a"}}, ["schedule.end_at", "description", "retry.delay"])
    assert found == {"schedule": {"cron": "a", "end_at": None}, "description": None, "retry": {"delay": None}}
    for changes, path in (({"priority": 5}, "priority"), ({"tags": ["a"]}, "tags.a"), ({}, ""), ({}, "retry.")):
        with pytest.raises(InvalidInput, match="--unset"):
            definition.unset(changes, [path])


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
    assert schedule_words(schedule) == words


def test_times_in_a_cell():
    now = datetime(2026, 1, 1, tzinfo=UTC)

    def shown(seconds: float) -> str:
        return str(ago((now + timedelta(seconds=seconds)).isoformat(), now))

    assert [shown(s) for s in (-0.4, -65, 3_600, 90_000)] == ["now", "1m 5s ago", "in 1h", "in 1d 1h"]
    assert str(ago(None, now)) == "–"
    assert [span(s) for s in (0, 59, 3_601, 86_400)] == ["0s", "59s", "1h", "1d"]
    assert [took(ms) for ms in (None, 5, 1_500, 90_000)] == ["", "5 ms", "1.5 s", "1m 30s"]


def test_no_blanks_behind_what_is_printed(capsys: pytest.CaptureFixture[str]):
    details([("name", "a"), ("much longer", "x" * 300), ("text", "one\n\ntwo  \nthree"), ("none", None), ("retry", {})])
    table(("id", "note"), [("1", None), ("2", "y" * 300)], "")
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line != line.rstrip()] == []
    assert lines[:6] == [
        "name         a",
        "much longer  " + "x" * 300,
        "text         one",
        "",
        "             two",
        "             three",
    ]
    details([])
    assert capsys.readouterr().out == ""


def test_a_target_of_any_kind_is_json_and_alone():
    def said(text: str, script: Script = NO_SCRIPT) -> object:
        return definition.Definition(script, NO_HTTP, NO_PYTHON, text, {}, {}, {}, {}).fields()["target"]

    assert said('{"kind": "container", "image": "alpine"}') == {"kind": "container", "image": "alpine"}
    for text, script in (("[1]", NO_SCRIPT), ("{", NO_SCRIPT), ("{}", Script("a", None, None))):
        with pytest.raises(InvalidInput) as refused:
            said(text, script)
        if text != "{}":
            assert refused.value.field == "--target"
