"""The SQLite file is its owner's alone, in a folder that is open to all and with a umask that lets all read."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from horae.clock import SystemClock, SystemIds
from horae.store import open_store
from horae.store.schema import migrate

pytestmark = pytest.mark.sqlite


@pytest.fixture(autouse=True)
def careless() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    return {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in folder.iterdir()}


async def test_a_new_file(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    url = f"sqlite:///{tmp_path}/horae.db"
    await migrate(url)
    store = await open_store(url, clock=SystemClock(), ids=SystemIds())
    try:
        await store.transact(lambda tx: tx.upkeep.check_writable())
        assert modes(tmp_path) == dict.fromkeys(["horae.db", "horae.db-wal", "horae.db-shm"], "0o600")
    finally:
        await store.close()


@pytest.mark.parametrize(("before", "after"), [(0o644, "0o640"), (0o666, "0o660"), (0o600, "0o600"), (0o660, "0o660")])
async def test_an_old_file_is_closed_to_strangers(before: int, after: str, tmp_path: Path) -> None:
    file = tmp_path / "horae.db"
    await migrate(f"sqlite:///{file}")
    file.chmod(before)
    await migrate(f"sqlite:///{file}")
    assert modes(tmp_path)["horae.db"] == after
