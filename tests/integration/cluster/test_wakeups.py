"""Processes on MariaDB, woken through a Redis that is away at first, and goes again."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from tests.integration.cluster.cluster import HORAE, Cluster, Make, eventually, execute, free_port
from tests.own_redis import own_redis
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.mysql, pytest.mark.redis]

AWAY = "1 worker keeps failing to receive wake-ups"
DEAF = "this process cannot send wake-ups: what it queues starts only when workers poll"
RECEIVED = 'received_total{topic="runs"}'


async def test_redis_carries_wake_ups_and_while_it_is_away_processes_poll(
    make_cluster: Make, tmp_path: Path, unused_tcp_port: int
) -> None:
    with own_redis(tmp_path, unused_tcp_port, "--requirepass", "s3cret") as redis:
        cluster = await make_cluster("mysql", HORAE_WAKEUPS=f"redis://:s3cret@127.0.0.1:{redis.port}/0")
        port = free_port()
        worker, serve = await cluster.start_worker(HORAE_METRICS_PORT=str(port)), await cluster.start_serve()
        headers = {"authorization": f"Bearer {await cluster.key('admin')}"}
        async with httpx.AsyncClient(headers=headers) as web:

            async def told(*wanted: str) -> bool:
                answer = await web.get(f"http://127.0.0.1:{serve.port}/health/detailed")
                return {AWAY, DEAF} & set(answer.json()["reasons"]) == set(wanted)

            async def metric(name: str) -> float:
                answer = await web.get(f"http://127.0.0.1:{port}/metrics")
                values = dict(line.rsplit(" ", 1) for line in answer.text.splitlines() if not line.startswith("#"))
                return float(values.get(f"horae_wakeups_{name}", 0))

            async def reliable(wanted: bool) -> bool:
                return await metric("reliable") == wanted

            async def more_than(count: float) -> bool:
                return await metric(RECEIVED) > count

            run = await cluster.start_run("greet", {"kind": "script", "source": "true"})
            assert (await cluster.ended(run)).status == "succeeded", "by polling"
            await eventually(told, AWAY, DEAF)
            assert await _check(cluster) == ("warning", "Redis cannot be reached")

            await redis.start()
            await eventually(told)
            await eventually(reliable, True)
            before = await metric(RECEIVED)
            (run,) = await cluster.run("greet")
            assert (await cluster.ended(run)).status == "succeeded"
            await eventually(more_than, before)

            redis.kill()
            await eventually(reliable, False)
            assert await metric("interrupted_total") == 1
            (run,) = await cluster.run("greet")
            assert (await cluster.ended(run)).status == "succeeded", "by polling again"
            await eventually(told, AWAY, DEAF)
        await until(lambda: worker.output.count("wake-ups are lost") == 2, message="once for each outage")
        assert worker.output.count("the connection for wake-ups is back") == 1
        assert not any("s3cret" in member.output for member in cluster.members)


async def _check(cluster: Cluster) -> tuple[str, str]:
    _, out, _ = await execute([*HORAE, "doctor", "--json"], cluster.settings)
    assert "s3cret" not in out
    own = [one for one in json.loads(out)["checks"] if one["name"] == "wake-ups"][-1]  # others are those of processes
    return own["state"], own["finding"]
