"""Live processes as `horae workers` and `horae schedulers` show them; and how few statements an idle cluster sends."""

import asyncio
import platform
import socket
import time
from pathlib import Path

import pytest

from horae import __version__
from horae.sdk.task import Task
from tests.integration.cluster import tasks
from tests.integration.cluster.cluster import PATIENCE, Cluster, Make, Row, eventually
from tests.integration.cluster.oracle import Oracle
from tests.waiting import until

pytestmark = pytest.mark.slow


@pytest.mark.sqlite
async def test_the_lists_tell_who_does_what(make_cluster: Make, oracle: Oracle, tmp_path: Path) -> None:
    cluster = await make_cluster("sqlite", HORAE_HEARTBEAT="500ms", HORAE_DRAIN_TIMEOUT="60s")
    api, scheduler, worker = await asyncio.gather(
        cluster.with_api("admin"),
        cluster.start_scheduler(),
        cluster.start_worker("--slots", "3", "--queues", "mail,default"),
    )
    cluster.settings |= api

    (found,) = await workers(cluster)
    own = [name for name, value in vars(tasks).items() if isinstance(value, Task)]
    offers = {"http", "script", *(f"python:{name}" for name in own)}
    offers |= {f"python:horae.{name}" for name in ("noop", "sleep", "fail", "echo")}
    assert set(found["offers"]) == offers
    expected = {
        "id": worker.id,
        "hostname": socket.gethostname(),
        "pid": worker.pid,
        "version": __version__,
        "queues": ["mail", "default"],
        "slots": 3,
        "busy": 0,
        "status": "idle",
        "runs_done": 0,
    }
    assert {name: found[name] for name in expected} == expected
    assert platform.system() in found["platform"]
    (leader,) = (await cluster.command("schedulers"))["items"]
    assert (leader["id"], leader["pid"], leader["shards"]) == (scheduler.id, scheduler.pid, list(range(64)))

    gate = tmp_path / "gate"
    arguments = {"path": str(oracle.path), "gate": str(gate)}
    target = {"kind": "python", "function": "gated", "arguments": arguments}
    await cluster.create("waits", target, queue="mail")
    await cluster.run("waits", 2)
    await until(lambda: len(oracle.notes("start")) == 2, timeout=PATIENCE)
    await eventually(status_is, cluster, worker.id, "busy", 2)
    worker.signal(15)
    await eventually(status_is, cluster, worker.id, "draining", 2)
    gate.touch()
    assert await worker.ended() == 0
    (found,) = await workers(cluster)
    assert (found["status"], found["busy"], found["runs_done"]) == ("stopped", 0, 2)


async def workers(cluster: Cluster) -> list[Row]:
    items: list[Row] = (await cluster.command("workers"))["items"]
    return items


async def status_is(cluster: Cluster, worker_id: str, status: str, busy: int) -> bool:
    (row,) = await cluster.ask("SELECT status, busy FROM workers WHERE id = :id", id=worker_id)
    return (row["status"], row["busy"]) == (status, busy)


async def test_a_silent_worker_is_offline(make_cluster: Make) -> None:
    """One that died silently, on a machine that no other process can inspect."""
    cluster = await make_cluster("sqlite")
    serve = await cluster.start_serve(HORAE_OFFLINE_AFTER="1s")
    worker = await cluster.start_worker()
    await worker.kill()
    token = await cluster.key("viewer")
    cluster.settings |= {"HORAE_URL": f"http://127.0.0.1:{serve.port}", "HORAE_TOKEN": token}

    async def offline() -> bool:
        return [found["status"] for found in await workers(cluster)] == ["offline"]

    await eventually(offline)


@pytest.mark.postgresql
async def test_an_idle_cluster_asks_little(make_cluster: Make) -> None:
    """No more than a few transactions a second once it has come to rest; a busy loop would make hundreds."""
    cluster = await make_cluster("postgresql")
    await asyncio.gather(cluster.start_scheduler(), cluster.start_worker())

    async def rests() -> bool:
        before, window = await transactions(cluster), time.monotonic() + 3
        await until(lambda: time.monotonic() > window)
        return await transactions(cluster) - before < 30

    await eventually(rests)


async def transactions(cluster: Cluster) -> int:
    (row,) = await cluster.ask("SELECT xact_commit AS n FROM pg_stat_database WHERE datname = current_database()")
    return int(row["n"])


async def test_a_drained_worker_ends_what_it_has_and_takes_nothing_more(
    make_cluster: Make, oracle: Oracle, tmp_path: Path
) -> None:
    cluster = await make_cluster("sqlite", HORAE_HEARTBEAT="500ms")
    api, worker = await asyncio.gather(cluster.with_api("admin"), cluster.start_worker("--slots", "3"))
    cluster.settings |= api
    gate = tmp_path / "gate"
    arguments = {"path": str(oracle.path), "gate": str(gate)}
    target = {"kind": "python", "function": "gated", "arguments": arguments}
    await cluster.create("waits", target)
    (under_way,) = await cluster.run("waits")
    await cluster.running(under_way)

    asked = await cluster.command("drain", worker.id)
    assert (asked["id"], asked["drain_requested_by"]) == (worker.id, "key:test")
    await eventually(status_is, cluster, worker.id, "draining", 1)
    (left,) = await cluster.run("waits")
    gate.touch()
    assert (await cluster.ended(under_way)).status == "succeeded"
    await eventually(status_is, cluster, worker.id, "draining", 0)
    assert (await cluster.look(left)).status == "queued"

    other = await cluster.start_worker()
    assert (await cluster.ended(left)).worker_id == other.id
    assert await worker.stop() == 0
