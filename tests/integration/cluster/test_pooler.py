"""All processes behind PgBouncer in transaction mode: each transaction may use another connection of the server."""

import asyncio

import httpx
import pytest
from sqlalchemy.engine import make_url

from tests.databases import server_url
from tests.integration.cluster.cluster import PATIENCE, Make, eventually
from tests.integration.cluster.oracle import Oracle
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.postgresql]


async def test_the_whole_life_of_jobs(make_cluster: Make, oracle: Oracle) -> None:
    pooler = make_url(server_url("pgbouncer"))
    cluster = await make_cluster("postgresql", HORAE_WORKER_POLL="200ms")
    url = make_url(cluster.url).set(port=pooler.port).render_as_string(hide_password=False)
    settings = {"HORAE_DATABASE_URL": url}
    serve, scheduler, worker, second = members = await asyncio.gather(
        cluster.start_serve(**settings),
        cluster.start_scheduler(**settings),
        cluster.start_worker(**settings),
        cluster.start_worker(**settings),
    )
    for member in (scheduler, worker, second):
        await until(lambda m=member: m.logged("no wake-ups arrive"), timeout=PATIENCE, message="it polls")  # type: ignore[misc]
    async with httpx.AsyncClient(trust_env=False) as web:
        assert (await web.get(f"http://127.0.0.1:{serve.port}/health/ready")).status_code == 200
    noted = {"kind": "python", "function": "noted", "arguments": {"path": str(oracle.path)}}
    await cluster.create("steady", noted, schedule={"every": "1s"}, overlap="allow")
    await cluster.create("many", noted, overlap="allow")
    many = await cluster.run("many", 100)
    source = {"kind": "script", "source": "echo hello; exit 3"}
    speaks = await cluster.start_run("speaks", source, retry={"max_attempts": 1})
    hangs = await cluster.start_run("hangs", {"kind": "script", "source": "sleep 600"})
    await cluster.running(hangs)
    await cluster.tell("UPDATE runs SET cancel_requested_at = now() WHERE id = :id", id=hangs)
    assert (await cluster.ended(hangs)).status == "cancelled"
    assert (await cluster.ended(speaks)).exit_code == 3
    assert await cluster.log(speaks) == "hello\n"

    async def all_over() -> bool:
        return await cluster.count("run_history WHERE status = 'succeeded' AND scheduled_for IS NULL") == len(many)

    await eventually(all_over)
    await until(lambda: len(oracle.notes("end")) >= 103, timeout=PATIENCE, message="the schedule goes on")
    assert [await member.stop() for member in members] == [0, 0, 0, 0]
    assert [line for member in members for line in member.lines() if line.get("level") == "error"] == []
    assert {attempts for run_id in many for attempts in oracle.attempts("end")[run_id]} == {1}
