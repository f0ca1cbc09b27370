"""A stop may come at any moment: there is one end, and nothing is left."""

import asyncio
from pathlib import Path

import pytest

from horae.domain.runs.states import StopReason
from horae.executors.script import ScriptExecutor
from tests.integration.executors.attempts import make_attempt, running
from tests.integration.executors.scripts import left_below, run
from tests.waiting import until


@pytest.mark.parametrize("reason", [StopReason.CANCEL, StopReason.TIMEOUT, StopReason.SHUTDOWN, StopReason.LEASE_LOST])
@pytest.mark.parametrize("turns", [0, 1, 2, 3, 5, 8])
async def test_while_it_starts(script: ScriptExecutor, reason: StopReason, turns: int) -> None:
    attempt, _ = make_attempt({"kind": "script", "source": "sleep 600"}, grace=30)
    async with running(script, attempt) as it:
        for _ in range(turns):
            await asyncio.wait([it.task], timeout=0)
        it.stop(reason)
        assert await it.is_stopped()
    assert left_below(script) == []


@pytest.mark.parametrize("delay", [0.001, 0.003, 0.006, 0.012])
async def test_around_its_end(script: ScriptExecutor, delay: float) -> None:
    """Whichever comes first."""
    await run(script, "true")
    for _ in range(10):
        attempt, _ = make_attempt({"kind": "script", "source": "exit 7"}, grace=30)
        async with running(script, attempt) as it:
            await asyncio.wait([it.task], timeout=delay)
            it.stop(StopReason.CANCEL)
            if not await it.is_stopped():
                assert it.task.result().exit_code == 7
        assert left_below(script) == []


async def test_before_it_began_nothing_is_started(script: ScriptExecutor, tmp_path: Path) -> None:
    attempt, _ = make_attempt({"kind": "script", "source": "touch begun", "cwd": str(tmp_path)})
    async with running(script, attempt) as it:
        it.stop(StopReason.LEASE_LOST)
        assert await it.is_stopped()
    assert not (tmp_path / "begun").exists()


async def test_while_its_output_is_read(script: ScriptExecutor) -> None:
    attempt, log = make_attempt({"kind": "script", "source": "sleep 600 & echo done"})
    async with running(script, attempt) as it:
        await until(lambda: log.text() == "done\n" and len(left_below(script)) == 2)  # a keeper, and what was left
        it.stop(StopReason.TIMEOUT)
        it.stop(StopReason.LEASE_LOST)
        assert not await it.is_stopped()
        assert it.task.result().exit_code == 0
    assert left_below(script) == []
