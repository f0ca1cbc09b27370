"""The database goes down and comes back: every process waits, logs that, and continues; none ends, nothing is lost."""

import asyncio
from itertools import pairwise
from pathlib import Path

import httpx
import pytest

from tests.faults.proxy import Proxy
from tests.integration.cluster.cluster import PATIENCE, Make, Member, Row, eventually, is_alive
from tests.integration.cluster.oracle import Oracle
from tests.waiting import until

pytestmark = pytest.mark.slow

WAITING, BACK = "waiting for the database", "the database is back"


@pytest.mark.mysql
async def test_the_database_goes_away_and_comes_back(make_cluster: Make, oracle: Oracle, tmp_path: Path) -> None:
    """On PostgreSQL the fault suite has the like."""
    cluster = await make_cluster("mysql")
    async with Proxy.before(cluster.url) as proxy, httpx.AsyncClient(trust_env=False) as web:
        url = {"HORAE_DATABASE_URL": proxy.url}
        serve, scheduler, worker = await asyncio.gather(
            cluster.start_serve(**url), cluster.start_scheduler(**url), cluster.start_worker(**url)
        )
        target = {"kind": "python", "function": "noted", "arguments": {"path": str(oracle.path)}}
        await cluster.create("steady", target, schedule={"every": "1s"}, overlap="allow")
        gate = tmp_path / "gate"
        arguments = {"path": str(oracle.path), "gate": str(gate)}
        held = await cluster.start_run("held", {"kind": "python", "function": "gated", "arguments": arguments})
        await cluster.running(held)
        await until(lambda: len(oracle.notes("end")) >= 2, timeout=PATIENCE)
        assert await ready(web, serve) == 200
        usual = proxy.connections
        for outage in (1, 2):
            proxy.refuse()
            for member in (serve, scheduler, worker):
                await until(lambda m=member, n=outage: len(episodes(m)) == 2 * n - 1, timeout=PATIENCE)  # type: ignore[misc]
            await eventually(answers, web, serve, 503)
            assert (await web.get(f"http://127.0.0.1:{serve.port}/health")).status_code == 200
            gate.touch()  # the attempt ends while it cannot be reported
            before = len(oracle.notes("end"))
            proxy.accept()
            await eventually(answers, web, serve, 200)
            for member in (serve, scheduler, worker):
                await until(lambda m=member, n=outage: len(episodes(m)) == 2 * n, timeout=PATIENCE)  # type: ignore[misc]
            await until(lambda n=before: len(oracle.notes("end")) >= n + 2, timeout=PATIENCE)  # type: ignore[misc]
        assert proxy.connections <= usual + 1  # one may be just being replaced
        assert proxy.refused > 0
        assert [member.code for member in cluster.members] == [None, None, None]

        run = await cluster.ended(held)
        assert (run.status, run.attempt, run.result) == ("succeeded", 1, 1)
        assert await cluster.count("attempts") == 0
        assert [await scheduler.stop(), await worker.stop(), await serve.stop()] == [0, 0, 0]
        history = await cluster.ask("SELECT * FROM run_history WHERE scheduled_for IS NOT NULL")
        assert {row["status"] for row in history} == {"succeeded"}
        assert_no_gap(history)
        assert {row["id"]: [1] for row in history} == {
            run_id: attempts for run_id, attempts in oracle.attempts("end").items() if run_id != held
        }


def episodes(member: Member) -> list[str]:
    """What a process said about the database, in order: it waits, it works again."""
    said = [line["event"] for line in member.lines() if line.get("event") in (WAITING, BACK)]
    assert all(a != b for a, b in pairwise(said)), f"said more than once: {said}"
    return said


async def ready(web: httpx.AsyncClient, serve: Member) -> int:
    return (await web.get(f"http://127.0.0.1:{serve.port}/health/ready")).status_code


async def answers(web: httpx.AsyncClient, serve: Member, status: int) -> bool:
    return await ready(web, serve) == status


def assert_no_gap(history: list[Row]) -> None:
    instants = sorted(row["scheduled_for"] for row in history)
    assert {(later - sooner).total_seconds() for sooner, later in pairwise(instants)} == {1.0}


@pytest.mark.postgresql
async def test_everybody_can_stop_without_the_database(make_cluster: Make, oracle: Oracle) -> None:
    cluster = await make_cluster("postgresql", HORAE_DRAIN_TIMEOUT="1s")
    async with Proxy.before(cluster.url) as proxy:
        url = {"HORAE_DATABASE_URL": proxy.url}
        members = await asyncio.gather(
            cluster.start_serve(**url), cluster.start_scheduler(**url), cluster.start_worker(**url)
        )
        source = f"{oracle.script('start')}; sleep 600"
        run_id = await cluster.start_run("hangs", {"kind": "script", "source": source})
        (note,) = await until(lambda: oracle.notes("start"), timeout=PATIENCE)
        proxy.refuse()
        assert [await member.stop() for member in members] == [0, 0, 0]
        assert not is_alive(note.pid)
        run = await cluster.look(run_id)
        assert (run.status, run.attempt) == ("running", 1)  # until its lease runs out
