"""SQLite's file under bad conditions: locked, on a full disk, gone. Nothing is half written, and work continues
afterwards."""

import asyncio
import os
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from horae.clock import SystemClock
from horae.domain.errors import StoreUnavailable
from horae.ports import Transaction
from horae.store import open_store, schema
from horae.store.dialects import sqlite
from horae.store.store import SqlStore
from tests.contract.test_errors import queue
from tests.contract.world import IDS

pytestmark = pytest.mark.sqlite


@pytest.fixture
def path(make_database: Callable[..., str], template: Callable[[str], str]) -> Path:
    return Path(make_database("sqlite", like=template("sqlite")).removeprefix("sqlite:///"))


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqlStore]:
    made = await open_store(f"sqlite:///{path}", clock=SystemClock(), ids=IDS)
    yield made
    await made.close()


async def names(store: SqlStore) -> list[str]:
    return await store.read(lambda tx: tx.jobs.queues())


async def test_another_writer_for_too_long(path: Path, store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match="busy"):
        await store.transact(queue, "a")
    assert await names(store) == []  # readers are not in its way
    other.execute("ROLLBACK")
    other.close()
    await store.transact(queue, "a")
    assert await names(store) == ["a"]


def close_after_a_refusal(other: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """`other` closes when a connection that tried to set its journal mode tries the next thing."""
    connect, tries = sqlite3.connect, 0

    class Observed(sqlite3.Connection):
        def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
            nonlocal tries
            if tries:
                other.close()
            tries += "journal_mode" in sql
            return super().execute(sql, *args)

    monkeypatch.setattr(sqlite3, "connect", partial(connect, factory=Observed))
    monkeypatch.setattr(sqlite3.dbapi2, "connect", partial(connect, factory=Observed))


async def test_migrating_while_another_process_writes_to_the_empty_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when two start on it in the same moment: SQLite refuses the second one's switch to WAL without waiting."""
    other = sqlite3.connect(tmp_path / "horae.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    close_after_a_refusal(other, monkeypatch)
    await schema.migrate(f"sqlite:///{tmp_path}/horae.db")
    assert await schema.current_revision(f"sqlite:///{tmp_path}/horae.db") == schema.CODE_REVISION


async def test_opening_while_the_last_process_closes_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing moves the log into the file, for which it is locked; a disk may take longer than one round of tries."""
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN IMMEDIATE")
    close_after_a_refusal(other, monkeypatch)
    opened = await open_store(f"sqlite:///{path}", clock=SystemClock(), ids=IDS)
    assert await names(opened) == []
    await opened.close()


async def test_the_file_is_removed_and_put_back(path: Path, store: SqlStore) -> None:
    await store.transact(queue, "a")
    away = path.with_suffix(".away")
    path.rename(away)
    for _ in range(2):  # on the connection there is, and on a new one
        with pytest.raises(StoreUnavailable):
            await store.transact(queue, "b")
        with pytest.raises(StoreUnavailable):
            await names(store)
    assert not path.exists()
    away.rename(path)
    await store.transact(queue, "c")
    assert await names(store) == ["a", "c"]


async def test_another_file_takes_its_place(path: Path, store: SqlStore) -> None:
    """As when a backup is restored: what was written before the copy was made is there, and work goes on in it."""
    await store.transact(queue, "a")
    copy = path.with_name("copy.db")
    with sqlite3.connect(path) as source, sqlite3.connect(copy) as target:
        source.backup(target)
    await store.transact(queue, "later")
    for leftover in (path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
        leftover.unlink(missing_ok=True)
    copy.rename(path)
    with pytest.raises(StoreUnavailable):
        await names(store)
    await store.transact(queue, "b")
    assert await names(store) == ["a", "b"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("only root may mount a disk")
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder], check=False)
    if mounted.returncode:
        pytest.skip("this machine does not let root mount a disk")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


async def test_a_full_disk(small_disk: Path, path: Path) -> None:
    place = small_disk / "horae.db"
    with sqlite3.connect(path) as source, sqlite3.connect(place) as target:
        source.backup(target)
    store = await open_store(f"sqlite:///{place}", clock=SystemClock(), ids=IDS)
    await store.transact(queue, "before")
    filler = small_disk / "filler"

    async def many(tx: Transaction) -> None:
        for n in range(2_000):
            await queue(tx, f"{n} " + "x" * 90)

    _fill(filler)
    with pytest.raises(StoreUnavailable, match="full"):
        await store.transact(many)
    assert await names(store) == ["before"]
    filler.unlink()
    await store.transact(queue, "after")
    assert await names(store) == ["after", "before"]
    await store.close()
    with sqlite3.connect(place) as check:
        assert check.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def _fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 65_536)
        except OSError:
            pass


async def test_many_writers_of_one_process_wait_in_order_and_in_time(path: Path) -> None:
    store = await open_store(f"sqlite:///{path}", clock=SystemClock(), ids=IDS, patience=0.1)
    begun, over = asyncio.Event(), asyncio.Event()

    async def keep(tx: Transaction) -> None:
        await queue(tx, "first")
        begun.set()
        await over.wait()

    keeping = asyncio.create_task(store.transact(keep))
    await begun.wait()
    with pytest.raises(StoreUnavailable, match="turn to write"):
        await store.transact(queue, "second")
    over.set()
    await keeping
    await store.transact(queue, "third")
    assert await names(store) == ["first", "third"]
    await store.close()
