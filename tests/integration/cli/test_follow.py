"""`horae runs log -f`: output appears while the run goes on, over a real connection."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from horae.sdk.client import Client
from tests.waiting import until

from .conftest import Horae

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]


async def test_output_is_seen_while_the_run_goes_on(horae: Horae, running: Path, tmp_path: Path):
    gate = tmp_path / "gate"
    source = f"printf 'first\\nhalf '; until [ -e {gate} ]; do sleep 0.02; done; echo line; echo err >&2"
    horae("jobs", "create", "follow", "--script", source)
    run = horae("jobs", "run", "follow").out.strip()
    out = tmp_path / "out"
    environment = {**os.environ, "HORAE_DATA_DIR": str(running)}
    with out.open("w") as file:
        follower = subprocess.Popen(  # noqa: ASYNC220 - the command itself, as people start it
            [sys.executable, "-m", "horae", "runs", "log", "-f", run], env=environment, cwd=running, stdout=file
        )
    try:
        await until(lambda: out.read_text() == "first\nhalf ", timeout=20)
        assert follower.poll() is None
        gate.touch()
        assert follower.wait(20) == 0
    finally:
        follower.kill()
    assert sorted(out.read_text().splitlines()) == ["err", "first", "half line"]


async def test_a_follower_goes_on_where_the_connection_broke(horae: Horae, monkeypatch: pytest.MonkeyPatch):
    horae("jobs", "create", "broken", "--script", "for i in $(seq 5); do echo $i; sleep 0.3; done")
    run = horae("jobs", "run", "broken").out.strip()
    client = connected(horae)
    whole, cuts = client.stream, 0

    def cutting(path, params, headers):
        nonlocal cuts
        cuts += 1
        return Cut(whole(path, params, headers), after=4 if cuts < 3 else 10_000)

    monkeypatch.setattr(client, "stream", cutting)
    seen = list(client.runs.follow(run))
    assert "".join(data["text"] for name, data in seen if name == "log") == "1\n2\n3\n4\n5\n"
    assert (seen[-1][0], seen[-1][1]["status"], cuts >= 3) == ("end", "succeeded", True)


class Cut:
    """A connection that hangs up after so many lines."""

    def __init__(self, stream, *, after):
        self._stream, self._after = stream, after

    def __enter__(self):
        lines = self._stream.__enter__()
        return (line for line, _ in zip(lines, range(self._after), strict=False))

    def __exit__(self, *exc):
        return self._stream.__exit__(*exc)


def connected(horae: Horae) -> Client:
    from horae.cli.connection import connect

    return connect()
