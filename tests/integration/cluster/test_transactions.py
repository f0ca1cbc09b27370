"""No transaction is open while a job executes: a claim is committed before the work begins."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy.engine import make_url

from tests.databases import mysql, postgresql
from tests.integration.cluster.cluster import PATIENCE, Make, eventually
from tests.integration.cluster.oracle import Oracle
from tests.waiting import until

pytestmark = pytest.mark.slow

OPEN = {
    "postgresql": "SELECT state, query FROM pg_stat_activity WHERE datname = current_database() "
    "AND xact_start < (SELECT MAX(started_at) FROM runs)",
    "mysql": "SELECT info FROM information_schema.innodb_trx AS t "
    "JOIN information_schema.processlist AS p ON p.id = t.trx_mysql_thread_id WHERE p.db = DATABASE() "
    "AND p.id <> CONNECTION_ID() AND t.trx_started < (SELECT MAX(started_at) FROM runs) - INTERVAL 1 SECOND",
}


@asynccontextmanager
async def open_transaction(url: str) -> AsyncIterator[None]:
    place = make_url(url)
    if place.get_backend_name() == "postgresql":
        async with postgresql(place) as connection, connection.transaction():
            yield
    else:
        async with mysql(place) as cursor:
            await cursor.execute(f"USE `{place.database}`")
            await cursor.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT")
            yield
            await cursor.execute("ROLLBACK")


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=getattr(pytest.mark, kind)) for kind in OPEN])
async def test_none_is_older_than_the_work(make_cluster: Make, oracle: Oracle, kind: str) -> None:
    """Work of each kind is under way, and goes on. A transaction that was open when it began, and is now, would be one
    that is open for as long as it lasts."""
    cluster = await make_cluster(kind)
    async with open_transaction(cluster.url):
        await cluster.start_worker()
        arguments = {"path": str(oracle.path), "seconds": 60}
        await cluster.create("async", {"kind": "python", "function": "ticking", "arguments": arguments})
        await cluster.create("process", {"kind": "python", "function": "ticking_apart", "arguments": arguments})
        await cluster.create("script", {"kind": "script", "source": f"{oracle.script('start')}; sleep 60"})
        for job in ("async", "process", "script"):
            await cluster.run(job)
        await until(lambda: len(oracle.notes("start")) == 3, timeout=PATIENCE, message="all three are at work")

        async def beaten() -> int:
            return await cluster.count("runs r JOIN workers w ON w.heartbeat_at > r.started_at")

        await eventually(beaten, message="the worker has beaten since")
        assert len(await cluster.ask(OPEN[kind])) == 1, "the one of this test is not seen"

    async def none() -> bool:  # the end of that one may be seen a moment later
        return await cluster.ask(OPEN[kind]) == []

    await eventually(none, timeout=20, message="no transaction is older than the work, which lasts for a minute")
