"""A pooler in front of the database: each transaction may use another connection of the server."""

from time import time as now

from sqlalchemy.engine import make_url

from tests.databases import postgresql
from tests.faults.outage import gathered
from tests.faults.scenario import scenario
from tests.faults.servers import own_server
from tests.faults.stage import Stage


@scenario(
    "pooler-killed",
    "all processes use PgBouncer in transaction mode: it is killed and comes back, or loses its connections",
    kinds=("postgresql",),
    fast=("postgresql",),
    rounds=10,
    within=100,
    bound=5,
    needs="pgbouncer",
)
async def pooler_killed(stage: Stage) -> None:
    pooler = await stage.keep(own_server("pgbouncer"))
    url = make_url(stage.cluster.url).set(port=pooler.port)
    members = await stage.keep(gathered(stage, HORAE_DATABASE_URL=url.render_as_string(hide_password=False)))
    members.remember()
    for count in stage.rounds():
        away = stage.chance.choice((0.0, 0.5, 3.0))
        await members.steady(times=round(away) + 8)
        await stage.pass_by(stage.chance.random())
        if count % 3 == 2:
            await end_connections(stage)
            returned = now()
        else:
            await pooler.kill()
            async with members.waiting():
                await stage.pass_by(away)
            returned = await pooler.back()
        await members.resumes(returned)
        await stage.settle()
    await members.has_let_go()


async def end_connections(stage: Stage) -> None:
    """As a restart of the server would; the pooler stays."""
    async with postgresql(make_url(stage.cluster.url)) as connection:
        await connection.fetch(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
