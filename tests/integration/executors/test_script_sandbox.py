"""Scripts in a sandbox of bubblewrap: what they see, what they cannot do, how they end."""

import os
import shlex
import shutil
import signal
import socket
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from horae.domain.states import AttemptOutcome, StopReason
from horae.executors.commands import CommandRunner
from horae.executors.script import ScriptExecutor
from tests.integration.executors.attempts import make_attempt, running
from tests.integration.executors.scripts import ENVIRONMENT, is_alive, left_below, run, supervisor_of
from tests.waiting import until

_BWRAP = shutil.which("bwrap")
_TRY = [_BWRAP or "", "--dev-bind", "/", "/", "--unshare-pid", "--unshare-net", "true"]
works = pytest.mark.skipif(
    not _BWRAP or bool(subprocess.run(_TRY, check=False).returncode), reason="bubblewrap does not work here"
)
TREE = "sleep 600 & (env -i setsid bash -c \"trap '' TERM; while :; do sleep 0.05; done\" &); echo begun; wait"


@pytest.fixture
async def boxed(tmp_path: Path) -> AsyncIterator[ScriptExecutor]:
    executor = ScriptExecutor(CommandRunner(ENVIRONMENT, scratch=tmp_path, sandbox="require"))
    yield executor
    await executor.close()
    assert list(tmp_path.glob("horae-*")) == []


@works
class TestInside:
    async def test_it_is_alone(self, boxed: ScriptExecutor) -> None:
        outcome, log = await run(boxed, 'ls -d /proc/[0-9]* | wc -l; cat; echo 7 > "$HORAE_RESULT"; exit 3', input="{}")
        assert int(log.text().split()[0]) < 10
        assert log.text().endswith("{}")
        assert (outcome.error, outcome.exit_code, outcome.result) == ("exit code 3", 3, "7")

    async def test_term_first(self, boxed: ScriptExecutor) -> None:
        source = "trap 'echo tidied; exit 0' TERM; echo begun; while :; do sleep 0.05; done"
        attempt, log = make_attempt({"kind": "script", "source": source}, grace=30)
        async with running(boxed, attempt) as it:
            await until(lambda: log.text() == "begun\n")
            it.stop(StopReason.CANCEL)
            assert await it.is_stopped()
        assert log.text() == "begun\ntidied\n"
        assert log.text("system") == "cancel: sent TERM\n"

    @pytest.mark.parametrize("reason", [StopReason.TIMEOUT, StopReason.LEASE_LOST])
    async def test_everything_ends(self, boxed: ScriptExecutor, reason: StopReason) -> None:
        attempt, log = make_attempt({"kind": "script", "source": TREE}, grace=0.3)
        async with running(boxed, attempt) as it:
            await until(lambda: log.text() == "begun\n")
            assert len(left_below(boxed)) > 4
            it.stop(reason)
            assert await it.is_stopped()
        assert left_below(boxed) == []

    async def test_what_it_left_running_ends(self, boxed: ScriptExecutor) -> None:
        outcome, _ = await run(boxed, TREE.replace("wait", "exit 0"))
        assert outcome.exit_code == 0
        assert left_below(boxed) == []

    async def test_all_that_watch_over_it_are_killed_together(self, boxed: ScriptExecutor) -> None:
        attempt, log = make_attempt({"kind": "script", "source": TREE})
        async with running(boxed, attempt) as it:
            await until(lambda: log.text() == "begun\n")
            pids = left_below(boxed)
            supervisor = psutil.Process(supervisor_of(boxed))
            for process in (supervisor, *supervisor.children()):
                process.send_signal(signal.SIGSTOP)
            for process in (*supervisor.children(), supervisor):
                process.kill()
            outcome = await it.task
        assert outcome.kind is AttemptOutcome.FAILED
        await until(lambda: not any(map(is_alive, pids)))

    async def test_limits(self, boxed: ScriptExecutor) -> None:
        outcome, _ = await run(boxed, "for _ in $(seq 30); do sleep 60 & done; wait", limits={"processes": 20})
        assert outcome.error == "too many processes: it had more than its limit of 20"
        source = "eaten = b'x' * 200_000_000\nimport time; time.sleep(60)"
        outcome, _ = await run(boxed, source, interpreter="python", limits={"memory": "100MiB"})
        assert outcome.error == "out of memory: it used more than its limit of 100 MiB"
        outcome, _ = await run(boxed, "while :; do :; done", limits={"cpu": 0.5})
        assert outcome.error == "used up its CPU time: more than its limit of 0.5 s"

    async def test_without_network(self, script: ScriptExecutor) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            source = f"exec 3<>/dev/tcp/127.0.0.1/{server.getsockname()[1]}"
            outcome, _ = await run(script, source, sandbox={})
            assert outcome.exit_code == 0
            outcome, log = await run(script, source, sandbox={"network": False})
        assert outcome.exit_code == 1
        assert "refused" in log.text("stderr")

    async def test_read_only(self, script: ScriptExecutor, tmp_path: Path) -> None:
        kept = tmp_path / "kept"
        kept.write_text("as it was")
        source = f"""
            ls -A /tmp; touch /tmp/mine || exit 4
            mount -o remount,rw / ; echo changed > {shlex.quote(str(kept))}
            cat kept
            echo 7 > "$HORAE_RESULT"
        """
        outcome, log = await run(script, source, sandbox={"read_only": True}, cwd=str(tmp_path))
        assert (outcome.exit_code, outcome.result) == (0, "7")
        assert log.text().endswith("as it was")
        assert "Read-only file system" in log.text("stderr")
        assert kept.read_text() == "as it was"
        assert not Path("/tmp/mine").exists()

    async def test_read_only_file(self, script: ScriptExecutor, tmp_path: Path) -> None:
        (tmp_path / "job.sh").write_text("echo yes")
        target = {"kind": "script", "file": str(tmp_path / "job.sh"), "sandbox": {"read_only": True}}
        attempt, log = make_attempt(target)
        assert (await script.execute(attempt)).exit_code == 0
        assert log.text() == "yes\n"


class TestWithout:
    """Where bubblewrap is missing, or does not work."""

    @pytest.fixture(params=["is not installed", "does not work"])
    def path(self, request: pytest.FixtureRequest, tmp_path: Path) -> str:
        for name in ("bash", "true"):
            (tmp_path / name).symlink_to(shutil.which(name) or "")
        if request.param == "does not work":
            (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: does not work' >&2\nexit 1\n")
            (tmp_path / "bwrap").chmod(0o755)
        return str(tmp_path)

    async def test_who_needs_one_is_refused(self, path: str, tmp_path: Path) -> None:
        script = ScriptExecutor(CommandRunner({"PATH": path}, scratch=tmp_path))
        outcome, _ = await run(script, "true", sandbox={"network": False})
        assert outcome.permanent
        assert str(outcome.error).startswith("it needs a sandbox, and this worker has none: b")

    async def test_all_may_need_one(self, path: str, tmp_path: Path) -> None:
        script = ScriptExecutor(CommandRunner({"PATH": path}, scratch=tmp_path, sandbox="require"))
        outcome, _ = await run(script, "true")
        assert outcome.permanent

    async def test_or_go_without(self, path: str, tmp_path: Path) -> None:
        script = ScriptExecutor(CommandRunner({"PATH": path}, scratch=tmp_path, sandbox="auto"))
        outcome, log = await run(script, "echo $$")
        assert outcome.exit_code == 0
        assert int(log.text()) > 2 or os.getpid() < 100
        await script.close()
