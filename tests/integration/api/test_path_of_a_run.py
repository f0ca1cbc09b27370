"""docs/architecture.md lists the files that a run passes, in order. A run is followed, and compared with the lists."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any, cast

import pytest

import horae
from horae.domain.jobs.function import FunctionSign
from horae.domain.jobs.task import describe
from horae.domain.runs.events import RunsEnded
from horae.engines.database import DatabaseEngine
from horae.lifecycle.functions import register_functions
from tests.contract.working import working
from tests.contract.world import World
from tests.integration.api.conftest import CLOCK, IDS, Api
from tests.waiting import until

SOURCE = f"{Path(horae.__file__).parent}/"
PAGE = (Path(__file__).parents[3] / "docs" / "architecture.md").read_text()
AT_MOST = {"From POST to queued": 20, "From wake to history": 25}
IN_ALL = int(re.findall(r"in at most (\d+) files", PAGE)[0])
FILE = re.compile(r"`([a-z_/]+\.py)`")
# What turns beside it in any worker, and no run passes.
BESIDE = {"processes/neighbours.py", "processes/host.py", "processes/blocked.py", "processes/signals.py"}


def section(title: str) -> str:
    return PAGE.split(f"### {title}\n", 1)[1].split("\n#", 1)[0]


def steps(title: str) -> list[str]:
    """The first file of each numbered line."""
    lines = re.findall(r"^\d+\. .*", section(title), re.MULTILINE)
    return [FILE.findall(line)[0] for line in lines]


@contextmanager
def followed() -> Iterator[list[str]]:
    """The file of each call into Horae, in order."""
    seen: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(SOURCE):
            seen.append(frame.f_code.co_filename)

    calls: list[str] = []
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(None)
        calls.extend(file.removeprefix(SOURCE) for file, _ in groupby(seen))


async def job_of(api: Api) -> str:
    await api.store.transact(register_functions, [FunctionSign.of(describe(lambda **arguments: None, name="work"))])
    job = await api.make("hello", target={"kind": "python", "function": "work"})
    return f"/jobs/{job['id']}/run"


async def triggered(api: Api, path: str) -> str:
    answer = await api.call("POST", path, json={})
    assert answer.status_code == 202, answer.text
    run_id: str = answer.json()["id"]
    return run_id


def ended(api: Api, run_id: str) -> Callable[[], Awaitable[bool]]:
    async def look() -> bool:
        answer = await api.call("GET", f"/runs/{run_id}")
        return bool(answer.json()["status"] == "succeeded")

    return look


def compare(title: str, calls: list[str]) -> None:
    files = list(dict.fromkeys(calls))
    passed = {*FILE.findall(section("What each of them passes on its way")), *BESIDE}
    listed, known = steps(title), passed.union(*map(steps, AT_MOST))
    assert [file for file in listed if file not in files] == [], "listed, but nothing of it was called"
    assert [file for file in files if file not in known] == [], "called, but not listed"
    assert len(files) <= IN_ALL
    later = iter(calls)
    assert [file for file in listed if file not in later] == [], "not in this order"


async def test_from_post_to_queued(api: Api) -> None:
    async def send(_: Collection[str]) -> None: ...

    api.store.engine = DatabaseEngine(send)
    path = await job_of(api)
    await triggered(api, path)
    with followed() as calls:
        await triggered(api, path)
    compare("From POST to queued", calls)


async def test_from_wake_to_history(api: Api) -> None:
    path = await job_of(api)
    async with working(cast("World", SimpleNamespace(store=api.store, clock=CLOCK, ids=IDS))) as worker:
        first = await triggered(api, path)
        worker.on_hint("runs:default")
        is_over: bool = await until(ended(api, first))
        assert is_over
        await triggered(api, path)
        over = asyncio.Event()
        api.store.observers = (lambda event: over.set() if isinstance(event, RunsEnded) else None,)
        with followed() as calls:
            worker.on_hint("runs:default")
            await over.wait()
    compare("From wake to history", calls)


@pytest.mark.parametrize("title", AT_MOST)
def test_it_is_short(title: str) -> None:
    listed = steps(title)
    assert len(listed) == len(set(listed)) <= AT_MOST[title]
