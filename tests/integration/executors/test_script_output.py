"""What scripts print, however they print it."""

import asyncio
import resource
from pathlib import Path

from horae.executors.script import ScriptExecutor
from tests.integration.executors.attempts import Log, make_attempt, running
from tests.integration.executors.scripts import is_alive, pid_in, run
from tests.waiting import until


async def test_comes_while_it_runs(script: ScriptExecutor) -> None:
    attempt, log = make_attempt({"kind": "script", "source": "echo begun; exec sleep 600"})
    async with running(script, attempt):
        await until(lambda: log.text() == "begun\n")


async def test_python_is_not_buffered(script: ScriptExecutor) -> None:
    source = "import time; print('begun'); time.sleep(600)"
    attempt, log = make_attempt({"kind": "script", "source": source, "interpreter": "python"})
    async with running(script, attempt):
        await until(lambda: log.text() == "begun\n")


async def test_bytes_that_are_no_text(script: ScriptExecutor) -> None:
    _, log = await run(script, r"printf 'a\377b\0c\303'")
    assert log.text() == "a�b�c�"


async def test_a_character_may_come_in_two_parts(script: ScriptExecutor, tmp_path: Path) -> None:
    source = r"mkfifo f; printf 'a\303'; read -r _ < f; printf '\274'"
    attempt, log = make_attempt({"kind": "script", "source": source, "cwd": str(tmp_path)})
    async with running(script, attempt) as it:
        await until(lambda: log.text() == "a")
        (tmp_path / "f").write_text("go\n")
        assert (await it.task).exit_code == 0
    assert log.text() == "aü"


async def test_a_flood_without_newline_is_passed_on_and_forgotten(script: ScriptExecutor) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    attempt, log = make_attempt({"kind": "script", "source": "head -c 200000000 /dev/zero"}, log=Log(limit=1 << 20))
    ticks = 0

    async def others() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.to_thread(lambda: None)

    beside = asyncio.create_task(others())
    outcome = await script.execute(attempt)
    beside.cancel()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert (outcome.exit_code, log.seen) == (0, 200_000_000)
    assert grown < 30_000  # KiB
    assert ticks > 100  # the loop went on serving others


async def test_a_child_that_holds_the_pipe_does_not_hold_the_attempt(script: ScriptExecutor) -> None:
    attempt, log = make_attempt({"kind": "script", "source": "sleep 600 & echo $!"})
    async with running(script, attempt) as it:
        await asyncio.wait([it.task], timeout=15)
        assert it.task.done()
        assert it.task.result().exit_code == 0
    pid = await pid_in(log)
    await until(lambda: not is_alive(pid))
    assert log.text("system") == "ended what the script had left running\n"


async def test_so_does_one_that_left_the_session_and_floods(script: ScriptExecutor) -> None:
    source = "setsid sh -c 'echo $$; exec yes' & sleep 0.2; exit 0"
    attempt, log = make_attempt({"kind": "script", "source": source}, log=Log(limit=1000))
    async with running(script, attempt) as it:
        await asyncio.wait([it.task], timeout=15)
        assert it.task.done()
        assert it.task.result().exit_code == 0
    pid = int(log.text().split()[0])
    await until(lambda: not is_alive(pid))


async def test_the_end_of_a_pipeline_may_finish(script: ScriptExecutor) -> None:
    _, log = await run(script, "exec > >(sleep 0.3; cat); echo late")
    assert log.text() == "late\n"


async def test_a_silent_child_is_ended_as_well(script: ScriptExecutor) -> None:
    outcome, log = await run(script, "sleep 600 > /dev/null 2>&1 & echo $!")
    assert outcome.exit_code == 0
    pid = await pid_in(log)
    await until(lambda: not is_alive(pid))


async def test_progress_lines_are_reported_and_not_logged(script: ScriptExecutor) -> None:
    source = "echo begun; echo '::progress 0.4 reading'; echo '::progress 0.5' >&2; echo end"
    _, log = await run(script, source)
    assert log.told == [(0.4, "reading")]
    assert (log.text(), log.text("stderr")) == ("begun\nend\n", "::progress 0.5\n")
