"""SQLite's file: locked by another process, on a full disk, or moved away. Recovery as with the servers."""

import asyncio
import os
import sqlite3
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from time import time as now

from tests.faults.outage import gathered
from tests.faults.scenario import scenario
from tests.faults.stage import Stage
from tests.integration.cluster.cluster import PATIENCE
from tests.waiting import until

ONLY = ("sqlite",)


def place(stage: Stage) -> Path:
    return Path(stage.cluster.url.removeprefix("sqlite:///"))


@scenario(
    "sqlite-locked",
    "another process keeps the file locked for longer than any timeout",
    kinds=ONLY,
    rounds=3,
    within=90,
    bound=5,
)
async def sqlite_locked(stage: Stage) -> None:
    members = await stage.keep(gathered(stage))
    for _ in stage.rounds():
        await members.steady(times=16)
        members.remember()
        with closing(sqlite3.connect(place(stage), isolation_level=None, timeout=30)) as other:
            other.execute("BEGIN IMMEDIATE")
            await stage.pass_by(6 + 2 * stage.chance.random())
            other.execute("ROLLBACK")
        await members.resumes(now())
        await stage.settle()
    await members.has_let_go()


@scenario("sqlite-moved", "the file is moved away and put back", kinds=ONLY, rounds=3, within=100, bound=5)
async def sqlite_moved(stage: Stage) -> None:
    members = await stage.keep(gathered(stage))
    for _ in stage.rounds():
        await members.steady(times=8)
        members.remember()
        away = place(stage).with_suffix(".away")
        place(stage).rename(away)
        await members.is_refused()
        away.rename(place(stage))
        await members.resumes(now())
        await stage.settle()
    await members.has_let_go()


@scenario(
    "disk-full",
    "the disk of the database is full for a while",
    kinds=ONLY,
    fast=ONLY,
    rounds=3,
    within=100,
    bound=5,
    needs="leave to mount a disk (root)",
    possible=lambda: os.geteuid() == 0,
)
async def disk_full(stage: Stage) -> None:
    disk = await stage.keep(small_disk(stage.cluster.folder))
    with closing(sqlite3.connect(place(stage))) as source, closing(sqlite3.connect(disk / "horae.db")) as target:
        source.backup(target)
    await stage.cluster.close()
    stage.cluster.url = stage.cluster.settings["HORAE_DATABASE_URL"] = f"sqlite:///{disk}/horae.db"
    await stage.cluster.open()
    members = await stage.keep(gathered(stage))
    for _ in stage.rounds():
        await members.steady(times=12)
        members.remember()
        said = len(members.scheduler.logged("waiting for the database"))
        filler = await asyncio.to_thread(fill, disk)
        await until(
            lambda n=said: len(members.scheduler.logged("waiting for the database")) > n,  # type: ignore[misc]
            timeout=PATIENCE,
            message="the scheduler cannot write",
        )
        await stage.pass_by(2 * stage.chance.random())
        filler.unlink()
        await members.resumes(now())
        await stage.settle()
    with closing(sqlite3.connect(disk / "horae.db")) as check:
        assert check.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    await stage.every_slot(members.workers)


@asynccontextmanager
async def small_disk(folder: Path) -> AsyncIterator[Path]:
    disk = folder / "disk"
    disk.mkdir()
    await asyncio.to_thread(say, "mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(disk))
    try:
        yield disk
    finally:
        await asyncio.to_thread(say, "umount", "-l", str(disk))


def say(*words: str) -> None:
    subprocess.run(words, check=True)


def fill(disk: Path) -> Path:
    """Leaves no block free."""
    path = disk / "filler"
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"\0" * 4096)
    return path
