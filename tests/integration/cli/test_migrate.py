"""The schema by the command line: forth, and back again."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from horae import __version__
from horae.cli.app import run
from horae.clock import SystemClock, SystemIds
from horae.domain.cluster.process import Beat, Host, WorkerSign
from horae.store import open_store
from horae.store.schema import CODE_REVISION, OLDEST_USABLE, current_revision

HOST = Host("host-1", "linux", "key", 1, 1)
BEFORE = f"{int(OLDEST_USABLE) - 1:04}"


class Command:
    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str]:
        self._capsys.readouterr()
        return run(["migrate", *arguments]), self._capsys.readouterr().err


On = Callable[[str], Command]


@pytest.fixture
def on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> On:
    """`on(database_url)`: the command for this database."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HORAE_DATA_DIR", str(tmp_path))

    def command(database_url: str) -> Command:
        monkeypatch.setenv("HORAE_DATABASE_URL", database_url)
        return Command(capsys)

    return command


def at(database_url: str) -> str | None:
    from horae.wiring.shared import run as wait

    return wait(current_revision(database_url))


def heard(database_url: str, *, version: str, status: str = "idle") -> None:
    """A worker that has just given a sign of life."""
    from horae.wiring.shared import run as wait

    async def add(tx: Any) -> None:
        sign = WorkerSign(SystemIds().new(), "w", HOST, version, (), ("http",), 4)
        await tx.processes.register_worker(sign)
        await tx.processes.beat_worker(sign.id, Beat(status, 0, 0))

    async def work() -> None:
        store = await open_store(database_url, clock=SystemClock(), ids=SystemIds())
        await store.transact(add)
        await store.close()

    wait(work())


def test_back_and_forth(on: On, database_url: str):
    migrate = on(database_url)
    assert migrate("--to", BEFORE) == (0, f"The schema is at revision {BEFORE}.\n"), "forth, from nothing"
    assert migrate()[0] == 0
    code, said = migrate("--to", BEFORE)
    assert (code, "--yes" in said, f"from revision {CODE_REVISION} to {BEFORE}" in said) == (2, True, True)
    assert at(database_url) == CODE_REVISION, "nobody was there to be asked"
    code, said = migrate("--to", BEFORE.lstrip("0"), "--yes")
    assert (code, "including the data in it" in said) == (0, True)
    assert at(database_url) == BEFORE
    assert migrate()[0] == 0
    assert at(database_url) == CODE_REVISION


@pytest.mark.parametrize("given", ["9999", "head", "base", "0", "-1", "x"])
def test_a_revision_that_there_is_not(on: On, migrated_url: str, given: str):
    code, said = on(migrated_url)(f"--to={given}", "--yes")
    assert code == 2
    assert f"there is no revision {given!r}; this Horae knows 0001 to {CODE_REVISION}" in said
    assert at(migrated_url) == CODE_REVISION


def test_not_while_those_are_alive_that_could_not_work_on_it(on: On, migrated_url: str):
    migrate = on(migrated_url)
    heard(migrated_url, version="0.0.1")
    heard(migrated_url, version=__version__, status="offline")
    if OLDEST_USABLE < CODE_REVISION:
        assert migrate("--to", OLDEST_USABLE, "--yes")[0] == 0, "everybody can work on that"
        migrate()
    heard(migrated_url, version=__version__)
    code, said = migrate("--to", BEFORE, "--yes")
    assert (code, "processes of this version are alive (1)" in said, "host-1" in said) == (1, True, True)
    assert at(migrated_url) == CODE_REVISION
    assert migrate("--to", BEFORE, "--yes", "--force")[0] == 0
    assert at(migrated_url) == BEFORE
