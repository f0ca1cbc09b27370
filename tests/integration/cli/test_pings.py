"""`horae pings`, `horae badges` and `horae ping` against a running Horae."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.databases import run as run_async
from tests.waiting import until

from .conftest import Horae

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]
NOWHERE = "http://127.0.0.1:9/ping/" + "A" * 32


@pytest.fixture(autouse=True)
def none_left(horae: Horae) -> Iterator[None]:
    """They share one Horae."""
    yield
    for ping in horae("pings", "list", "--json").json["items"]:
        assert horae("pings", "delete", ping["name"], "--yes").code == 0


def ping(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "horae", "ping", *arguments], capture_output=True, text=True, check=False, timeout=60
    )


def made(horae: Horae, *options: str) -> str:
    answer = horae("pings", "create", "backup", *options)
    assert answer.code == 0, answer.err
    return answer.out.strip()


def events(horae: Horae) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = horae("pings", "events", "backup", "--json").json["items"]
    return found


def test_from_creation_to_deletion(horae: Horae):
    url = made(horae, "--cron", "0 3 * * *", "--timezone", "Europe/Berlin", "--grace", "30m", "--tag", "db")
    assert httpx.get(url, trust_env=False).text == "OK"
    listed = horae("pings", "list", "--state", "up", "--tag", "db")
    assert "backup" in listed.out
    assert "0 3 * * * (Europe/Berlin)" in listed.out
    shown = horae("pings", "show", "backup")
    assert url in shown.out
    assert "success" in shown.out
    edited = horae("pings", "edit", "backup", "--every", "1d", "--timeout", "2h", "--name", "dump", "--json").json
    assert (edited["schedule"]["every"], edited["timeout"], edited["url"]) == ("1d", 7200, url)
    assert horae("pings", "edit", "dump", "--unset", "timeout", "--json").json["timeout"] is None
    assert horae("pings", "edit", "dump").code == 2
    assert horae("pings", "pause", "dump", "--until", "2h", "--json").json["state"] == "paused"
    assert horae("pings", "resume", "dump", "--json").json["state"] == "up"
    rotated = horae("pings", "rotate", "dump", "--yes").out.strip()
    assert rotated != url
    assert httpx.get(url, trust_env=False).status_code == 404
    assert horae("pings", "delete", "dump", "--yes").code == 0
    assert horae("pings", "show", "dump").code == 3


def test_a_command_is_run_and_reported(horae: Horae):
    url = made(horae)
    done = ping(url, "--", sys.executable, "-c", "import sys; print('12 GB'); print('slow', file=sys.stderr)")
    assert (done.returncode, done.stdout, done.stderr) == (0, "12 GB\n", "slow\n")
    end, start = events(horae)
    assert (start["kind"], end["kind"], end["exit_code"]) == ("start", "success", 0)
    assert start["rid"] == end["rid"] is not None
    assert end["duration_ms"] is not None
    body = horae("pings", "events", "backup", "--body", "2").out
    assert sorted(body.splitlines()) == ["12 GB", "slow"]


def test_the_exit_code_is_passed_on_and_only_the_end_of_the_output_is_sent(horae: Horae):
    url = made(horae)
    failed = ping(url, "--", "sh", "-c", "seq 1 20000; exit 7")
    assert failed.returncode == 7
    assert failed.stdout.endswith("19999\n20000\n")
    event = horae("pings", "events", "backup", "--body", "2", "--json").json
    assert (event["exit_code"], len(event["body"])) == (7, 10_000)
    assert event["body"].endswith("19999\n20000\n")
    assert ping(url, "--no-output", "--", "sh", "-c", "echo secret; exit 3").returncode == 3
    assert events(horae)[0]["body_bytes"] is None
    assert ping(url, "--", "/nowhere/at-all").returncode == 127
    assert events(horae)[0]["exit_code"] == 127


def test_a_signal_reaches_the_command(horae: Horae, tmp_path: Path):
    url = made(horae)
    up = tmp_path / "up"
    script = f"import signal, sys; signal.signal(15, lambda *_: sys.exit(9)); open({str(up)!r}, 'w'); signal.pause()"
    running = subprocess.Popen([sys.executable, "-m", "horae", "ping", url, "--", sys.executable, "-c", script])
    try:
        run_async(until(up.exists, timeout=30))
        os.kill(running.pid, signal.SIGTERM)
        assert running.wait(30) == 9
    finally:
        running.kill()
    assert events(horae)[0]["exit_code"] == 9


def test_signals_without_a_command(horae: Horae):
    url = made(horae)
    for options in ([], ["--start"], ["--fail"]):
        assert ping(url, *options).returncode == 0
    assert [event["kind"] for event in events(horae)] == ["fail", "start", "success"]
    assert ping(url, "--start", "--fail").returncode == 2
    assert ping("ftp://x/y").returncode == 2


def test_the_command_runs_even_if_the_server_is_unreachable(tmp_path: Path):
    done = ping(NOWHERE, "--", "sh", "-c", f"echo done > {tmp_path / 'out'}; exit 4")
    assert done.returncode == 4
    assert (tmp_path / "out").read_text() == "done\n"
    assert "was not delivered" in done.stderr
    assert "AAAA" not in done.stderr  # the URL is a secret


def test_badges(horae: Horae):
    made(horae)
    markdown = horae("badges", "create", "--ping", "backup", "--label", "nightly <dump>").out.strip()
    url = markdown.partition("(")[2].rstrip(")")
    assert "nightly &lt;dump&gt;" in httpx.get(url, trust_env=False).text
    (badge,) = horae("badges", "list", "--ping", "backup", "--json").json["items"]
    assert json.dumps(badge["label"]) == '"nightly <dump>"'
    assert url in horae("badges", "list").out
    assert horae("badges", "delete", badge["id"], "--yes").code == 0
    assert "No badges" in horae("badges", "list").err
    assert horae("badges", "create").code == 2
    assert horae("badges", "create", "--job", "a", "--ping", "b").code == 2
