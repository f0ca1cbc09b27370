"""Database servers that go away, hang, move, refuse or crawl: processes wait, log it, and continue when they are back.

Recovery is the time from the database's return to the first run that has ended since.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import time as now

from sqlalchemy.engine import make_url

from tests.databases import mysql, postgresql
from tests.faults.outage import Troupe, gathered
from tests.faults.proxy import Proxy
from tests.faults.scenario import BOTH, SERVERS, scenario
from tests.faults.servers import OwnServer, own_server
from tests.faults.stage import Stage
from tests.integration.cluster.cluster import PATIENCE
from tests.waiting import until


async def at_its_own_server(stage: Stage) -> tuple[OwnServer, Troupe]:
    server = await stage.keep(own_server(stage.kind))
    await server.database(stage)
    return server, await stage.keep(gathered(stage))


async def behind_a_proxy(stage: Stage) -> tuple[Proxy, Troupe]:
    proxy = await stage.proxy()
    return proxy, await stage.keep(gathered(stage, HORAE_DATABASE_URL=proxy.url))


@scenario(
    "database-killed",
    "the database server dies (PostgreSQL: immediate stop, MariaDB: kill -9) and comes back after a while",
    kinds=SERVERS,
    times=BOTH,
    fast=("postgresql",),
    rounds=20,
    within=100,
    bound=5,
)
async def database_killed(stage: Stage) -> None:
    server, members = await at_its_own_server(stage)
    members.remember()
    usual = 0
    for count in stage.rounds():
        away = stage.chance.choice((0.0, 0.5, 3.0))
        await members.steady(times=round(away) + 8)
        usual = usual or await server.connections()
        await stage.pass_by(stage.chance.random())
        await server.kill()
        if away and not count % 5:
            await members.is_refused()
        async with members.waiting():
            await stage.pass_by(away)
        await members.resumes(await server.back())
        await stage.settle()
    await members.has_let_go()
    assert await server.connections() <= usual + len(members.members), "connections were left behind"


@scenario(
    "database-stranded",
    "the database's address leads to another server: old connections hang or are reset, new ones are answered",
    kinds=SERVERS,
    times=BOTH,
    fast=("postgresql",),
    rounds=5,
    within=100,
    bound=5,
)
async def database_stranded(stage: Stage) -> None:
    proxy, members = await behind_a_proxy(stage)
    members.remember()
    for _ in stage.rounds():
        await members.steady(times=12)
        await stage.pass_by(stage.chance.random())
        if stage.chance.random() < 0.7:
            proxy.strand()
        else:
            proxy.cut()
        await members.resumes(now())
        await stage.settle()
    await members.has_let_go()


@scenario(
    "database-silent",
    "nothing passes between the processes and the database, for longer than a lease; then it does again",
    kinds=SERVERS,
    rounds=5,
    within=90,
    bound=5,
)
async def database_silent(stage: Stage) -> None:
    proxy, members = await behind_a_proxy(stage)
    await members.endure(proxy.silence, proxy.speak)


@scenario(
    "database-hangs",
    "the server is suspended (SIGSTOP): it accepts connections and does not respond",
    kinds=SERVERS,
    rounds=5,
    within=90,
    bound=5,
)
async def database_hangs(stage: Stage) -> None:
    server, members = await at_its_own_server(stage)
    await members.endure(server.pause, server.resume)


@scenario(
    "database-read-only",
    "the server is read-only for a while, like a primary that became a standby",
    kinds=SERVERS,
    times=BOTH,
    rounds=5,
    within=100,
    bound=5,
)
async def database_read_only(stage: Stage) -> None:
    server, members = await at_its_own_server(stage)
    members.remember()
    for _ in stage.rounds():
        await members.steady(times=10)
        await server.read_only(True)
        await members.is_refused()
        async with members.waiting():
            await stage.pass_by(3 * stage.chance.random())
        await server.read_only(False)
        await members.resumes(now())
        await stage.settle()
    await members.has_let_go()


@scenario(
    "database-slow",
    "every statement takes half a second longer, for a while",
    kinds=SERVERS,
    times=("default",),
    rounds=3,
    within=120,
    bound=5,
)
async def database_slow(stage: Stage) -> None:
    """Nothing is given up for being slow: attempts longer than a lease keep theirs."""
    proxy, members = await behind_a_proxy(stage)
    members.remember()
    for _ in stage.rounds():
        await members.steady(times=30)
        long = await stage.ask_for(2, stage.noting(stage.lease + 5))
        await stage.noted("start", lambda note, long=long: note.run_id in long, count=2)  # type: ignore[misc]
        proxy.delay = 0.25  # each way
        await stage.pass_by(stage.lease + 2)
        proxy.delay = 0.0
        await members.resumes(now())
        for run_id in long:
            assert (await stage.cluster.ended(run_id)).attempt == 1
        await stage.settle()
    await members.has_let_go()


@scenario(
    "commit-unheard",
    "the reply to a COMMIT is lost, and the database is down before its outcome can be checked",
    kinds=SERVERS,
    fast=("mysql",),
    rounds=5,
    within=100,
    bound=5,
)
async def commit_unheard(stage: Stage) -> None:
    """A claim, a firing or an ending, in turn: each is safe to repeat, and no run waits for its lease to run out."""
    proxy, members = await behind_a_proxy(stage)
    for count in stage.rounds():
        await members.steady(times=8)
        text = ("SET status = 'running'", "INTO run_history", "INTO runs")[(count + stage.seed) % 3]
        trap = proxy.trap(text, "done", proxy.refuse)
        await until(trap.sprung.is_set, timeout=PATIENCE, message=f"{text} passes")
        await stage.pass_by(stage.chance.random())
        proxy.accept()
        await members.resumes(now())
        await stage.settle()
    tried = await stage.cluster.ask("SELECT outcome FROM attempts")
    assert tried == [], "an attempt was lost although its worker lives"
    await stage.every_slot(members.workers)


@scenario(
    "tables-locked",
    "another client locks whole tables for longer than any lock timeout",
    kinds=SERVERS,
    rounds=5,
    within=90,
    bound=5,
)
async def tables_locked(stage: Stage) -> None:
    members = await stage.keep(gathered(stage))
    members.remember()
    for _ in stage.rounds():
        await members.steady(times=16)
        table = stage.chance.choice(("runs", "jobs", "workers"))
        async with locked_table(stage, table):
            await stage.pass_by(4 + 4 * stage.chance.random())
        await members.resumes(now())
        await stage.settle()
    await members.has_let_go()


@asynccontextmanager
async def locked_table(stage: Stage, table: str) -> AsyncIterator[None]:
    place = make_url(stage.cluster.url)
    if stage.kind == "postgresql":
        async with postgresql(place) as connection, connection.transaction():
            await connection.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
            yield
    else:
        async with mysql(place) as cursor:
            await cursor.execute(f"LOCK TABLES `{place.database}`.{table} WRITE")
            yield
            await cursor.execute("UNLOCK TABLES")


@scenario(
    "server-crowded",
    "the server is restarted and other clients take all its connections; later they leave",
    kinds=SERVERS,
    rounds=5,
    within=100,
    bound=5,
)
async def server_crowded(stage: Stage) -> None:
    server, members = await at_its_own_server(stage)
    members.remember()
    for _ in stage.rounds():
        await members.steady(times=8)
        async with server.crowded():
            await members.is_refused()
            await stage.pass_by(2 * stage.chance.random())
        await members.resumes(now())
        await stage.settle()
    await members.has_let_go()
