"""`horae runs log -f`: output appears while the run is in progress, over a real connection."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
import pytest

from horae.cli.connection import connect
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
    client = connect()
    http = client._http
    assert isinstance(http, httpx.Client)
    whole, cuts = http.stream, 0

    @contextmanager
    def cutting(*args: Any, **kwargs: Any) -> Iterator[Any]:
        nonlocal cuts
        cuts += 1
        with whole(*args, **kwargs) as answer:
            lines, most = answer.iter_lines, 8 if cuts < 3 else 10_000
            monkeypatch.setattr(answer, "iter_lines", lambda: islice(lines(), most))
            yield answer

    monkeypatch.setattr(http, "stream", cutting)
    seen = list(client.runs.follow(run))
    assert "".join(data["text"] for name, data in seen if name == "log") == "1\n2\n3\n4\n5\n"
    assert (seen[-1][0], seen[-1][1]["status"], cuts >= 3) == ("end", "succeeded", True)
