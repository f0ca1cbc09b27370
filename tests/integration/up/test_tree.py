"""The process tree of `horae up`, with stand-ins for its children: start, crash, stop, death."""

import json
import os
import signal
import stat

import psutil
import pytest

from tests.integration.up.running import ROLES, alive, stand_ins
from tests.waiting import until

pytestmark = pytest.mark.slow


async def test_it_starts_three_children_in_its_process_group_and_says_where(start):
    up = start()
    await up.ready()
    children = psutil.Process(up.pid).children()
    assert len(children) == 3
    assert {os.getpgid(child.pid) for child in children} == {os.getpgid(up.pid)} == {up.pid}
    assert f"http://127.0.0.1:{up.port}" in up.output
    assert str(up.data_dir) in up.output
    assert "jobs create hello --script 'echo hello' --every 10s" in up.output
    await until(lambda: all(f"{role:<9} | {role} says hello\n" in up.output for role in ROLES))


async def test_it_says_so_only_when_the_api_can_be_used(start):
    up = start(stand_ins(serve="patient"))
    await until(lambda: len(up.noted("asked")) >= 3)
    assert "Horae is running" not in up.output, "the process lives, and waits for its database"
    (up.data_dir / "database").touch()
    await up.ready()


async def test_client_json_is_private_and_written_before_the_api_is_up(start):
    up = start()
    await up.ready()
    client = up.data_dir / "client.json"
    assert json.loads(client.read_text()) == {"url": f"http://127.0.0.1:{up.port}", "token": "a-new-token"}
    assert stat.S_IMODE(client.stat().st_mode) == 0o600
    assert stat.S_IMODE((up.data_dir / "secret.key").stat().st_mode) == 0o600
    assert stat.S_IMODE(up.data_dir.stat().st_mode) == 0o700
    assert len(up.noted("finds-client.json")) == 3
    assert not list(up.data_dir.glob(".client*"))


async def test_it_goes_on_with_the_same_key_and_token(start):
    keys = []
    for known in ("None", "a-new-token"):
        up = start()
        await up.ready()
        assert (up.data_dir / "prepared.txt").read_text() == known
        keys.append((up.data_dir / "secret.key").read_text())
        up.signal_parent(signal.SIGTERM)
        assert await up.ended() == 0
    assert keys[0] == keys[1]


async def test_the_children_get_the_settings_of_up(start, monkeypatch):
    up = start(stand_ins(worker="environment"), HORAE_WORKER_SLOTS="3")
    await up.ready()
    await until(lambda: "HORAE_WORKER_SLOTS=3" in up.output)
    key = (up.data_dir / "secret.key").read_text().strip()
    for line in (
        f"HORAE_DATABASE_URL=sqlite:///{up.data_dir}/horae.db",
        f"HORAE_DATA_DIR={up.data_dir}",
        f"HORAE_SECRET_KEY={key}",
        "HORAE_EXECUTORS=http,python,script",
        "HORAE_HTTP_ALLOW_PRIVATE=true",
        "HORAE_DRAIN_TIMEOUT=5",
    ):
        assert f"worker    | {line}\n" in up.output


async def test_settings_of_the_user_override_those_of_up(start):
    own = {"HORAE_EXECUTORS": "http", "HORAE_HTTP_ALLOW_PRIVATE": "false", "HORAE_DRAIN_TIMEOUT": "1"}
    up = start(stand_ins(worker="environment"), **own)
    await up.ready()
    await until(lambda: "HORAE_SECRET_KEY" in up.output)
    for name, value in own.items():
        assert f"worker    | {name}={value}\n" in up.output


# ---- stopping


@pytest.mark.parametrize("how", ["Ctrl-C", "SIGTERM to the parent", "the terminal is closed"])
async def test_one_signal_is_one_orderly_stop(start, how):
    up = start()
    await up.ready()
    if how == "Ctrl-C":
        up.signal_group(signal.SIGINT)
    elif how == "SIGTERM to the parent":
        up.signal_parent(signal.SIGTERM)
    else:
        up.signal_group(signal.SIGHUP)
    assert await up.ended() == 0
    events = [(role, event) for role, event, _, _ in up.notes() if event in ("term", "end", "int")]
    assert events == [(role, event) for role in reversed(ROLES) for event in ("term", "end")]
    assert up.output.endswith("serve     | serve says goodbye\nStopped.\n")


async def test_nohup_is_respected(start):
    up = start(["nohup", *stand_ins()])
    await up.ready()
    up.signal_group(signal.SIGHUP)
    (pid,) = up.noted("start", "scheduler")
    os.kill(pid, signal.SIGKILL)  # something that is noticed after the signal
    await until(lambda: len(up.noted("start", "scheduler")) == 2)
    assert not up.noted("term")
    up.signal_group(signal.SIGINT)
    assert await up.ended() == 0


async def test_a_slow_worker_is_given_its_time_and_the_others_wait_for_it(start):
    up = start(stand_ins(worker="slow"), HORAE_DRAIN_TIMEOUT="1s")
    await up.ready()
    up.signal_group(signal.SIGINT)
    assert await up.ended() == 0
    times = {(role, event): at for role, event, _, at in up.notes()}
    assert times["scheduler", "term"] - times["worker", "term"] >= 1
    assert "worker (pid" in up.output
    assert "did not stop in time" in up.output


async def test_a_second_signal_stops_at_once(start):
    up = start(stand_ins(worker="slow"), HORAE_DRAIN_TIMEOUT="1h")
    await up.ready()
    up.signal_group(signal.SIGINT)
    await until(lambda: up.noted("term", "worker"))
    up.signal_group(signal.SIGINT)
    assert await up.ended(timeout=6) == 0
    assert up.noted("end", "worker")  # it got the second signal, and exited
    assert not up.noted("int")
    assert "Stopping now" in up.output


async def test_a_third_signal_kills(start):
    up = start(stand_ins(worker="stubborn", serve="stubborn"), HORAE_DRAIN_TIMEOUT="1h")
    await up.ready()
    up.signal_group(signal.SIGINT)
    await until(lambda: "giving running work" in up.output)
    up.signal_group(signal.SIGINT)
    await until(lambda: "Stopping now" in up.output)
    up.signal_group(signal.SIGINT)
    assert await up.ended(timeout=2) == 0


async def test_children_that_do_not_listen_are_killed(start):
    up = start(stand_ins(worker="stubborn", scheduler="stubborn", serve="stubborn"), HORAE_DRAIN_TIMEOUT="0s")
    await up.ready()
    up.signal_group(signal.SIGINT)
    await until(lambda: "giving running work" in up.output)
    up.signal_group(signal.SIGINT)
    assert await up.ended(timeout=4) == 0
    assert up.output.count("did not stop in time; killing it") == 3


async def test_the_children_die_with_the_parent(start):
    up = start(stand_ins(worker="stubborn", scheduler="slow"))
    await up.ready()
    up.signal_parent(signal.SIGKILL)
    await until(lambda: not up.processes(), timeout=2)
    assert up.code == -signal.SIGKILL
    assert not up.noted("term")
    again = start()
    await again.ready()


async def test_orphans_of_a_child_are_killed_at_shutdown(start):
    up = start(stand_ins(worker="litter"))
    await up.ready()
    await until(lambda: "worker    | left" in up.output)
    left = int(up.output.partition("| left ")[2].split()[0])
    assert alive(left)
    up.seen.add(left)
    up.signal_parent(signal.SIGTERM)
    assert await up.ended() == 0


async def test_unrelated_processes_are_not_killed(start):
    shell = ["sh", "-c", 'sleep 1000 & echo "stranger $!"; exec "$@"', "sh", *stand_ins()]
    up = start(shell)
    await up.ready()
    stranger = int(up.output.partition("stranger ")[2].split()[0])
    up.signal_parent(signal.SIGTERM)
    await until(lambda: up.code == 0)
    try:
        assert [process.pid for process in up.processes()] == [stranger]
    finally:
        os.kill(stranger, signal.SIGKILL)


async def test_it_is_stopped_before_it_is_ready(start):
    up = start()
    await until(lambda: len(up.noted("start")) == 3)
    up.signal_parent(signal.SIGTERM)
    assert await up.ended() == 0


# ---- children that fail


async def test_a_child_that_dies_is_started_again(start):
    up = start()
    await up.ready()
    (pid,) = up.noted("start", "scheduler")
    os.kill(pid, signal.SIGKILL)
    await until(lambda: len(up.noted("start", "scheduler")) == 2)
    assert f"scheduler (pid {pid}) was killed by SIGKILL; restarting it in 0.5 s\n" in up.output
    assert len(up.noted("start", "serve")) == len(up.noted("start", "worker")) == 1
    up.signal_group(signal.SIGINT)
    assert await up.ended() == 0


async def test_it_is_started_again_later_each_time_and_can_be_stopped_meanwhile(start):
    up = start(stand_ins(worker="crash"))
    await until(lambda: "exit code 1; restarting it in 1 s" in up.output)
    up.signal_group(signal.SIGINT)
    assert await up.ended() == 0
    assert len(up.noted("start", "worker")) == 2


async def test_wrong_settings_stop_everything_and_show_the_line(start):
    up = start(stand_ins(scheduler="misconfigured"))
    assert await up.ended() == 2
    assert up.output.endswith("horae up: scheduler cannot start: HORAE_SCHEDULER is wrong\n")
    assert "Traceback" not in up.output


async def test_a_command_that_is_not_there(start):
    up = start([*stand_ins()[:-1], json.dumps({"serve": ["/no/such/program"]})])
    assert await up.ended() == 2
    assert up.output.endswith(
        "horae up: serve cannot start: /no/such/program cannot be started: No such file or directory\n"
    )
    assert "Traceback" not in up.output
