"""What the command line does about schedules, against a running Horae."""

import os
import pty
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from horae.clock import SystemClock

from .conftest import Horae, assert_refused

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]
NIGHTLY = ("--cron", "0 2 * * *", "--timezone", "Europe/Berlin")


def make(horae: Horae, name: str, *options: str) -> None:
    made = horae("jobs", "create", name, "--script", "true", *options)
    assert made.code == 0, made.err


def test_every_kind_of_schedule_can_be_made(horae: Horae):
    make(horae, "kinds-cron", *NIGHTLY, "--dst-gap", "skip", "--dst-fold", "both", "--jitter", "1m", "--max-runs", "9")
    made = horae("jobs", "show", "kinds-cron", "--json").json["schedule"]
    assert (made["dst_gap"], made["dst_fold"], made["jitter"], made["max_runs"]) == ("skip", "both", 60, 9)
    weekend = '{"days": ["SAT", "SUN"], "start": "00:00", "end": "24:00"}'
    make(horae, "kinds-every", "--every", "1h", "--start-at", "2090-01-01T00:00:00Z", "--blackout", weekend)
    made = horae("jobs", "show", "kinds-every", "--json").json["schedule"]
    assert (made["start_at"], made["blackouts"][0]["days"]) == ("2090-01-01T00:00:00Z", ["SAT", "SUN"])
    make(horae, "kinds-after", "--after", "kinds-cron", "--on", "any")
    assert "When kinds-cron ends" in horae("jobs", "next", "kinds-after").err
    make(horae, "kinds-at", "--at", "2090-01-01T00:00:00Z", "--catch-up-window", "2h", "--start-within", "90s")
    made = horae("jobs", "show", "kinds-at", "--json").json
    assert (made["catch_up_window"], made["start_within"]) == (7200, 90)
    for filters, names in (
        (("--schedule", "after"), ["kinds-after"]),
        (("--schedule", "cron", "--kind", "script"), ["kinds-cron"]),
        (("--status", "paused"), []),
    ):
        found = horae("jobs", "list", "-q", "kinds", *filters, "--json").json["items"]
        assert [job["name"] for job in found] == names


def test_a_new_job_says_when_it_runs(horae: Horae):
    for name, options, words in (
        ("says-now", ("--every", "1h"), "; it runs now."),
        ("says-later", ("--at", "2090-01-01T00:00:00Z"), "; it runs in "),
        ("says-past", ("--at", "2020-01-01T00:00:00Z"), "ago, and catch_up (last) decides whether it runs."),
        ("says-nothing", (), ")."),
    ):
        made = horae("jobs", "create", name, "--script", "true", *options)
        assert (made.code, words in made.err) == (0, True), made.err
    horae("jobs", "pause", "says-now")
    saved = horae("jobs", "edit", "says-now", "--every", "2h", "--yes")
    assert saved.err == "Saved version 2 of 'says-now'; it is paused.\n"


def test_an_edit_shows_the_old_schedule_beside_the_new_one(horae: Horae):
    make(horae, "edited", *NIGHTLY)
    answer = horae("jobs", "edit", "edited", "--cron", "30 3 * * MON-FRI")
    assert answer.code == 0, answer.err
    said = answer.err.splitlines()
    assert said[0] == "now: At 02:00 every day, Europe/Berlin"
    assert said[1] == "new: At 03:30 on weekdays, Europe/Berlin"  # the zone stays
    assert said[2].startswith("Saved version 2 of 'edited'; it runs in ")
    table = answer.out.splitlines()
    assert table[0].split() == ["now", "new", "note"]
    assert len(table) == 7
    assert ("T02:00:00+0" in table[2], "T03:30:00+0" in table[2]) == (True, True)
    quiet = horae("jobs", "edit", "edited", "--every", "5m", "--yes")
    assert (quiet.out, quiet.err.count("\n")) == ("", 1)
    as_json = horae("jobs", "edit", "edited", "--at", "2090-01-01T00:00:00Z", "--json")
    assert (as_json.json["version"], as_json.err) == (4, "")
    same = horae("jobs", "edit", "edited", "--at", "2090-01-01T00:00:00Z", "--yes")
    assert (same.code, same.err) == (0, "Nothing changes: 'edited' is already like this.\n")


def test_an_edit_of_the_rest(horae: Horae):
    make(horae, "rest", *NIGHTLY, "--description", "old", "--end-at", "2090-01-01T00:00:00Z")
    line = (
        "--timeout",
        "1m",
        "--tag",
        "a",
        "--tag",
        "b",
        "--max-attempts",
        "5",
        "--script",
        "false",
        "--priority",
        "9",
    )
    answer = horae("jobs", "edit", "rest", *line, "--unset", "description", "--name", "renamed", "--disabled")
    assert (answer.code, answer.out, answer.err) == (0, "", "Saved version 2 of 'renamed'.\n")
    found = horae("jobs", "show", "renamed", "--json").json
    assert (found["timeout"], found["tags"], found["retry"]["max_attempts"]) == (60, ["a", "b"], 5)
    assert (found["target"]["source"], found["priority"], found["description"]) == ("false", 9, "")
    assert found["status"] == "disabled"
    answer = horae("jobs", "edit", "renamed", "--enabled", "--unset", "schedule.end_at", "--yes", "--json")
    assert (answer.json["status"], answer.json["schedule"]["end_at"]) == ("scheduled", None)


def test_a_refused_edit_is_one_line(horae: Horae):
    make(horae, "refuses", *NIGHTLY)
    make(horae, "waits", "--after", "refuses")
    for line, message in (
        (("--cron", "61 * * * *"), "schedule.cron: minute 61 is out of range 0–59"),
        (("--timezone", "Mars/Olympus"), "schedule.timezone: "),
        (("--after", "waits"), "schedule.after.job: would make the job wait for itself"),
        (("--after", "nobody"), "schedule.after.job: there is no job 'nobody'"),
        (("--method", "GET"), "target.method: is not a known field"),
        (("--unset", "nothing"), ""),
    ):
        answer = horae("jobs", "edit", "refuses", *line, "--yes")
        assert (answer.code, answer.out) == ((0 if not message else 2), ""), answer.err
        assert message in answer.err
        assert answer.err.count("\n") == 1
    assert horae("jobs", "show", "refuses", "--json").json["version"] == 1
    kept = horae("jobs", "delete", "refuses", "--yes")
    assert (kept.code, kept.err) == (1, "horae: other jobs wait for it: waits\n")


def test_an_edit_on_a_terminal_asks_for_confirmation(horae: Horae, running: Path):
    make(horae, "asked", *NIGHTLY)
    for answer, version in (("n", 1), ("y", 2)):
        master, slave = pty.openpty()
        command = subprocess.Popen(
            [sys.executable, "-m", "horae", "jobs", "edit", "asked", "--cron", "0 4 * * *"],
            env={**os.environ, "HORAE_DATA_DIR": str(running)},
            stdin=slave,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        os.close(slave)
        os.write(master, f"{answer}\n".encode())
        out, err = command.communicate(timeout=30)
        os.close(master)
        assert "T04:00:00" in out
        assert "Save it?" in err
        assert ("Nothing was saved." in err) == (answer == "n")
        assert command.returncode == (0 if answer == "y" else 1)
        assert horae("jobs", "show", "asked", "--json").json["version"] == version


def test_pausing_and_switching(horae: Horae):
    make(horae, "switched", "--every", "1h")
    assert horae("jobs", "pause", "switched").err == "Paused 'switched' until `horae jobs resume switched`.\n"
    assert horae("jobs", "show", "switched", "--json").json["status"] == "paused"
    assert "Note: the job is paused" in horae("jobs", "next", "switched").err
    until = (SystemClock().now() + timedelta(hours=1)).astimezone(UTC).replace(microsecond=0)
    paused = horae("jobs", "pause", "switched", "--until", until.isoformat(), "--json").json
    assert datetime.fromisoformat(paused["paused_until"]) == until
    assert horae("jobs", "resume", "switched").err == "Resumed 'switched'.\n"
    assert horae("jobs", "disable", "switched").err == "Disabled 'switched'.\n"
    assert horae("jobs", "show", "switched", "--json").json["next_run_at"] is None
    assert horae("jobs", "enable", "switched", "--json").json["status"] == "scheduled"


def test_versions_and_the_way_back(horae: Horae):
    make(horae, "versioned", *NIGHTLY)
    horae("jobs", "edit", "versioned", "--every", "5m", "--yes")
    horae("jobs", "edit", "versioned", "--script", "echo one\necho two", "--timeout", "1m")
    listed = horae("jobs", "versions", "versioned").out.splitlines()
    assert [line.split()[0] for line in listed[2:]] == ["3", "2", "1"]
    assert "timeout: 300 → 60" in listed[2]
    assert '"cron": "0 2 * * *"' in listed[3]
    assert listed[4].endswith("created")
    whole = horae("jobs", "versions", "versioned", "3")
    assert "timeout: 300 → 60" in whole.out
    assert "+echo two" in whole.out
    assert horae("jobs", "versions", "versioned", "3", "--json").json["version"] == 3
    assert len(horae("jobs", "versions", "versioned", "--limit", "2", "--json").json["items"]) == 2
    back = horae("jobs", "rollback", "versioned", "1")
    assert (back.code, back.err) == (0, "'versioned' is as it was in version 1; saved as version 4.\n")
    again = horae("jobs", "rollback", "versioned", "1")
    assert again.err == "Nothing changes: 'versioned' is already like version 1.\n"
    assert "rollback to version 1" in horae("jobs", "versions", "versioned").out


def test_a_backfill_is_planned_started_and_waited_for(horae: Horae):
    make(horae, "filled", "--cron", "0 */6 * * *")
    day = ("--from", "2020-03-01T00:00:00Z", "--to", "2020-03-01T23:00:00Z")
    plan = horae("jobs", "backfill", "filled", *day, "--dry-run")
    assert plan.err == "It would run 4 occurrences, from 2020-03-01T00:00:00Z to 2020-03-01T18:00:00Z.\n"
    assert horae("jobs", "backfill", "filled", *day, "--dry-run", "--json").json["total"] == 4
    done = horae("jobs", "backfill", "filled", *day, "--parallelism", "2", "--wait")
    assert (done.code, done.out, done.err) == (0, "", "done: 4 of 4\n")
    same = horae("jobs", "backfill", "filled", *day)
    assert same.out.strip() == horae("operations", "list", "--json").json["items"][0]["id"]
    assert "Nothing was started" in same.err
    plan = horae("jobs", "backfill", "filled", *day, "--dry-run")
    assert f"Operation {same.out.strip()} already covers them" in plan.err
    ended = horae("jobs", "backfill", "filled", *day, "--parallelism", "4", "--again", "--wait", "--json").json
    assert (ended["state"], ended["done"]) == ("done", 4)
    runs = horae("runs", "list", "--job", "filled", "--trigger", "backfill", "--json").json["items"]
    assert [run["status"] for run in runs] == ["succeeded"] * 8
    listed = horae("operations", "list").out
    assert ended["id"] in listed
    assert "4/4" in listed


def test_a_backfill_is_cancelled(horae: Horae):
    horae("jobs", "create", "slow", "--script", "sleep 60", "--cron", "0 */6 * * *")
    day = ("--from", "2020-03-01T00:00:00Z", "--to", "2020-03-01T23:00:00Z")
    operation = horae("jobs", "backfill", "slow", *day).out.strip()
    assert horae("operations", "show", operation, "--json").json["state"] == "running"
    assert horae("operations", "cancel", operation, "--yes").err == "Cancelled after 0 of 4.\n"
    waited = horae("operations", "show", operation, "--wait")
    assert (waited.code, "cancelled" in waited.out) == (1, True)
    again = horae("operations", "cancel", operation, "--yes")
    assert (again.code, again.err) == (1, "horae: the operation is cancelled already\n")


def test_what_comes_next_has_named_columns(horae: Horae):
    make(horae, "upcoming", "--cron", "0 9 * * *")
    answer = horae("jobs", "next", "upcoming", "-n", "2")
    assert answer.err == "At 09:00 every day, UTC\n"
    assert answer.out.splitlines()[0].split() == ["at", "(UTC)", "local", "when", "note"]
    assert [line for line in answer.out.splitlines() if line != line.rstrip()] == []


def test_a_result_is_shown_as_json(horae: Horae):
    script = """echo '{"rows": [1, 2], "text": "ä"}' > $HORAE_RESULT"""
    horae("jobs", "create", "results", "--script", script)
    run = horae("jobs", "run", "results", "--wait", "--json").json["id"]
    lines = horae("runs", "show", run).out.splitlines()
    assert [line for line in lines if line != line.rstrip()] == []
    (first,) = [n for n, line in enumerate(lines) if line.startswith("result ")]
    indent = lines[first].index("{")
    shown = [line[indent:] for line in lines[first : first + 7]]
    assert shown == ["{", '  "rows": [', "    1,", "    2", "  ],", '  "text": "ä"', "}"]


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        (["jobs", "edit", "nobody", "--every", "5m"], 3, "there is no job 'nobody'"),
        (["jobs", "pause", "nobody"], 3, "there is no job 'nobody'"),
        (["jobs", "resume", "nobody"], 3, "there is no job 'nobody'"),
        (["jobs", "enable", "nobody"], 3, "there is no job 'nobody'"),
        (["jobs", "disable", "nobody"], 3, "there is no job 'nobody'"),
        (["jobs", "versions", "nobody"], 3, "there is no job 'nobody'"),
        (["jobs", "rollback", "nobody", "1"], 3, "there is no job 'nobody'"),
        (["operations", "show", "nobody"], 3, "there is no such operation"),
        (["operations", "cancel", "nobody"], 3, "there is no such operation"),
        (["jobs", "list", "--status", "broken"], 2, "status: "),
        (["jobs", "create", "x", "--script", "x", "--after", "nobody"], 2, "schedule.after.job: there is no job"),
    ],
)
def test_refusals_are_one_line(horae: Horae, line: list[str], code: int, message: str):
    assert_refused(horae(*line), code, message)


def test_refused_dates_and_versions(horae: Horae):
    make(horae, "dated", "--every", "1h")
    for line, message in (
        (["pause", "dated", "--until", "2090-01-01T00:00:00"], "--until: has no offset"),
        (["pause", "dated", "--until", "2020-01-01T00:00:00Z"], "until: must be in the future"),
        (["backfill", "dated", "--from", "2020-01-01", "--to", "2020-01-02T00:00:00Z"], "--from: has no offset"),
        (
            ["backfill", "dated", "--from", "2020-01-02T00:00:00Z", "--to", "2020-01-01T00:00:00Z"],
            "end: must not be before start",
        ),
        (
            ["backfill", "dated", "--from", "2020-01-02T00:00:00Z", "--to", "2099-01-01T00:00:00Z"],
            "end: must not be in the future",
        ),
    ):
        answer = horae("jobs", *line)
        assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
        assert message in answer.err
    for line in (["rollback", "dated", "7"], ["versions", "dated", "7"]):
        answer = horae("jobs", *line)
        assert (answer.code, answer.err) == (3, "horae: the job has no version 7\n")


@pytest.mark.parametrize(
    ("schedule", "options", "words"),
    [
        ("0 9 * * MON-FRI", ["--timezone", "Europe/Berlin"], "At 09:00 on weekdays, Europe/Berlin"),
        ("15m", [], "Every 15 minutes"),
        ("PT1H30M", [], "Every 90 minutes"),
        ('{"every": {"hours": 2}}', [], "Every 2 hours"),
    ],
)
def test_preview_shows_a_schedule_that_is_not_saved(horae: Horae, schedule: str, options: list[str], words: str):
    shown = horae("jobs", "preview", schedule, *options, "-n", "3", "--json").json
    assert (len(shown["occurrences"]), shown["words"]) == (3, words)
    said = horae("jobs", "preview", schedule, *options)
    assert words in said.err + said.out


def test_a_schedule_beside_what_a_job_does(horae: Horae):
    horae("jobs", "create", "beside", "--script", "true", "--cron", "0 6 * * *")
    said = horae("jobs", "preview", "0 7 * * *", "--job", "beside", "--from", "2026-01-01T00:00:00Z")
    assert "2026-01-01T07:00:00" in said.out
    assert horae("jobs", "preview", "61 * * * *").code == 2
