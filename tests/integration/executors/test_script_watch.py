"""If any process that supervises a script is killed or suspended, nothing of the script stays alive."""

import os
import shlex
import signal
import sys
from asyncio import create_subprocess_exec, subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil

from horae.clock import SystemClock
from horae.domain.runs.states import AttemptOutcome
from horae.executors.commands import CommandRunner
from horae.executors.script import ScriptExecutor
from tests.integration.executors.attempts import make_attempt, running
from tests.integration.executors.scripts import is_alive, pids_in, run, supervisor_of
from tests.waiting import until

DEAF = "trap '' TERM; echo $$; while :; do sleep 0.05; done"
# Its own pid, that of a child in its session, and that of an orphan in another one, deaf to TERM; without a trace of
# the attempt in its environment.
TREE = f"""
sleep 600 & echo $$ $!
(env -i setsid bash -c {shlex.quote(DEAF)} &)
wait
"""


@asynccontextmanager
async def worker(
    scratch: Path, *, lease: float = 600, count: int = 3
) -> AsyncIterator[tuple[subprocess.Process, int, list[int]]]:
    """A process that runs TREE; its supervisor's pid, and the script's."""
    process = await create_subprocess_exec(
        sys.executable,
        Path(__file__).with_name("dying.py"),
        scratch,
        str(lease),
        TREE.replace("sleep 600 & echo $$ $!", "sleep 600 & printf '%s ' $$ $!"),
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    )
    assert process.stdout is not None
    supervisor, *script = map(int, (await process.stdout.readline()).split())
    assert len(script) == count
    assert all(map(is_alive, script))
    try:
        yield process, supervisor, script
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def all_dead(pids: list[int]) -> None:
    await until(lambda: not any(map(is_alive, pids)), message=f"of {pids} some are alive")


async def test_the_worker_is_killed(tmp_path: Path) -> None:
    async with worker(tmp_path) as (process, supervisor, script):
        keepers = [child.pid for child in psutil.Process(supervisor).children()]
        process.kill()
        await process.wait()
        await all_dead([*script, *keepers, supervisor])


async def test_the_worker_is_stopped_beyond_its_lease(tmp_path: Path) -> None:
    async with worker(tmp_path, lease=1.5) as (process, supervisor, script):
        process.send_signal(signal.SIGSTOP)
        await all_dead(script)
        assert is_alive(supervisor), "the worker may need it again"
        process.send_signal(signal.SIGCONT)
        await process.wait()


async def test_the_worker_and_its_supervisor_are_killed_together(tmp_path: Path) -> None:
    async with worker(tmp_path) as (process, supervisor, script):
        os.kill(supervisor, signal.SIGKILL)
        process.kill()
        await process.wait()
        await all_dead(script)


async def test_the_supervisor_is_killed(script: ScriptExecutor) -> None:
    attempt, log = make_attempt({"kind": "script", "source": TREE})
    async with running(script, attempt) as it:
        pids = await pids_in(log, 3)
        os.kill(supervisor_of(script), signal.SIGKILL)
        outcome = await it.task
    assert (outcome.kind, outcome.permanent) == (AttemptOutcome.FAILED, False)
    assert outcome.error == "the process that supervised it was killed, so it was stopped"
    await all_dead(pids)
    outcome, _ = await run(script, "true")
    assert outcome.exit_code == 0, "there is another supervisor"


async def test_a_keeper_is_killed(script: ScriptExecutor) -> None:
    attempt, log = make_attempt({"kind": "script", "source": TREE})
    other, other_log = make_attempt({"kind": "script", "source": "echo $$; exec sleep 600"})
    async with running(script, other):
        (unharmed,) = await pids_in(other_log, 1)
        async with running(script, attempt) as it:
            pids = await pids_in(log, 3)
            os.kill(psutil.Process(pids[0]).ppid(), signal.SIGKILL)
            outcome = await it.task
        assert outcome.error == "the process that supervised it was killed, so it was stopped"
        await all_dead(pids)
        assert is_alive(unharmed)


async def test_a_script_that_kills_its_supervisor_is_stopped(script: ScriptExecutor) -> None:
    outcome, _ = await run(script, "kill -9 $PPID; sleep 600")
    assert outcome.error == "the process that supervised it was killed, so it was stopped"


async def test_the_lease_runs_out_while_the_loop_is_blocked(script: ScriptExecutor) -> None:
    attempt, log = make_attempt({"kind": "script", "source": TREE})
    async with running(script, attempt) as it:
        pids = await pids_in(log, 3)
        attempt.lease.move(SystemClock().monotonic() + 0.3)
        while any(map(is_alive, pids)):  # without giving the loop a turn
            pass
        outcome = await it.task
    assert outcome.kind is AttemptOutcome.LOST


async def test_a_lease_that_is_moved_on_keeps_it_alive(script: ScriptExecutor) -> None:
    clock = SystemClock()
    attempt, log = make_attempt({"kind": "script", "source": "echo begun; sleep 1; echo end"})
    attempt.lease.move(clock.monotonic() + 0.5)
    async with running(script, attempt) as it:
        await until(lambda: log.text() == "begun\n")
        attempt.lease.move(clock.monotonic() + 600)
        assert (await it.task).exit_code == 0


async def test_a_lease_that_had_run_out_before_it_began(script: ScriptExecutor, tmp_path: Path) -> None:
    attempt, _ = make_attempt({"kind": "script", "source": "touch begun", "cwd": str(tmp_path)})
    attempt.lease.move(1)
    outcome = await script.execute(attempt)
    assert outcome.kind is AttemptOutcome.LOST
    assert not (tmp_path / "begun").exists()


async def test_supervisor_ends_with_its_worker_in_peace(tmp_path: Path) -> None:
    runner = CommandRunner(os.environ, scratch=tmp_path)
    script = ScriptExecutor(runner)
    await run(script, "true")
    supervisor = supervisor_of(script)
    await script.close()
    assert not is_alive(supervisor)


async def test_the_supervisor_s_last_message_is_read(script: ScriptExecutor) -> None:
    """Even if it did not read everything that was sent to it: its socket then ends with an error."""
    attempt, log = make_attempt({"kind": "script", "source": "echo $$; sleep 0.1; exit 7"})
    async with running(script, attempt) as it:
        (pid,) = await pids_in(log, 1)
        keeper = psutil.Process(psutil.Process(pid).ppid())
        keeper.suspend()
        await until(lambda: not is_alive(pid))
        attempt.lease.move(SystemClock().monotonic() + 600)
        keeper.resume()
        while is_alive(keeper.pid):  # without giving the loop a turn
            pass
        assert (await it.task).exit_code == 7
