"""The commands against a running Horae."""

from pathlib import Path

import pytest

from tests.waiting import until

from .conftest import Horae, assert_refused

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]


def test_a_first_job_in_a_minute(horae: Horae):
    made = horae("jobs", "create", "first", "--script", "echo hello", "--every", "1h", "--json").json
    assert (made["name"], made["status"]) == ("first", "scheduled")
    assert horae("jobs", "show", "first", "--json").json["id"] == made["id"]
    assert [job["name"] for job in horae("jobs", "list", "-q", "first", "--json").json["items"]] == ["first"]
    coming = horae("jobs", "next", "first", "-n", "3", "--json").json
    assert (len(coming["occurrences"]), coming["words"]) == (3, "Every hour")
    ran = horae("jobs", "run", "first", "--wait")
    assert (ran.code, ran.out) == (0, "hello\n")
    assert "succeeded" in ran.err
    run = horae("runs", "list", "--job", "first", "--trigger", "manual", "--json").json["items"][0]
    assert run["status"] == "succeeded"
    assert horae("runs", "log", run["id"]).out == "hello\n"
    shown = horae("runs", "show", run["id"], "--json").json
    assert (shown["exit_code"], shown["job_name"]) == (0, "first")


def test_a_run_that_fails(horae: Horae):
    horae("jobs", "create", "fails", "--script", "echo out; exit 3", "--max-attempts", "1")
    ran = horae("jobs", "run", "fails", "--wait")
    assert (ran.code, ran.out) == (1, "out\n")
    assert "failed" in ran.err
    ended = horae("jobs", "run", "fails", "--wait", "--json")
    assert (ended.code, ended.json["status"], ended.json["exit_code"]) == (1, "failed", 3)
    found = horae("runs", "list", "--outcome", "failed", "--job", "fails", "--json").json["items"]
    assert [run["outcome"] for run in found] == ["failed", "failed"]
    assert horae("runs", "list", "--outcome", "timed_out", "--job", "fails", "--json").json["items"] == []
    assert [job["name"] for job in horae("jobs", "list", "--last-status", "failed", "--json").json["items"]] == [
        "fails"
    ]
    assert horae("jobs", "list", "--last-status", "failed", "--recurring", "--json").json["items"] == []
    shown = horae("runs", "show", ended.json["id"])
    assert "took" in shown.out
    (attempt,) = horae("runs", "show", ended.json["id"], "--json").json["attempts"]
    assert (attempt["n"], attempt["outcome"], attempt["exit_code"]) == (1, "failed", 3)


def test_input_and_environment_reach_the_script(horae: Horae, tmp_path: Path):
    file = tmp_path / "cat.sh"
    file.write_text("cat; echo; echo $HORAE_JOB_NAME")
    made = horae("jobs", "create", "reads", "--script-file", str(file), "--interpreter", "sh", "--tag", "a", "--json")
    assert made.json["tags"] == ["a"]
    ran = horae("jobs", "run", "reads", "--wait", "--input", '{"customer": 7}')
    assert ran.code == 0, ran.err
    assert ran.out.replace(" ", "").splitlines()[0] == '{"customer":7}'
    assert ran.out.splitlines()[-1] == "reads"


async def test_a_run_is_cancelled(horae: Horae):
    horae("jobs", "create", "sleeps", "--script", "sleep 60")
    run = horae("jobs", "run", "sleeps").out.strip()
    await until(lambda: horae("runs", "show", run, "--json").json["status"] == "running")
    assert horae("runs", "cancel", run).code == 0
    await until(lambda: horae("runs", "show", run, "--json").json["status"] == "cancelled", timeout=15)
    assert horae("runs", "cancel", run).code == 0, "it is what was asked for"


def test_an_ended_run_is_not_cancelled(horae: Horae):
    horae("jobs", "create", "short", "--script", "true")
    horae("jobs", "run", "short", "--wait")
    run = horae("runs", "list", "--job", "short", "--json").json["items"][0]["id"]
    for json in ([], ["--json"]):
        asked = horae("runs", "cancel", run, *json)
        assert (asked.code, asked.err.strip()) == (1, f"horae: run {run} has already ended (succeeded)")


def test_a_run_for_later(horae: Horae):
    horae("jobs", "create", "later", "--http", "http://127.0.0.1:1/")
    run = horae("jobs", "run", "later", "--run-at", "2030-01-01T00:00:00Z", "--priority", "9", "--json").json
    assert (run["due_at"], run["priority"], run["status"]) == ("2030-01-01T00:00:00Z", 9, "queued")
    assert horae("runs", "cancel", run["id"], "--json").json["status"] == "cancelled"


def test_deleting(horae: Horae):
    horae("jobs", "create", "gone", "--script", "true", "--disabled")
    assert horae("jobs", "show", "gone", "--json").json["status"] == "disabled"
    asked = horae("jobs", "delete", "gone")
    assert (asked.code, "--yes" in asked.err) == (2, True), "there is nobody to ask"
    assert horae("jobs", "delete", "gone", "--yes").code == 0
    again = horae("jobs", "delete", "gone", "--yes")
    assert (again.code, again.err) == (3, "horae: there is no job 'gone'\n")


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        (["jobs", "show", "nobody"], 3, "there is no job 'nobody'"),
        (["jobs", "run", "nobody"], 3, "there is no job 'nobody'"),
        (["runs", "show", "nobody"], 3, "there is no such run"),
        (["runs", "log", "nobody"], 3, "there is no such run"),
        (["runs", "cancel", "nobody"], 3, "there is no such run"),
        (["runs", "list", "--job", "nobody"], 3, "there is no job 'nobody'"),
        (["runs", "list", "--status", "done"], 2, "status: should be 'queued'"),
        (["jobs", "create", "x", "--script", "x", "--cron", "61 * * * *"], 2, "schedule.cron: "),
        (["jobs", "create", "x", "--script", "x", "--cron", "0 0 31 2 *"], 2, "schedule.cron: "),
        (["jobs", "create", "x", "--script", "x", "--cron", "@daily", "--timezone", "X"], 2, "schedule.timezone: "),
        (["jobs", "create", "x", "--script", "x", "--every", "5x"], 2, "schedule.every: must be a duration"),
        (["jobs", "create", "x", "--script", "x", "--at", "noon"], 2, "schedule.at: must be an instant"),
        (["jobs", "create", "x", "--http", "ftp://x/"], 2, "target.url: must begin with http"),
        (["jobs", "create", "x", "--script", "x", "--priority", "10"], 2, "priority: "),
        (["jobs", "create", "", "--script", "x"], 2, "name: "),
    ],
)
def test_refusals_are_one_line(horae: Horae, line: list[str], code: int, message: str):
    assert_refused(horae(*line), code, message)


def test_a_name_twice(horae: Horae):
    horae("jobs", "create", "twice", "--script", "true")
    again = horae("jobs", "create", "twice", "--script", "true")
    assert (again.code, again.err) == (1, "horae: a job named 'twice' exists already\n")


def test_workers_and_schedulers_are_listed(horae: Horae):
    (worker,) = horae("workers", "--json").json["items"]
    assert (worker["slots"], worker["status"] in ("idle", "busy")) == (16, True)
    (scheduler,) = horae("schedulers", "--json").json["items"]
    assert scheduler["status"] == "active"
    assert scheduler["shards"] == [lease["shard"] for lease in scheduler["leases"]] == list(range(64))
    assert {lease["epoch"] for lease in scheduler["leases"]} == {1}
    assert all(scheduler["id"] in line for line in horae("schedulers", "--shards").out.splitlines()[-64:])
    assert horae("runs", "reset-stuck", "--json").json == {"recovered": 0}


def test_tables_for_people(horae: Horae):
    """Ids are whole even where the output is no terminal; nothing but the table is on standard output."""
    made = horae("jobs", "create", "tabled", "--script", "true", "--json").json
    for line in (["jobs", "list"], ["jobs", "show", "tabled"]):
        assert made["id"] in horae(*line).out
    run = horae("jobs", "run", "tabled").out.strip()
    assert run in horae("runs", "list").out
    assert run in horae("runs", "show", run).out
    for line in (["workers"], ["schedulers"], ["jobs", "next", "tabled"]):
        assert horae(*line).code == 0


def test_a_key_made_on_the_database_works_at_once(horae: Horae, monkeypatch: pytest.MonkeyPatch):
    made = horae("keys", "create", "reader", "--role", "viewer", "--json").json
    assert set(made) == {"id", "token"}
    monkeypatch.setenv("HORAE_TOKEN", made["token"])
    assert horae("jobs", "list").code == 0
    refused = horae("jobs", "create", "x", "--script", "x")
    assert (refused.code, "jobs:write" in refused.err) == (1, True)
    monkeypatch.setenv("HORAE_TOKEN", made["token"][:-1] + "~")
    wrong = horae("jobs", "list")
    assert (wrong.code, "HORAE_TOKEN" in wrong.err) == (1, True)


def test_the_same_through_the_client(horae: Horae, running: Path):
    import json

    import horae as package
    from horae.domain.errors import InvalidInput, NotFound, StaleVersion

    found = json.loads((running / "client.json").read_text())
    assert (running / "client.json").stat().st_mode & 0o077 == 0
    with package.Client(found["url"], found["token"]) as client:
        made = client.jobs.create(name="by client", target={"kind": "script", "source": "true"})
        assert client.jobs.get("by client") == client.jobs.get(made["id"]) == made
        assert client.jobs.edit("by client", version=1, priority=9)["version"] == 2
        with pytest.raises(StaleVersion):
            client.jobs.edit("by client", version=1, priority=8)
        with pytest.raises(InvalidInput) as refused:
            client.jobs.edit("by client", priority=10)
        assert refused.value.field == "priority"
        runs = client.jobs.run_many("by client", [{"input": n} for n in range(250)])
        assert len(runs) == 250
        assert len(list(client.runs.list(job="by client", limit=None))) == 250
        assert len(list(client.runs.list(job="by client", limit=201))) == 201
        assert client.preview({"every": "1m"}, 2)["words"] == "Every minute"
        client.jobs.delete(made["id"])
        with pytest.raises(NotFound):
            client.jobs.get("by client")
