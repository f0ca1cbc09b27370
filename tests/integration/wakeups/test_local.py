"""Hints over real Unix sockets, on both event loops, with real processes that die."""

import asyncio
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

import pytest
import uvloop

from horae.ports import Hint, Wakeups
from horae.wakeups.local import LocalWakeups
from tests.integration.wakeups.hearing import hear
from tests.waiting import until

LISTENER = """
import asyncio, sys
from pathlib import Path
from horae.wakeups.local import LocalWakeups

async def main():
    wakeups = LocalWakeups(Path(sys.argv[1]))
    await wakeups.start({"runs"}, lambda hint: print(hint, flush=True))
    print("ready", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Callable[[], LocalWakeups]]:
    made: list[LocalWakeups] = []

    def build(directory: Path = tmp_path / "wake") -> LocalWakeups:
        made.append(LocalWakeups(directory))
        return made[-1]

    yield build
    for wakeups in made:
        await wakeups.close()


@contextmanager
def listener(directory: Path) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """Another process that listens, and what it prints."""
    command = [sys.executable, "-c", LISTENER, str(directory)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield process, process.stdout
        finally:
            process.kill()


def descriptors() -> set[Path]:
    return set(Path("/proc/self/fd").iterdir())


def sockets(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.sock"))


async def test_everyone_gets_a_hint_of_a_topic_they_asked_for(make, tmp_path):
    sender, worker, scheduler = make(), make(), make()
    at_worker, at_scheduler = await hear(worker, {"runs", "cancel"}), await hear(scheduler, {"jobs"})

    await sender.send(["runs:default", "jobs", "cancel:w1", "runs:default"])

    await until(lambda: len(at_worker) == 2 and len(at_scheduler) == 1)
    assert (sorted(at_worker), at_scheduler) == (["cancel:w1", "runs:default"], ["jobs"])
    assert sender.reliable
    assert worker.reliable


async def test_a_process_receives_its_own_hints(make):
    wakeups = make()
    heard = await hear(wakeups, {"runs"})
    await wakeups.send(["runs:mail"])
    await until(lambda: heard == ["runs:mail"])


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def test_works_on_both_event_loops(run: Callable[[Coroutine[Any, Any, None]], None], tmp_path: Path) -> None:
    async def exchange() -> None:
        wakeups: Wakeups = LocalWakeups(tmp_path)
        heard: list[Hint] = []
        await wakeups.start({"runs"}, heard.append)
        for _ in range(3):
            heard.clear()
            await wakeups.send(["runs:default"])
            await until(lambda: heard == ["runs:default"], every=0.001)
        await wakeups.close()

    run(exchange())
    assert sockets(tmp_path) == []


async def test_a_path_longer_than_a_socket_address_does_not_matter(make, tmp_path):
    deep = tmp_path / ("x" * 120) / ("y" * 120)
    wakeups = make(deep)
    heard = await hear(wakeups, {"runs"})
    await make(deep).send(["runs:default"])
    await until(lambda: heard)
    assert len(sockets(deep)) == 1


async def test_without_proc_a_short_path_works_and_a_long_one_is_given_up(make, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(os.path, "samestat", lambda *_: False)
    if len(str(tmp_path)) < 60:
        wakeups = make()
        heard = await hear(wakeups, {"runs"})
        await wakeups.send(["runs:default"])
        await until(lambda: heard)
    before = descriptors()
    deep = make(tmp_path / ("x" * 120))
    await deep.start({"runs"}, print)
    await deep.send(["runs:default"])
    assert not deep.reliable
    assert "polling instead" in caplog.text
    assert len(caplog.records) == 1
    assert descriptors() <= before  # one of an earlier test may have been closed meanwhile


async def test_only_its_owner_may_use_it(make, tmp_path):
    (tmp_path / "wake").mkdir(mode=0o755)
    await make().start({"runs"}, print)
    assert stat.S_IMODE((tmp_path / "wake").stat().st_mode) == 0o700
    (path,) = sockets(tmp_path / "wake")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_close_leaves_nothing(tmp_path):
    before = descriptors()
    wakeups, other = LocalWakeups(tmp_path), LocalWakeups(tmp_path)
    await wakeups.start({"runs"}, print)
    await other.send(["runs:default"])
    await wakeups.close()
    await other.close()
    await other.close()
    await other.send(["runs:default"])
    assert sockets(tmp_path) == []
    assert descriptors() == before


async def test_a_listener_that_comes_later_is_found(make):
    """Also one that comes within the same tick of the file system's clock as the last look."""
    sender = make()
    for _ in range(20):
        await sender.send(["runs:default"])
        wakeups = make()
        heard = await hear(wakeups, {"runs"})
        await sender.send(["runs:late"])
        await until(partial(heard.count, "runs:late"))


async def test_the_socket_of_a_killed_process_is_removed(make, tmp_path):
    directory = tmp_path / "wake"
    sender = make()
    with listener(directory) as (process, lines):
        await sender.send(["runs:default", "jobs"])
        assert lines.readline() == "runs:default\n"
        process.kill()
        process.wait()
    assert len(sockets(directory)) == 1
    await sender.send(["runs:default"])
    assert sockets(directory) == []


async def test_a_stopped_process_costs_neither_the_sender_nor_the_others(make, tmp_path):
    with listener(tmp_path / "wake") as (process, _):
        process.send_signal(signal.SIGSTOP)
        heard = await hear(make(), {"runs"})
        sender = make()
        for n in range(2_000):
            await sender.send([f"runs:{n}"])
            await until(partial(heard.count, f"runs:{n}"), every=0)


async def test_a_full_queue_wakes_the_receiver_for_every_topic(make):
    """What was dropped may have been about anything."""
    wakeups = make()
    heard = await hear(wakeups, {"runs", "jobs"})
    sender = make()
    for n in range(1_000):  # no one reads meanwhile: this test does not yield
        await sender.send([f"runs:{n}"])
    await sender.send(["jobs"])
    await until(lambda: "jobs" in heard)
    assert {"runs:0", "runs"} <= set(heard)


async def test_many_hints_travel_in_several_datagrams(make):
    wakeups = make()
    heard = await hear(wakeups, {"runs"})
    hints = [f"runs:{n:090}" for n in range(300)]
    await make().send(hints)
    await until(lambda: set(hints) <= set(heard))


async def test_a_name_that_cannot_be_written_shrinks_to_its_topic(make):
    wakeups = make()
    heard = await hear(wakeups, {"runs", "jobs"})
    await make().send(["runs:a\njobs", "runs:" + "x" * 9_000])
    await until(lambda: heard)
    assert heard == ["runs"]


async def test_something_else_in_the_directory_does_no_harm(make, tmp_path):
    directory = tmp_path / "wake"
    directory.mkdir()
    (directory / "notes.txt").write_text("")
    (directory / "plain.sock").write_text("")
    (directory / "folder.sock").mkdir()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
        stream.bind(str(directory / "s.sock") if len(str(directory)) < 90 else "")
        wakeups = make()
        heard = await hear(wakeups, {"runs"})
        await make().send(["runs:default"])
        await until(lambda: heard)
    assert (directory / "notes.txt").exists()


async def test_an_unwritable_directory_means_polling_and_one_line(make, tmp_path, caplog):
    (tmp_path / "file").write_text("")
    wakeups = make(tmp_path / "file" / "wake")
    await wakeups.start({"runs"}, print)
    await wakeups.send(["runs:default"])
    await wakeups.send(["runs:default"])
    assert not wakeups.reliable
    assert len(caplog.records) == 1
