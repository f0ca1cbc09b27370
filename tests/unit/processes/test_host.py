"""Whether a process is surely dead, asked about real processes."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from horae.domain.cluster.process import Host
from horae.processes import host as module
from horae.processes.host import surely_dead, this_host
from tests.waiting import until

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
ME = "from horae.processes.host import this_host; h = this_host(); print(h.key, h.pid, h.pid_started, flush=True)"


@contextmanager
def other(*before: str) -> Iterator[tuple[subprocess.Popen[str], Host]]:
    """Another process, and who it says it is."""
    code = f"{ME}; input()"
    command = [*before, sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        key, pid, started = process.stdout.readline().split()
        try:
            yield process, replace(this_host(), key=key, pid=int(pid), pid_started=int(started))
        finally:
            process.kill()


def test_this_process():
    me = this_host()
    assert me.pid == os.getpid()
    assert me == this_host()
    assert me.hostname
    assert "Python" in me.platform
    assert not surely_dead(me, me)


@linux
def test_another_process_lives_until_it_is_dead():
    with other() as (process, host):
        me = this_host()
        assert host.key == me.key
        assert not surely_dead(host, me)
        process.send_signal(signal.SIGSTOP)
        assert not surely_dead(host, me)
        process.kill()
        process.wait()
        assert surely_dead(host, me)


@linux
async def test_a_zombie_is_dead():
    with other() as (process, host):
        process.kill()
        await until(lambda: surely_dead(host, this_host()))
        assert process.returncode is None  # no one has waited for it: its entry is still there
        assert Path(f"/proc/{host.pid}").exists()


@linux
def test_a_pid_that_was_given_to_another_process():
    me = this_host()
    with other() as (_, host):
        assert surely_dead(replace(host, pid_started=host.pid_started - 1), me)
    assert surely_dead(replace(me, pid_started=me.pid_started - 1), me)


@linux
@pytest.mark.parametrize("change", [{"key": "elsewhere"}, {"hostname": "clone-of-this-machine"}, {"pid": 0}])
def test_processes_on_other_hosts_are_never_presumed_dead(change):
    with other() as (process, host):
        process.kill()
        process.wait()
        assert not surely_dead(replace(host, **change), this_host())


@linux
def test_a_process_that_proc_hides_is_not_presumed_dead(monkeypatch, tmp_path):
    with other() as (process, host):
        me = this_host()
        monkeypatch.setattr(module, "PROC", tmp_path)
        assert not surely_dead(replace(host, pid_started=1), me)
        process.kill()
        process.wait()
        assert surely_dead(host, me)


def test_without_proc_each_process_is_alone(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "PROC", tmp_path)
    one, two = this_host(), this_host()
    assert one.key != two.key
    assert not surely_dead(one, two)
    assert not surely_dead(one, one)


@linux
def test_a_strange_process_name(monkeypatch, tmp_path):
    stat = Path("/proc/self/stat").read_text()
    head, _, tail = stat.partition("(")
    (tmp_path / "7").mkdir()
    (tmp_path / "7/stat").write_text(f"{head}(a) Z 1 1 (b{tail[tail.rindex(')') :]}")
    monkeypatch.setattr(module, "PROC", tmp_path)
    assert module._stat(7) == (stat.rpartition(")")[2].split()[0], this_real_start(stat))


def this_real_start(stat: str) -> int:
    return int(stat.rpartition(")")[2].split()[19])


def may_unshare() -> bool:
    command = ["unshare", "--pid", "--fork", "--mount-proc", "true"]
    return bool(shutil.which("unshare")) and not subprocess.call(command, stderr=subprocess.DEVNULL)


@linux
@pytest.mark.skipif(not may_unshare(), reason="may not make a process namespace")
@pytest.mark.parametrize("proc", [["--mount-proc"], []], ids=["own /proc", "the host's /proc"])
def test_a_container_has_its_own_key(proc):
    """Its pid 1 must not be taken for ours; with a foreign /proc it cannot judge any process."""
    with other("unshare", "--pid", "--fork", "--kill-child", *proc) as (_, host):
        assert host.pid == 1
        assert host.key != this_host().key
        assert host.key.startswith("alone-") == (not proc)
