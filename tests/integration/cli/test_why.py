"""`horae why` against a running Horae."""

import sqlite3
from pathlib import Path

import pytest

from tests.databases import run as run_async
from tests.waiting import until

from .conftest import Horae

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]


def test_a_healthy_job_only_waits(horae: Horae):
    horae("jobs", "create", "healthy", "--script", "true", "--cron", "0 0 1 1 *")
    answer = horae("why", "healthy")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0].startswith("Job 'healthy' is fine and waiting: it is due in ")
    assert "✔  enabled" in answer.out
    assert "…  due" in answer.out
    assert "✖" not in answer.out
    assert lines[-1].startswith("→  due  wait, or start it by hand: horae jobs run healthy")


def test_a_function_that_the_worker_does_not_have(horae: Horae):
    horae("functions", "register", "--import", "tests.integration.cli.tasks")
    made = horae("jobs", "create", "missing", "--python", "no_such_function", "--json").json
    run = horae("jobs", "run", "missing").out.strip()
    for which in ("missing", made["id"], run):
        answer = horae("why", which)
        assert "offers 'python:no_such_function'" in answer.out.splitlines()[0]
        assert "✖  capability" in answer.out
        assert "--import MODULE" in answer.out
        gates = horae("why", which, "--json").json["gates"]
        assert [gate["name"] for gate in gates if gate["state"] == "closed"] == ["capability"]
    assert "triggered by key:local (manual)" in horae("why", run).out
    shown = horae("jobs", "show", "missing").out
    assert "offers 'python:no_such_function'" in shown
    assert "--import MODULE" in shown


def test_a_job_whose_runs_no_worker_can_take_is_marked_in_the_list(horae: Horae, running: Path):
    horae("functions", "register", "--import", "tests.integration.cli.tasks")
    for name in ("waiting", "idle"):
        assert horae("jobs", "create", name, "--python", "no_such_function").code == 0
    run = horae("jobs", "run", "waiting").out.strip()
    with sqlite3.connect(next(running.glob("*.db")), timeout=30) as db:  # as if it had been due for long
        db.execute("UPDATE runs SET due_at = due_at - 60000000 WHERE id = ?", [run])
    db.close()

    def marked() -> list[str]:
        lines = horae("jobs", "list").out.splitlines()
        return [line.split()[0] for line in lines if "stranded" in line]

    run_async(until(lambda: marked() == ["waiting"], timeout=90))


async def test_the_timeline_of_a_failed_run_is_complete(horae: Horae):
    horae("jobs", "create", "broken", "--script", "exit 3", "--max-attempts", "2", "--delay", "1s")
    run = horae("jobs", "run", "broken").out.strip()
    await until(lambda: horae("runs", "show", run, "--json").json["status"] == "failed", timeout=20)
    answer = horae("why", run)
    assert "no attempts are left: attempt 2 of 2 failed: exit code 3" in answer.out.splitlines()[0]
    assert "✖  attempts" in answer.out
    assert "waiting for its backoff" in answer.out
    events = [entry["event"] for entry in horae("why", run, "--json").json["timeline"]]
    assert events == ["created", "claimed", "attempt", "due", "claimed", "attempt", "ended"]


def test_what_is_neither_a_job_nor_a_run(horae: Horae):
    for which in ("nobody", "01990000-0000-7000-8000-000000000000"):
        answer = horae("why", which)
        assert (answer.code, answer.out, answer.err) == (3, "", f"horae: there is no job '{which}'\n")
