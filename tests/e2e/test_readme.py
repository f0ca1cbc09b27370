"""The README and the examples, as a newcomer follows them: the commands are taken from the pages and executed.

What is peculiar to this machine is put in their place: the port, the database, the API key.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest

from tests.e2e.terminal import Pages, Shell, Terminal
from tests.integration.up.running import Running, free_port
from tests.waiting import until

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PAGES = Pages([ROOT / "README.md", ROOT / "examples" / "README.md"])
commands = PAGES.commands


def test_every_marked_block_is_one_that_a_test_runs():
    assert PAGES.names == {
        "up", "first job", "more jobs", "python", "python client", "cluster", "cluster client",
    }  # fmt: skip


# ---- make up, the first jobs, Ctrl-C, make up

# What CI itself has just made from nothing, in its own clone: uv, and the portal, which is built again if its sources
# are others. The environment is made here, too: it depends on where it is.
MADE = (".uv", "src/horae/portal_build")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The repository as a clone would have it if everything in the work tree were committed."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git repository")
    folder = tmp_path / "horae"
    for name in filter(None, listed.stdout.split("\0")):
        source, target = ROOT / name, folder / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    for made in MADE:
        if (ROOT / made).is_dir():
            shutil.copytree(ROOT / made, folder / made, symlinks=True)
    return folder


@pytest.fixture
def make_up(clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Running]]:
    for variable in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "ARGS"):  # of the `make test` that we may be in
        monkeypatch.delenv(variable, raising=False)
    (command,) = commands("up").splitlines()
    started: list[Running] = []

    def start() -> Running:
        program, *arguments = command.split()
        started.append(Running([program, "-C", str(clone), *arguments], tmp_path / "data"))
        return started[-1]

    yield start
    for running in started:
        running.kill()


async def ctrl_c(up: Running) -> None:
    """One Ctrl-C ends it all within seconds, without errors."""
    group = os.getpgid(up.pid)
    up.signal_group(signal.SIGINT)
    # `make` itself waits for its command and then dies of the same signal, as it always does.
    assert await up.ended(timeout=10) in (0, -signal.SIGINT)
    assert up.output.rstrip().endswith("Stopped."), up.output
    for complaint in ("***", "Traceback", "killed", "Error"):
        assert complaint not in up.output
    assert [process.pid for process in psutil.process_iter() if group_of(process.pid) == group] == []


def group_of(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None


@pytest.mark.sqlite
@pytest.mark.timeout(420)  # everything is set up from nothing: half a minute, more on a busy machine
async def test_a_newcomer(make_up, clone):
    up = make_up()
    await up.ready(timeout=240)
    shell = Shell(clone, HORAE_DATA_DIR=str(up.data_dir))
    said = shell.run(commands("first job"))
    assert "hello" in said.splitlines()  # its log; the lists have longer lines
    shell.run(commands("more jobs", **{"127.0.0.1:8080": f"127.0.0.1:{up.port}"}))

    def hellos() -> dict[str, str]:
        """The runs of the job by trigger: one that was asked for, and those of its schedule."""
        return {run["trigger"]: run["status"] for run in shell.json(".venv/bin/horae runs list --job hello")}

    await until(lambda: hellos() == {"manual": "succeeded", "schedule": "succeeded"})
    runs = {run["id"] for run in shell.json(".venv/bin/horae runs list") if run["status"] == "succeeded"}
    await functions(up, clone, shell)
    jobs = {job["name"] for job in shell.json(".venv/bin/horae jobs list")}
    assert jobs > {"hello", "ping", "second", "greet"}
    await ctrl_c(up)

    again = make_up()
    await again.ready(timeout=30)
    assert {job["name"] for job in shell.json(".venv/bin/horae jobs list")} == jobs
    known = {run["id"]: run["status"] for run in shell.json(".venv/bin/horae runs list")}
    assert {known.get(run) for run in runs} == {"succeeded"}
    await ctrl_c(again)


async def functions(up: Running, clone: Path, shell: Shell) -> None:
    """The examples, on a worker that joins those of `make up`."""
    script = commands("python", **{"$HOME/.local/share/horae": str(up.data_dir)})
    terminal = Terminal(clone, script)
    try:
        await until(partial(terminal.says, "worker ready"), timeout=30)
        key = json.loads((up.data_dir / "client.json").read_text())["token"]
        said = shell.run(commands("python client", **{"127.0.0.1:8080": f"127.0.0.1:{up.port}", "KEY": key}))
    finally:
        terminal.close()
    lines = said.splitlines()
    assert lines[:2] == ["hello Ada", "hello Grace"]
    assert lines[-2:] == ["hello Ada", "succeeded {'greeted': 'Ada'}"]
    assert "python:greet" in said


# ---- the cluster


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder from which the installed Horae is called as from a clone."""
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    return tmp_path


async def test_a_cluster(here, database_url):
    port, data_dir = str(free_port()), str(here / "data")
    postgresql = "postgresql://horae:password@db.example.org/horae"
    script = commands("cluster", **{postgresql: database_url})
    terminal = Terminal(here, script, HORAE_PORT=port, HORAE_DATA_DIR=data_dir)
    try:
        await until(partial(terminal.says, "serving", "scheduler ready", "worker ready"), timeout=60)
        script = commands("cluster client", **{"8080": port, "horae_…": terminal.key() or ""})
        shown = Shell(here, HORAE_DATA_DIR=data_dir).run(script)
        assert "0/32" in shown  # the worker's slots
        assert " 64 " in shown  # the scheduler's shards
    finally:
        terminal.close()
    assert "Traceback" not in terminal.output
