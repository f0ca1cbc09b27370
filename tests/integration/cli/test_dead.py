"""Failed runs: redriven or discarded; and who did it."""

import pytest

from tests.waiting import until

from .conftest import Horae

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]


def fail(horae: Horae, name: str) -> str:
    """A job that fails until its input says otherwise; the id of its failed run."""
    horae("jobs", "create", name, "--script", 'read given || true; test "$given" = 1', "--max-attempts", "1")
    assert horae("jobs", "run", name, "--wait").code == 1
    run: str = horae("runs", "list", "--job", name, "--json").json["items"][0]["id"]
    return run


async def test_a_dead_letter_is_redriven(horae: Horae):
    run = fail(horae, "fragile")
    (group,) = horae("dead", "list", "--job", "fragile", "--json").json["items"]
    assert group["count"] == 1
    assert "fragile" in horae("dead", "list").out
    assert run in horae("dead", "list", "--each").out
    made = horae("dead", "redrive", "--job", "fragile", "--input", "1", "--wait", "--json").json
    assert (made["state"], made["done"]) == ("done", 1)
    assert horae("dead", "list", "--job", "fragile", "--json").json["items"] == []

    def again() -> bool:
        found = horae("runs", "list", "--job", "fragile", "--trigger", "retry", "--json").json["items"]
        return [(one["rerun_of"], one["status"]) for one in found] == [(run, "succeeded")]

    await until(again)


async def test_schedulers_carry_a_slow_redrive_on(horae: Horae):
    run = fail(horae, "slow")
    made = horae("dead", "redrive", run, "--rate", "0.5", "--json").json
    assert (made["state"], made["done"]) == ("running", 0)
    assert horae("operations", "show", made["id"], "--wait", "--json").json["done"] == 1


def test_a_dead_letter_is_discarded(horae: Horae):
    run = fail(horae, "hopeless")
    assert horae("dead", "discard", "--reason", "known").code == 2
    done = horae("dead", "discard", run, "--reason", "known", "--yes")
    assert (done.code, "Discarded 1" in done.err) == (0, True)
    assert horae("dead", "list", "--job", "hopeless", "--json").json["items"] == []
    (entry,) = horae("audit", "--action", "dead_letter.discard", "--json").json["items"]
    assert {"path": "reason", "old": None, "new": "known"} in entry["changes"]
    assert "dead_letter.discard" in horae("audit").out


def test_a_run_and_a_job_once_more(horae: Horae):
    run = fail(horae, "again")
    done = horae("runs", "retry", run, "--input", "1", "--wait", "--json")
    assert (done.code, done.json["status"], done.json["rerun_of"]) == (0, "succeeded", run)
    assert horae("jobs", "retry", "again", "--wait").code == 1
    horae("jobs", "create", "fine", "--script", "true")
    refused = horae("jobs", "retry", "fine")
    assert (refused.code, "no run of this job has failed" in refused.err) == (1, True)
