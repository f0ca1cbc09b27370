"""A queue that moves from one engine to the other and back, while its runs are in flight."""

import pytest

from horae.domain.text.ids import NIL
from horae.lifecycle.explain import explain_run
from horae.lifecycle.queues import choose_engine
from horae.wiring.engines import celery_of
from tests.integration.cluster.cluster import Cluster, Make, eventually
from tests.integration.cluster.oracle import Oracle
from tests.integration.engines.broker import BrokerUnderTest
from tests.integration.engines.test_faults import noted, starts

pytestmark = [pytest.mark.postgresql, pytest.mark.slow]


async def choose(cluster: Cluster, queue: str, engine: str | None) -> None:
    await cluster.store.transact(choose_engine, project_id=NIL, name=queue, engine=engine, actor="the test")


async def test_it_moves_while_runs_are_in_flight(make_cluster: Make, broker: BrokerUnderTest, oracle: Oracle) -> None:
    """Chosen in the database, as the portal does it: no one is restarted."""
    settings = {**broker.settings, "HORAE_ENGINE": "database", "HORAE_REPUBLISH_AFTER": "2s"}
    cluster = await make_cluster("postgresql", **settings)
    await noted(cluster, oracle, broker)
    database = await cluster.start_worker("--slots", "2")
    celery = await cluster.start_worker("--engine", "celery", "--slots", "2")
    await cluster.start_scheduler()
    runs = await cluster.run("job", 20)
    for engine, worker in (("celery", celery), ("database", database), ("celery", celery), (None, database)):
        await choose(cluster, broker.queue, engine)
        runs.extend(await cluster.run("job", 20))

        async def followed(expected: str = worker.id) -> bool:
            (run_id,) = await cluster.run("job")
            runs.append(run_id)
            return (await cluster.ended(run_id)).worker_id == expected

        await eventually(followed, message=f"runs go to the worker of {engine or 'the settings'}")
    for run_id in runs:
        ended = await cluster.ended(run_id)
        assert (ended.status, ended.attempt) == ("succeeded", 1)
    assert sorted(starts(oracle)) == sorted(runs)


@pytest.mark.parametrize("broker", [pytest.param("redis", marks=pytest.mark.redis)], indirect=True)
async def test_why_a_run_waits_says_that_the_workers_have_another_engine(
    make_cluster: Make, broker: BrokerUnderTest, oracle: Oracle
) -> None:
    cluster = await make_cluster("postgresql", **{**broker.settings, "HORAE_ENGINE": "database"})
    await noted(cluster, oracle, broker)
    await cluster.start_worker()
    await choose(cluster, broker.queue, "celery")
    engine = celery_of(cluster.store)
    assert engine is not None

    async def left() -> bool:
        """The worker has noticed: what is queued now stays."""
        (run_id,) = await cluster.run("job")
        found = await cluster.store.read(
            explain_run, project_id=cluster.project_id, run_id=run_id, engines=engine.engines.choice
        )
        return found.cause is not None and "no live worker consumes it from the broker" in found.cause.detail

    await eventually(left)
