"""Scripts that want more than they may have: ended, with the limit named, and the worker none the worse."""

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from horae.domain.runs.states import AttemptOutcome
from horae.domain.targets.fields import Limits
from horae.executors.commands import CommandRunner
from horae.executors.script import ScriptExecutor
from tests.integration.executors.attempts import make_attempt, running
from tests.integration.executors.scripts import ENVIRONMENT, is_alive, left_below, pids_in, run
from tests.lacking import lacking

PYTHON = "/usr/bin/python3"
SOURCE = Path(__file__).parents[3] / "src"
# Doubles nine times, so that it stays harmless if no one should stop it; each in its own session if asked to.
BOMB = """
import os, sys, time
for _ in range(9):
    if os.fork() == 0 and len(sys.argv) > 1:
        os.setsid()
time.sleep(60)
"""
GLUTTON = """
import time
eaten = []
while len(eaten) < 60:
    eaten.append(b"x" * 10_000_000)
    time.sleep(0.01)
"""


@pytest.mark.parametrize("sessions", [[], ["a session for each"]])
async def test_too_many_processes(script: ScriptExecutor, sessions: list[str]) -> None:
    outcome, _ = await run(script, BOMB, interpreter="python", args=sessions, limits={"processes": 20})
    assert (outcome.kind, outcome.permanent, outcome.exit_code) == (AttemptOutcome.FAILED, False, 137)
    assert outcome.error == "too many processes: it had more than its limit of 20"
    assert left_below(script) == []


async def test_as_many_processes_as_allowed(script: ScriptExecutor) -> None:
    outcome, _ = await run(script, "for _ in 1 2 3; do sleep 0.5 & done; wait", limits={"processes": 4})
    assert outcome.kind is AttemptOutcome.SUCCEEDED


async def test_out_of_memory(script: ScriptExecutor) -> None:
    outcome, _ = await run(script, GLUTTON, interpreter="python", limits={"memory": "100MiB"})
    assert outcome.error == "out of memory: it used more than its limit of 100 MiB"
    assert not outcome.permanent


async def test_out_of_memory_together(script: ScriptExecutor) -> None:
    """None of its processes uses too much alone."""
    source = "import os\nfor _ in range(3):\n    os.fork()\neaten = b'x' * 30_000_000\nimport time; time.sleep(60)"
    outcome, _ = await run(script, source, interpreter="python", limits={"memory": "150MiB"})
    assert outcome.error == "out of memory: it used more than its limit of 150 MiB"
    assert left_below(script) == []


async def test_shared_memory_counts_once(script: ScriptExecutor) -> None:
    source = "eaten = b'x' * 60_000_000\nimport os, time\nfor _ in range(3):\n    os.fork()\ntime.sleep(0.5)"
    outcome, _ = await run(script, source, interpreter="python", limits={"memory": "200MiB"})
    assert outcome.kind is AttemptOutcome.SUCCEEDED


@pytest.mark.parametrize(
    "source",
    ["while :; do :; done", "for _ in 1 2 3 4; do while :; do :; done & done; wait"],
    ids=["alone", "together"],
)
async def test_cpu_time(script: ScriptExecutor, source: str) -> None:
    outcome, _ = await run(script, source, limits={"cpu": 0.5})
    assert outcome.error == "used up its CPU time: more than its limit of 0.5 s"
    assert left_below(script) == []


async def test_open_files(script: ScriptExecutor) -> None:
    _, log = await run(script, "ulimit -n", limits={"files": 77})
    assert log.text() == "77\n"


@pytest.fixture
async def frugal(tmp_path: Path) -> AsyncIterator[ScriptExecutor]:
    limits = Limits(memory=100 << 20, processes=20)
    executor = ScriptExecutor(CommandRunner(ENVIRONMENT, scratch=tmp_path, limits=limits))
    yield executor
    await executor.close()


async def test_limits_of_the_worker(frugal: ScriptExecutor) -> None:
    outcome, _ = await run(frugal, GLUTTON, interpreter="python")
    assert outcome.error == "out of memory: it used more than its limit of 100 MiB"
    outcome, _ = await run(frugal, BOMB, interpreter="python", limits={"memory": "2GiB"})
    assert outcome.error == "too many processes: it had more than its limit of 20"
    outcome, _ = await run(frugal, "for _ in $(seq 30); do sleep 0.5 & done; wait", limits={"processes": 40})
    assert outcome.kind is AttemptOutcome.SUCCEEDED


async def test_limits_of_one_script_do_not_affect_another(script: ScriptExecutor) -> None:
    attempt, log = make_attempt({"kind": "script", "source": "echo $$; exec sleep 600", "limits": {"processes": 5}})
    async with running(script, attempt) as it:
        (pid,) = await pids_in(log, 1)
        bombs = [run(script, BOMB, interpreter="python", limits={"processes": 20}) for _ in range(2)]
        for outcome, _ in await asyncio.gather(*bombs):
            assert outcome.error == "too many processes: it had more than its limit of 20"
        assert is_alive(pid)
        assert not it.task.done()


def test_without_privileges() -> None:
    """Nothing runs ahead of the script then, but the kernel counts its processes."""
    if os.getuid() != 0 or not Path(PYTHON).exists():
        lacking("needs root, and a Python for everybody")
    command = [PYTHON, str(Path(__file__).with_name("unprivileged.py")), str(SOURCE)]
    worker = subprocess.run(command, user=65534, group=65534, stdout=subprocess.PIPE, text=True, check=True)
    assert worker.stdout.splitlines() == ["1 None", "-9 processes"]
