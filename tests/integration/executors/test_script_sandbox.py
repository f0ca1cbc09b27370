"""Scripts in a sandbox of bubblewrap: what they see, what they cannot do, how they end."""

import os
import shlex
import shutil
import signal
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from horae.domain.runs.states import AttemptOutcome, StopReason
from horae.executors.commands import CommandRunner
from horae.executors.sandbox import Hidden
from horae.executors.script import ScriptExecutor
from tests.integration.executors.attempts import make_attempt, running
from tests.integration.executors.scripts import ENVIRONMENT, is_alive, left_below, run, supervisor_of
from tests.waiting import until

works = pytest.mark.usefixtures("bubblewrap")
TREE = "sleep 600 & (env -i setsid bash -c \"trap '' TERM; while :; do sleep 0.05; done\" &); echo begun; wait"


@pytest.fixture
async def boxed(tmp_path: Path) -> AsyncIterator[ScriptExecutor]:
    executor = ScriptExecutor(CommandRunner(ENVIRONMENT, scratch=tmp_path / "scratch", sandbox="require"))
    yield executor
    await executor.close()
    assert list((tmp_path / "scratch").glob("horae-*")) == []


@pytest.fixture
async def script(tmp_path: Path) -> AsyncIterator[ScriptExecutor]:
    """Not right in `tmp_path`, which a sandbox would hide as a whole."""
    executor = ScriptExecutor(CommandRunner(ENVIRONMENT, scratch=tmp_path / "scratch"))
    yield executor
    await executor.close()


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

    async def test_leftover_processes_are_killed(self, boxed: ScriptExecutor) -> None:
        outcome, _ = await run(boxed, TREE.replace("wait", "exit 0"))
        assert outcome.exit_code == 0
        assert left_below(boxed) == []

    async def test_worker_supervisor_and_keeper_are_killed_together(self, boxed: ScriptExecutor) -> None:
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

    @pytest.mark.parametrize("read_only", [False, True])
    async def test_files_in_memory_have_a_limit_as_well(self, script: ScriptExecutor, read_only: bool) -> None:
        source = """
import os, shutil
places = {line.split()[1] for line in open('/proc/mounts') if line.split()[2] == 'tmpfs'}
for place in places:
    if os.access(place, os.W_OK) and not place.startswith('/sys/') and shutil.disk_usage(place).total > 20 << 20:
        print('much room in', place)
"""
        outcome, log = await run(
            script, source, interpreter="python", sandbox={"read_only": read_only}, limits={"memory": "20MiB"}
        )
        assert (outcome.exit_code, log.text()) == (0, "")

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


@works
class TestHidden:
    """What is not for scripts is not there, whatever they request."""

    @pytest.fixture
    async def hiding(self, tmp_path: Path) -> AsyncIterator[ScriptExecutor]:
        for name in ("data", "code", "sockets", "shared"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "file").write_text(f"of {name}")
        (tmp_path / "key").write_text("the key")
        (tmp_path / "link").symlink_to(tmp_path / "key")
        (tmp_path / "data" / "tools").mkdir()
        (tmp_path / "data" / "tools" / "tool").write_text("kept")
        hidden = Hidden(
            folders=[tmp_path / "data", tmp_path / "sockets", tmp_path / "missing"],
            files=[tmp_path / "link", tmp_path / "none"],
            code=[tmp_path / "code"],
            kept=[tmp_path / "data" / "tools"],
            shown=[tmp_path / "sockets"],
        )
        runner = CommandRunner(ENVIRONMENT, scratch=tmp_path / "scratch", sandbox="require", hidden=hidden)
        executor = ScriptExecutor(runner)
        yield executor
        await executor.close()

    @pytest.mark.parametrize("read_only", [False, True])
    async def test_folders_and_files(self, hiding: ScriptExecutor, tmp_path: Path, read_only: bool) -> None:
        source = f"cd {tmp_path}; cat data/file key link; cat data/tools/tool; ls -A data scratch/*; ls scratch"
        outcome, log = await run(hiding, source, sandbox={"read_only": read_only}, cwd=str(tmp_path))
        assert outcome.exit_code is not None
        said = log.text() + log.text("stderr")
        assert "of data" not in said
        assert "the key" not in said
        assert "kept" in log.text()

    async def test_where_it_starts_opens_nothing(self, hiding: ScriptExecutor, tmp_path: Path) -> None:
        outcome, log = await run(hiding, "cat file", sandbox={"read_only": True}, cwd=str(tmp_path / "data"))
        assert outcome.exit_code == 1
        assert "of data" not in log.text()

    async def test_the_content_of_a_hidden_file_is_not_leaked(self, hiding: ScriptExecutor, tmp_path: Path) -> None:
        for read_only in (False, True):
            target = {"kind": "script", "file": str(tmp_path / "key"), "sandbox": {"read_only": read_only}}
            attempt, log = make_attempt(target)
            await hiding.execute(attempt)
            assert "the" not in log.text("stderr").replace(str(tmp_path), "").split()

    async def test_visible_folders_are_writable_and_code_is_read_only(
        self, hiding: ScriptExecutor, tmp_path: Path
    ) -> None:
        source = f"cd {tmp_path}; cat sockets/file code/file && echo new > sockets/file; echo bad > code/file"
        outcome, log = await run(hiding, source)
        assert outcome.exit_code == 1
        assert "Read-only file system" in log.text("stderr")
        assert log.text() == "of socketsof code"
        assert (tmp_path / "sockets" / "file").read_text() == "new\n"
        assert (tmp_path / "code" / "file").read_text() == "of code"

    async def test_other_attempts(self, hiding: ScriptExecutor, tmp_path: Path) -> None:
        """Neither their folders nor their processes, while they run."""
        victim, theirs = make_attempt(
            {
                "kind": "script",
                "source": "echo $TOKEN > $HORAE_RESULT.part; echo begun; sleep 60",
                "env": {"TOKEN": "a5b4"},
            }
        )
        async with running(hiding, victim):
            await until(lambda: theirs.text() == "begun\n")
            source = f"grep -rl 'a5[b]4' {tmp_path}/scratch /proc/[0-9]*/environ; true"
            outcome, log = await run(hiding, source)
        assert (outcome.exit_code, log.text()) == (0, "")

    async def test_sockets_and_shared_memory(self, hiding: ScriptExecutor) -> None:
        kept = Path("/dev/shm/horae-test-shared")
        kept.write_text("theirs")
        try:
            source = (
                "ls /dev/shm; find /run -type s; ipcmk -Q > /dev/null && ipcs -q | grep -c 0x; hostname inside; true"
            )
            outcome, log = await run(hiding, source)
        finally:
            kept.unlink()
        assert (outcome.exit_code, log.text()) == (0, "1\n")
        assert socket.gethostname() != "inside"

    async def test_names_are_still_resolved(self, hiding: ScriptExecutor) -> None:
        outcome, log = await run(hiding, "cat /etc/resolv.conf")
        assert (outcome.exit_code, log.text()) == (0, Path("/etc/resolv.conf").read_text())

    async def test_a_result_that_leads_elsewhere(self, hiding: ScriptExecutor, tmp_path: Path) -> None:
        (tmp_path / "data" / "client.json").write_text("{}")
        outcome, _ = await run(hiding, f"ln -s {tmp_path}/data/client.json $HORAE_RESULT")
        assert outcome.result is None


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

    async def test_a_script_that_requires_a_sandbox_is_refused_without_one(self, path: str, tmp_path: Path) -> None:
        script = ScriptExecutor(CommandRunner({"PATH": path}, scratch=tmp_path))
        outcome, _ = await run(script, "true", sandbox={"network": False})
        assert outcome.permanent
        assert str(outcome.error).startswith("it requires a sandbox, and this worker has none: b")

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
