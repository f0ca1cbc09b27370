"""Real processes of Horae, and what they and the database's server use up."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import psutil

from bench.place import Place

PROJECT = Path(__file__).resolve().parent.parent
READY = {"worker": "worker ready", "intake": "intake ready", "scheduler": "scheduler ready", "serve": "serving"}
MOST_SAID = 3  # lines of complaint that are shown


class Process:
    """A running `horae …`."""

    def __init__(self, child: subprocess.Popen[bytes], log: Path) -> None:
        self.child = child
        self.log = log
        self.info = psutil.Process(child.pid)

    def cpu(self) -> float:
        return cpu(self.info)

    def rss(self) -> int:
        return int(self.info.memory_info().rss)

    def complaints(self) -> list[str]:
        """What it logged that is worse than information, in short."""
        lines = [line for line in self.log.read_text(errors="replace").splitlines() if not _fine(line)]
        short = [line if len(line) < 400 else f"{line[:180]} … {line[-200:]}" for line in lines[:MOST_SAID]]
        return short + [f"… and {len(lines) - MOST_SAID} lines more"] * (len(lines) > MOST_SAID)


def _fine(line: str) -> bool:
    return '"level": "info"' in line


@asynccontextmanager
async def horae(place: Place, *words: str, **environment: str) -> AsyncIterator[Process]:
    """Runs a command of Horae from when it says it is ready until the end of the block."""
    log = place.folder / f"{words[0]}-{os.urandom(4).hex()}.log"
    with log.open("wb") as output:
        child = subprocess.Popen(  # noqa: ASYNC220 - a spawn of milliseconds, with nothing else under way
            [Path(sys.executable).with_name("horae"), *words],
            env=place.inherited() | place.environment(**environment),
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    process = Process(child, log)
    try:
        await _ready(process, READY[words[0]])
        yield process
    finally:
        with suppress(ProcessLookupError):
            child.send_signal(signal.SIGTERM)
        try:
            await asyncio.to_thread(child.wait, 20)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    for line in process.complaints():
        print(f"  {words[0]} says: {line}", file=sys.stderr)


async def _ready(process: Process, word: str) -> None:
    async with asyncio.timeout(60):
        while word not in process.log.read_text(errors="replace"):
            if process.child.poll() is not None:
                raise RuntimeError(f"the process ended:\n{process.log.read_text(errors='replace')}")
            await asyncio.sleep(0.002)


def cpu(process: psutil.Process | None) -> float:
    """Seconds of processor time that a process and its children used, those that ended included."""
    if process is None:
        return 0.0
    while True:  # until no child ended while we looked: its time moves to its parent at that moment
        before = process.cpu_times()
        try:
            living = sum(sum(child.cpu_times()[:4]) for child in process.children())
        except psutil.NoSuchProcess:
            continue
        after = process.cpu_times()
        if (before.children_user, before.children_system) == (after.children_user, after.children_system):
            return float(sum(after[:4]) + living)
