"""Processes that start while the database is down wait for it, log that, and start working when it comes."""

import asyncio

import httpx
import pytest

from tests.faults.proxy import Proxy
from tests.integration.cluster.cluster import PATIENCE, SERVERS, TASKS, Make, eventually, free_port
from tests.waiting import until

pytestmark = pytest.mark.slow
WAITING = "waiting for the database"


@pytest.mark.parametrize("kind", SERVERS)
async def test_everybody_waits_for_the_database(kind: str, make_cluster: Make) -> None:
    cluster = await make_cluster(kind)
    async with Proxy.before(cluster.url) as proxy, httpx.AsyncClient(trust_env=False) as web:
        proxy.refuse()
        url, port = {"HORAE_DATABASE_URL": proxy.url}, free_port()
        serve = cluster.start("serve", **url, HORAE_PORT=str(port))
        members = [serve, cluster.start("scheduler", **url), cluster.start("worker", "--import", TASKS, **url)]
        for member in members:
            await until(lambda m=member: m.logged(WAITING), timeout=PATIENCE, message=WAITING)  # type: ignore[misc]
            assert "horae:horae" not in member.output, "it shows a password"
        address = f"http://127.0.0.1:{port}"
        assert (await web.get(f"{address}/health/live")).status_code == 200
        answer = await web.get(f"{address}/health")
        assert (answer.status_code, answer.json()) == (503, {"status": "starting", "service": "horae"})
        for path in ("/health/ready", "/api/v1/jobs"):
            answer = await web.get(address + path)
            assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json")
            assert int(answer.headers["retry-after"]) > 0
            assert answer.headers["x-request-id"] == answer.json()["request_id"]
        proxy.accept()
        await asyncio.gather(*(member.ready() for member in members))

        async def ready() -> bool:
            return (await web.get(f"{address}/health/ready")).status_code == 200

        await eventually(ready)
        run_id = await cluster.start_run("now", {"kind": "python", "function": "nothing"})
        assert (await cluster.ended(run_id)).status == "succeeded"
        assert [await member.stop() for member in members] == [0, 0, 0]


@pytest.mark.postgresql
async def test_a_process_that_waits_for_its_database_can_be_stopped(make_cluster: Make) -> None:
    cluster = await make_cluster("postgresql")
    async with Proxy.before(cluster.url) as proxy:
        proxy.refuse()
        url = {"HORAE_DATABASE_URL": proxy.url}
        members = [
            cluster.start("serve", **url, HORAE_PORT=str(free_port())),
            cluster.start("scheduler", **url),
            cluster.start("worker", **url),
        ]
        for member in members:
            await until(lambda m=member: m.logged(WAITING), timeout=PATIENCE, message=WAITING)  # type: ignore[misc]
        assert [await member.stop() for member in members] == [0, 0, 0]
