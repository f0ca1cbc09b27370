"""`horae doctor` and those beside it, on a Horae in which something is wrong."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from horae import config, wiring
from horae.cli.connection import connect
from tests.databases import run as run_async
from tests.waiting import until

from .conftest import Horae

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

# A claim that fails in earnest: the statement itself, in the worker's own process.
BREAK = """CREATE TRIGGER broken BEFORE UPDATE OF status ON runs WHEN NEW.status = 'running'
           BEGIN SELECT RAISE(ABORT, 'too many terms in ''secret'''); END"""


def health() -> dict[str, Any]:
    with connect() as client:
        return dict(client.health())


def test_a_claim_that_keeps_failing_is_reported_everywhere(horae: Horae, running: Path):
    database = next(running.glob("*.db"))
    with sqlite3.connect(database, timeout=30) as db:
        db.execute(BREAK)
    horae("jobs", "create", "waits", "--script", "true")
    run = horae("jobs", "run", "waits").out.strip()
    reason = "1 worker keeps failing to claim runs"
    run_async(until(lambda: reason in health()["reasons"], timeout=30))
    assert health()["status"] == "degraded"
    (check,) = [one for one in horae("doctor", "--json").json["checks"] if one["name"] == "claim"]
    assert check["state"] == "failed"
    assert "has failed to claim runs for" in check["finding"]
    assert check["finding"].endswith("too many terms in …"), "what an error quotes may be data"
    found = horae("why", run, "--json").json
    assert (found["cause"], found["level"]) == ("claim", "problem")
    assert "has failed to claim runs for" in found["summary"]
    (worker,) = horae("workers", "--json").json["items"]
    assert worker["trouble"]["loop"] == "claim"
    assert "failing" in horae("workers").out
    with sqlite3.connect(database, timeout=30) as db:
        db.execute("DROP TRIGGER broken")
    run_async(until(lambda: horae("runs", "show", run, "--json").json["status"] == "succeeded", timeout=30))
    run_async(until(lambda: health()["reasons"] == [], timeout=30))
    assert health()["status"] == "healthy"
    assert horae("workers", "--json").json["items"][0]["trouble"] is None


def test_broken_single_sign_on_is_reported(horae: Horae, running: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HORAE_OIDC_ISSUER", "http://127.0.0.1:9/")  # no one listens there
    monkeypatch.setenv("HORAE_OIDC_CLIENT_ID", "horae")
    monkeypatch.setenv("HORAE_OIDC_ROLES", "staff=default:viewer,others=no-such:viewer")
    answer = horae("doctor", "--json")
    (check,) = [one for one in answer.json["checks"] if one["name"] == "single sign-on"]
    assert (answer.code, check["state"]) == (1, "failed")
    assert "HORAE_OIDC_ISSUER cannot be used: discovery" in check["finding"]
    assert wiring.unknown_projects(config.load()) == ["no-such"]
    monkeypatch.setenv("HORAE_OIDC_ROLES", "staff=boss")
    answer = horae("doctor")
    assert (answer.code, "HORAE_OIDC_ROLES must be entries such as" in answer.err) == (2, True)
