"""A job with an unreadable definition, on the command line of a running Horae."""

import json
import sqlite3
from pathlib import Path

import pytest

from horae.cli.connection import connect
from tests.databases import run as run_async
from tests.waiting import until

from .conftest import Horae

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]


def counted() -> bool:
    with connect() as client:
        return client.health()["unreadable_jobs"] == 1


def test_everything_goes_on_and_says_so(horae: Horae, running: Path, tmp_path: Path):
    for name in ("bad", "good"):
        assert horae("jobs", "create", name, "--script", "true", "--every", "1s").code == 0
    with sqlite3.connect(next(running.glob("*.db")), timeout=30) as db:
        ((job_id, text),) = db.execute(
            "SELECT j.id, s.spec FROM jobs j JOIN job_versions s ON s.job_id = j.id AND j.name = 'bad'"
        )
        spec = {**json.loads(text), "target": {"kind": "carrier-pigeon"}}
        db.execute("UPDATE job_versions SET spec = ? WHERE job_id = ?", [json.dumps(spec), job_id])
        db.execute("UPDATE jobs SET plan = '{}' WHERE id = ?", [job_id])
    db.close()
    listed = horae("jobs", "list").out
    assert "unreadable" in listed
    assert "good" in listed
    shown = dict(line.split(maxsplit=1) for line in horae("jobs", "show", "bad").out.splitlines())
    assert shown["status"] == "unreadable"
    assert "does not know" in shown["problem"]
    assert shown["fix"].startswith("if a newer version of Horae saved it, finish the upgrade")
    assert "unreadable" not in horae("jobs", "show", "good").out
    assert "cannot read its definition" in horae("why", "bad").out
    assert horae("jobs", "run", "bad").code != 0

    run_async(until(counted, timeout=30, message="the scheduler has noted it"))
    (check,) = [one for one in horae("doctor", "--json").json["checks"] if one["name"] == "definitions"]
    assert check["finding"] == (
        "this version cannot read 1 of 2 jobs: bad (project default): target has a kind that this version does not know"
    )
    assert check["remedy"].startswith("if a newer version of Horae saved it, finish the upgrade")
    exported = horae("export")
    assert exported.code == 1
    assert "good" in exported.out
    assert "bad is left out" in exported.err
    declared = tmp_path / "bad.yaml"
    declared.write_text("jobs:\n- name: bad\n  target: {kind: script, source: 'true'}\n  schedule: {every: 1h}\n")
    assert horae("apply", str(declared), "--yes").code == 0
    assert "unreadable" not in horae("jobs", "list").out
    assert horae("export").code == 0
