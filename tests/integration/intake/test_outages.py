"""An intake that is killed, and one whose broker or database goes away: nothing is lost, nothing runs twice."""

import json
import signal
from collections.abc import Callable
from urllib.parse import urlsplit

import asyncpg
import pytest

from tests.integration.cluster.cluster import Make, eventually
from tests.integration.intake.brokers import EACH, SourceUnderTest
from tests.integration.intake.conftest import MAIL, Intakes
from tests.integration.wakeups.proxy import Proxy
from tests.waiting import until

MESSAGES = 200
QUEUE, _, STREAM = EACH


@pytest.mark.slow
@pytest.mark.sqlite
async def test_killed_and_started_again(make_cluster: Make, source: SourceUnderTest):
    cluster = await make_cluster("sqlite")
    await cluster.create("mail", MAIL)
    settings = {"HORAE_INTAKE_KEY": await cluster.key("operator"), "HORAE_INTAKE_SOURCE": source.url}
    await source.send(*({"job": "mail", "input": n} for n in range(MESSAGES)))
    first = cluster.start("intake", "--batch", "3", **settings)

    async def some_runs() -> bool:
        return await cluster.count("runs") > MESSAGES // 8

    await eventually(some_runs)
    await first.kill()
    second = await cluster.start("intake", **settings).ready()

    async def all_runs() -> bool:
        return await cluster.count("runs") >= MESSAGES and await source.waiting() == 0

    await eventually(all_runs)
    second.signal(signal.SIGTERM)
    assert await second.ended() == 0
    rows = await cluster.ask("SELECT input FROM runs")
    assert sorted(json.loads(row["input"]) for row in rows) == list(range(MESSAGES))
    assert await source.dead() == []


@pytest.mark.slow
@pytest.mark.sqlite
@pytest.mark.parametrize("source", [STREAM], indirect=True)
async def test_a_revoked_key_ends_the_process(make_cluster: Make, source: SourceUnderTest):
    cluster = await make_cluster("sqlite")
    settings = {"HORAE_INTAKE_KEY": await cluster.key("operator"), "HORAE_INTAKE_SOURCE": source.url}
    intake = await cluster.start("intake", **settings).ready()
    await cluster.tell("DELETE FROM api_keys")
    assert await intake.ended() == 2
    assert "revoked" in intake.output


@pytest.mark.sqlite
async def test_the_broker_goes_away_and_comes_back(intakes: Intakes, source: SourceUnderTest):
    parts = urlsplit(source.server)
    async with Proxy(str(parts.hostname), int(parts.port or 0)) as proxy:
        behind = source.at(source.server.replace(f":{parts.port}", f":{proxy.port}"))
        intake = await intakes.start(url=behind)
        await source.send({"job": "mail", "input": 1})
        await intakes.runs(1)
        proxy.refuse()
        await until(lambda: not intake.process.readiness().ready)
        assert "cannot be reached" in intake.process.readiness().reasons[0]
        await source.send({"job": "mail", "input": 2})
        proxy.accept()
        await intakes.runs(2)
        await until(lambda: intake.process.readiness().ready)
        await intake.stop()


@pytest.mark.postgresql
@pytest.mark.parametrize("source", [QUEUE, STREAM], indirect=True)
async def test_the_database_goes_away_and_comes_back(
    make_cluster: Make, source: SourceUnderTest, make_database: Callable[..., str]
):
    cluster = await make_cluster("postgresql")
    await cluster.create("mail", MAIL)
    intakes = Intakes(cluster, source)
    intake = await intakes.start()
    await source.send({"job": "mail", "input": 1})
    await intakes.runs(1)
    name = urlsplit(cluster.url).path[1:]
    admin = await asyncpg.connect(make_database("postgresql"))
    try:
        await admin.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        await admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
        await source.send({"job": "mail", "input": 2})
        await until(lambda: not intake.process.readiness().ready)
        assert (intake.count("submitted"), await source.dead()) == (1, [])
    finally:
        await admin.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
        await admin.close()
    await intakes.runs(2)
    await until(lambda: intake.process.readiness().ready)
    await intakes.close()
