"""Scripts as real processes: what they get, what they leave, and how they end."""

import asyncio
import json
import os
import resource
import shlex
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from horae.domain.outcome import Outcome
from horae.domain.states import AttemptOutcome, StopReason
from horae.executors import process
from horae.executors.script import ScriptExecutor
from tests.integration.executors.attempts import Log, make_attempt, running
from tests.waiting import until

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/",
    "LANG": "C.UTF-8",
    "HORAE_DATABASE_URL": "postgresql://secret",
    "HORAE_SECRET_KEY": "secret",
    "AWS_SECRET_ACCESS_KEY": "secret",
}


@pytest.fixture
async def script(tmp_path: Path) -> AsyncIterator[ScriptExecutor]:
    executor = ScriptExecutor(ENVIRONMENT, scratch=tmp_path)
    yield executor
    await executor.close()
    assert list(tmp_path.glob("horae-*")) == []


async def run(executor: ScriptExecutor, source: str, *, input: str | None = None, **target: Any) -> tuple[Outcome, Log]:
    attempt, log = make_attempt({"kind": "script", "source": source, **target}, input=input)
    return await executor.execute(attempt), log


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def pid_in(log: Log) -> int:
    await until(lambda: log.text().endswith("\n"))
    return int(log.text().split()[-1])


class TestWhatItGets:
    async def test_succeeds_with_its_output(self, script: ScriptExecutor) -> None:
        outcome, log = await run(script, "echo out; echo err >&2")
        assert outcome == Outcome(AttemptOutcome.SUCCEEDED, exit_code=0)
        assert (log.text(), log.text("stderr"), log.text("system")) == ("out\n", "err\n", "")

    async def test_environment_is_clean(self, script: ScriptExecutor) -> None:
        _, log = await run(script, "env -0 | tr '\\0\\n' '\\n_'", env={"OWN": "mine", "HORAE_RUN_ID": "forged"})
        seen = dict(line.split("=", 1) for line in log.text().splitlines())
        for name in ("PWD", "SHLVL", "_", "OLDPWD"):  # bash's own
            seen.pop(name, None)
        result = seen.pop("HORAE_RESULT")
        assert result.endswith("/result")
        assert seen == {
            "PATH": ENVIRONMENT["PATH"],
            "HOME": "/",
            "LANG": "C.UTF-8",
            "OWN": "mine",
            "HORAE_RUN_ID": "0195-run",
            "HORAE_JOB_NAME": "a job",
            "HORAE_ATTEMPT": "1",
            "HORAE_SCHEDULED_FOR": "2026-03-01T12:00:00+00:00",
            "HORAE_TRIGGER": "schedule",
        }

    async def test_arguments_are_not_read_by_a_shell(self, script: ScriptExecutor) -> None:
        args = ["a b", "$(id)", "'", '"', "-c", "", "ü"]
        _, log = await run(script, 'for a in "$@"; do echo "[$a]"; done', args=args)
        assert log.text().splitlines() == [f"[{arg}]" for arg in args]

    @pytest.mark.parametrize("size", [0, 10, 1_000_000])
    async def test_input_comes_on_standard_input(self, script: ScriptExecutor, size: int) -> None:
        text = json.dumps({"text": "x" * size})
        _, log = await run(script, "cat", input=text)
        assert log.text() == text

    async def test_without_input_standard_input_is_empty(self, script: ScriptExecutor) -> None:
        outcome, log = await run(script, "cat; echo end")
        assert (outcome.exit_code, log.text()) == (0, "end\n")

    async def test_input_may_be_left_unread(self, script: ScriptExecutor) -> None:
        outcome, _ = await run(script, "exit 0", input='"' + "x" * 900_000 + '"')
        assert outcome.kind is AttemptOutcome.SUCCEEDED

    async def test_source_may_be_long(self, script: ScriptExecutor) -> None:
        _, log = await run(script, "# " + "x" * 900_000 + "\necho end")
        assert log.text() == "end\n"

    async def test_source_is_not_for_others_to_see(self, script: ScriptExecutor) -> None:
        source = 'stat -c %a "$0" "$(dirname "$0")"; tr "\\0" " " < /proc/$$/cmdline'
        _, log = await run(script, source)
        assert log.text().startswith("600\n700\n")
        assert "stat" not in log.text()

    @pytest.mark.parametrize(
        ("interpreter", "source"),
        [
            ("bash", 'echo "${BASH_VERSION:+yes}"'),
            ("sh", "echo yes"),
            ("python", "print('yes')"),
            (sys.executable, "print('yes')"),
        ],
    )
    async def test_interpreters(self, script: ScriptExecutor, interpreter: str, source: str) -> None:
        _, log = await run(script, source, interpreter=interpreter)
        assert log.text() == "yes\n"

    async def test_file_in_a_folder(self, script: ScriptExecutor, tmp_path: Path) -> None:
        (tmp_path / "job.sh").write_text('pwd; echo "$1"')
        target = {"kind": "script", "file": "job.sh", "cwd": str(tmp_path), "args": ["x"]}
        attempt, log = make_attempt(target)
        outcome = await script.execute(attempt)
        assert (outcome.exit_code, log.text()) == (0, f"{tmp_path}\nx\n")

    async def test_starts_at_home(self, script: ScriptExecutor) -> None:
        _, log = await run(script, "pwd")
        assert log.text() == "/\n"


class TestHowItEnds:
    async def test_exit_code(self, script: ScriptExecutor) -> None:
        outcome, _ = await run(script, "exit 3")
        assert (outcome.kind, outcome.error, outcome.exit_code) == (AttemptOutcome.FAILED, "exit code 3", 3)
        assert not outcome.permanent

    async def test_signal(self, script: ScriptExecutor) -> None:
        outcome, _ = await run(script, "kill -TERM $$")
        assert (outcome.error, outcome.exit_code) == ("killed by signal TERM", 143)

    @pytest.mark.parametrize(
        ("target", "error"),
        [
            ({"interpreter": "/no/such"}, "the interpreter /no/such does not exist on this worker"),
            ({"interpreter": "/etc/passwd"}, "the interpreter /etc/passwd is not executable on this worker"),
            ({"cwd": "/no/such"}, "the folder /no/such does not exist on this worker"),
            ({"cwd": "/etc/passwd"}, "the folder /etc/passwd does not exist on this worker"),
            ({"source": None, "file": "/no/such"}, "the file /no/such does not exist on this worker"),
        ],
    )
    async def test_what_cannot_be_started(self, script: ScriptExecutor, target: dict[str, Any], error: str) -> None:
        attempt, _ = make_attempt({"kind": "script", "source": "true", **target})
        outcome = await script.execute(attempt)
        assert (outcome.kind, outcome.error, outcome.permanent) == (AttemptOutcome.FAILED, error, True)

    async def test_too_many_arguments(self, script: ScriptExecutor) -> None:
        outcome, _ = await run(script, "true", args=["x" * 200_000])
        assert outcome.permanent
        assert "Argument list too long" in str(outcome.error)

    @pytest.mark.parametrize("text", ['{"rows": 3}', " [1, 2]\n", "null", '"ü"'])
    async def test_result(self, script: ScriptExecutor, text: str) -> None:
        outcome, _ = await run(script, f'printf %s {shlex.quote(text)} > "$HORAE_RESULT"')
        assert (outcome.kind, outcome.result) == (AttemptOutcome.SUCCEEDED, text.strip())

    @pytest.mark.parametrize(
        ("source", "error"),
        [
            ('echo "{rows: 3}" > "$HORAE_RESULT"', "the result is not JSON"),
            ('head -c 70000 /dev/zero | tr "\\0" 1 > "$HORAE_RESULT"', "the result is longer than 64 KiB"),
            ('printf "\\"\\377\\"" > "$HORAE_RESULT"', "the result is not JSON"),
            ('ln -s /etc/passwd "$HORAE_RESULT"', "the result cannot be read"),
            ('mkfifo "$HORAE_RESULT"', "the result is not a file"),
            ('mkdir -p "$HORAE_RESULT/deep"', "the result is not a file"),
        ],
    )
    async def test_bad_results(self, script: ScriptExecutor, source: str, error: str) -> None:
        outcome, _ = await run(script, source)
        assert outcome.kind is AttemptOutcome.FAILED
        assert outcome.permanent
        assert str(outcome.error).startswith(error)

    async def test_result_of_a_failure_is_kept(self, script: ScriptExecutor) -> None:
        outcome, _ = await run(script, 'echo 7 > "$HORAE_RESULT"; exit 1')
        assert (outcome.error, outcome.result) == ("exit code 1", "7")


class TestOutput:
    async def test_comes_while_it_runs(self, script: ScriptExecutor) -> None:
        attempt, log = make_attempt({"kind": "script", "source": "echo begun; exec sleep 600"})
        async with running(script, attempt):
            await until(lambda: log.text() == "begun\n")

    async def test_python_is_not_buffered(self, script: ScriptExecutor) -> None:
        source = "import time; print('begun'); time.sleep(600)"
        attempt, log = make_attempt({"kind": "script", "source": source, "interpreter": "python"})
        async with running(script, attempt):
            await until(lambda: log.text() == "begun\n")

    async def test_bytes_that_are_no_text(self, script: ScriptExecutor) -> None:
        _, log = await run(script, r"printf 'a\377b\0c\303'")
        assert log.text() == "a�b�c�"

    async def test_a_character_may_come_in_two_parts(self, script: ScriptExecutor, tmp_path: Path) -> None:
        source = r"mkfifo f; printf 'a\303'; read -r _ < f; printf '\274'"
        attempt, log = make_attempt({"kind": "script", "source": source, "cwd": str(tmp_path)})
        async with running(script, attempt) as it:
            await until(lambda: log.text() == "a")
            (tmp_path / "f").write_text("go\n")
            assert (await it.task).exit_code == 0
        assert log.text() == "aü"

    async def test_a_flood_without_newline_is_passed_on_and_forgotten(self, script: ScriptExecutor) -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        attempt, log = make_attempt({"kind": "script", "source": "head -c 500000000 /dev/zero"}, log=Log(limit=1 << 20))
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
        assert (outcome.exit_code, log.seen) == (0, 500_000_000)
        assert grown < 30_000  # KiB
        assert ticks > 100  # the loop went on serving others

    async def test_a_child_that_holds_the_pipe_does_not_hold_the_attempt(self, script: ScriptExecutor) -> None:
        outcome, log = await asyncio.wait_for(run(script, "sleep 600 & echo $!"), 10)
        assert outcome.exit_code == 0
        pid = await pid_in(log)
        await until(lambda: not is_alive(pid))
        assert log.text("system") == "ended what the script had left running\n"

    async def test_so_does_one_that_left_the_session_and_floods(self, script: ScriptExecutor) -> None:
        source = "setsid sh -c 'echo $$; exec yes' & sleep 0.2; exit 0"
        attempt, log = make_attempt({"kind": "script", "source": source}, log=Log(limit=1000))
        outcome = await asyncio.wait_for(script.execute(attempt), 10)
        assert outcome.exit_code == 0
        pid = int(log.text().split()[0])
        await until(lambda: not is_alive(pid))

    async def test_the_end_of_a_pipeline_may_finish(self, script: ScriptExecutor) -> None:
        _, log = await run(script, "exec > >(sleep 0.3; cat); echo late")
        assert log.text() == "late\n"

    async def test_a_silent_child_is_ended_as_well(self, script: ScriptExecutor) -> None:
        outcome, log = await run(script, "sleep 600 > /dev/null 2>&1 & echo $!")
        assert outcome.exit_code == 0
        pid = await pid_in(log)
        await until(lambda: not is_alive(pid))


REASONS = [StopReason.TIMEOUT, StopReason.CANCEL, StopReason.SHUTDOWN]


class TestStopping:
    @pytest.mark.parametrize("reason", REASONS)
    async def test_term_first(self, script: ScriptExecutor, reason: StopReason) -> None:
        source = "trap 'echo tidied; exit 0' TERM; echo $$; while :; do sleep 0.05; done"
        attempt, log = make_attempt({"kind": "script", "source": source}, grace=30)
        async with running(script, attempt) as it:
            await pid_in(log)
            it.stop(reason)
            assert await it.is_stopped()
        assert log.text().endswith("tidied\n")
        assert log.text("system") == f"{reason}: sent TERM\n"

    async def test_kill_after_the_grace(self, script: ScriptExecutor) -> None:
        source = "trap '' TERM; echo $$; while :; do sleep 0.05; done"
        attempt, log = make_attempt({"kind": "script", "source": source}, grace=0.4)
        async with running(script, attempt) as it:
            pid = await pid_in(log)
            it.stop(StopReason.TIMEOUT)
            assert await it.is_stopped()
        assert not is_alive(pid)
        assert log.text("system") == "timeout: sent TERM\ntimeout: sent KILL\n"

    async def test_the_lease_is_lost_kill_at_once(self, script: ScriptExecutor) -> None:
        source = "trap 'echo tidied' TERM; echo $$; while :; do sleep 0.05; done"
        attempt, log = make_attempt({"kind": "script", "source": source}, grace=600)
        async with running(script, attempt) as it:
            pid = await pid_in(log)
            it.stop(StopReason.LEASE_LOST)
            assert await it.is_stopped()
        assert not is_alive(pid)
        assert "tidied" not in log.text()

    async def test_asked_twice_kill_at_once(self, script: ScriptExecutor) -> None:
        source = "trap 'echo deaf' TERM; echo $$; while :; do sleep 0.05; done"
        attempt, log = make_attempt({"kind": "script", "source": source}, grace=600)
        async with running(script, attempt) as it:
            pid = await pid_in(log)
            it.stop(StopReason.SHUTDOWN)
            await until(lambda: log.text().endswith("deaf\n"))
            it.stop(StopReason.SHUTDOWN)
            assert await it.is_stopped()
        assert not is_alive(pid)

    async def test_the_whole_group(self, script: ScriptExecutor) -> None:
        source = "sleep 600 & sh -c 'sleep 600 & echo $!; wait' & wait"
        attempt, log = make_attempt({"kind": "script", "source": source}, grace=30)
        async with running(script, attempt) as it:
            grandchild = await pid_in(log)
            it.stop(StopReason.CANCEL)
            assert await it.is_stopped()
        assert not is_alive(grandchild)

    async def test_a_child_may_tidy_up_after_its_shell_has_died(self, script: ScriptExecutor, tmp_path: Path) -> None:
        child = "trap 'sleep 0.3; touch tidied; exit' TERM; echo $$; while :; do sleep 0.05; done"
        source = f"bash -c {shlex.quote(child)}; true"
        attempt, log = make_attempt({"kind": "script", "source": source, "cwd": str(tmp_path)}, grace=30)
        async with running(script, attempt) as it:
            await pid_in(log)
            it.stop(StopReason.CANCEL)
            assert await it.is_stopped()
        assert (tmp_path / "tidied").exists()

    @pytest.mark.parametrize("reason", [StopReason.LEASE_LOST, StopReason.TIMEOUT])
    async def test_children_that_left_the_session(self, script: ScriptExecutor, reason: StopReason) -> None:
        """Double-forked, in a session of its own, deaf to TERM, holding the pipe."""
        child = "trap '' TERM; echo $$; while :; do sleep 0.05; done"
        source = f"(setsid bash -c {shlex.quote(child)} &) ; exec sleep 600"
        attempt, log = make_attempt({"kind": "script", "source": source}, grace=0.3)
        async with running(script, attempt) as it:
            pid = await pid_in(log)
            assert os.getsid(pid) == pid
            it.stop(reason)
            assert await it.is_stopped()
        await until(lambda: not is_alive(pid))

    async def test_what_had_ended_by_itself_is_told_as_it_ended(self, script: ScriptExecutor) -> None:
        attempt, log = make_attempt({"kind": "script", "source": "sleep 600 & echo $$"})
        async with running(script, attempt) as it:
            pid = await pid_in(log)
            await until(lambda: not is_alive(pid))
            it.stop(StopReason.CANCEL)
            assert not await it.is_stopped()
            assert it.task.result().exit_code == 0


class TestElsewhere:
    """What is not there on every system."""

    async def test_without_pidfd(self, script: ScriptExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delattr(os, "pidfd_open")
        outcome, log = await run(script, "echo out; exit 4")
        assert (outcome.exit_code, log.text()) == (4, "out\n")

    async def test_without_setpriv(self, tmp_path: Path) -> None:
        assert process.Leash.find(ENVIRONMENT["PATH"]).prefix, "this machine has setpriv"
        (tmp_path / "bash").symlink_to("/bin/bash")
        script = ScriptExecutor({"PATH": str(tmp_path)}, scratch=tmp_path)
        outcome, log = await run(script, "echo out; exit 4")
        assert (outcome.exit_code, log.text()) == (4, "out\n")
        assert script._leash is not None
        assert script._leash.before is not None

    async def test_with_a_setpriv_that_knows_no_death_signal(self, tmp_path: Path) -> None:
        busybox = tmp_path / "setpriv"
        busybox.write_text("#!/bin/sh\nexit 1\n")
        busybox.chmod(0o755)
        assert process.Leash.find(str(tmp_path)).before is not None


@pytest.mark.parametrize("leash", ["find", "by_fork"])
async def test_scripts_die_with_a_killed_worker(leash: str, tmp_path: Path) -> None:
    worker = await asyncio.create_subprocess_exec(
        sys.executable,
        Path(__file__).with_name("dying.py"),
        leash,
        tmp_path,
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    )
    assert worker.stdout is not None
    pid = int(await worker.stdout.readline())
    assert is_alive(pid)
    worker.kill()
    await worker.wait()
    await until(lambda: not is_alive(pid))
