"""What a broker may do to messages, and what must not happen to runs: none is lost, none is executed twice."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from kombu.connection import Connection

from horae.clock import SystemIds
from horae.domain.runs.engine_choice import EngineChoice
from horae.engines.celery_message import TASK
from horae.lifecycle.explain import explain_run
from tests.integration.cluster.cluster import Cluster, Make, eventually
from tests.integration.cluster.oracle import Oracle
from tests.integration.engines.broker import BrokerUnderTest
from tests.integration.engines.servers import OwnRedis
from tests.waiting import until

pytestmark = [pytest.mark.postgresql, pytest.mark.slow]
IDS = SystemIds()


@pytest.fixture
async def own_redis(tmp_path: Path) -> AsyncIterator[OwnRedis]:
    redis = OwnRedis(tmp_path)
    yield redis
    redis.kill()


async def noted(cluster: Cluster, oracle: Oracle, broker: BrokerUnderTest) -> None:
    target = {"kind": "python", "function": "noted", "arguments": {"path": str(oracle.path)}}
    await cluster.create("job", target, queue=broker.queue)


def starts(oracle: Oracle) -> list[str]:
    """The runs that began, in this order."""
    lines = [line.split() for line in oracle.path.read_text().splitlines()] if oracle.path.exists() else []
    return [line[0] for line in lines if line[2] == "start"]


@pytest.mark.redis
async def test_away_emptied_and_restarted(make_cluster: Make, own_redis: OwnRedis, oracle: Oracle) -> None:
    broker = own_redis.broker
    cluster = await make_cluster("postgresql", **broker.settings, HORAE_REPUBLISH_AFTER="2s")
    await noted(cluster, oracle, broker)
    first = await cluster.run("job", 3)  # the broker is away
    await cluster.start_scheduler()

    async def troubled() -> bool:
        rows = await cluster.ask("SELECT trouble FROM schedulers")
        return any("publish" in (row["trouble"] or "") for row in rows)

    await eventually(troubled, message="the scheduler says that it cannot publish")
    assert {(await cluster.look(run_id)).status for run_id in first} == {"queued"}
    found = await cluster.store.read(
        explain_run, project_id=cluster.project_id, run_id=first[0], engines=EngineChoice("celery")
    )
    assert found.cause is not None
    assert found.cause.name == "broker"
    await own_redis.start()
    await until(lambda: broker.depth() == 3, timeout=40, message="they are published when it is back")

    with Connection(broker.url) as connection:
        connection.default_channel.client.flushall()
    await until(lambda: broker.depth() == 3, timeout=40, message="they are published again after FLUSHALL")

    await cluster.start_worker("--queues", broker.queue)
    for run_id in first:
        assert (await cluster.ended(run_id)).status == "succeeded"
    own_redis.kill()
    (late,) = await cluster.run("job")
    await own_redis.start()
    assert (await cluster.ended(late)).status == "succeeded"
    assert sorted(starts(oracle)) == sorted([*first, late])


async def test_doubled_forged_and_malformed(make_cluster: Make, broker: BrokerUnderTest, oracle: Oracle) -> None:
    cluster = await make_cluster("postgresql", **broker.settings)
    await noted(cluster, oracle, broker)
    runs = await cluster.run("job", 5)
    broker.publish(*runs, *reversed(runs))
    broker.publish(IDS.new(), IDS.new())  # of nothing
    await cluster.create("other", {"kind": "python", "function": "nothing"}, queue=f"{broker.queue}-other")
    cluster.store.engine = None
    (elsewhere,) = await cluster.run("other")
    broker.publish(elsewhere)  # forged: of a queue that the worker does not serve
    broker.send({"not": "a task"})
    broker.send([["x"], {}, {}], headers={"task": TASK})
    broker.send([["x"], {}, {}], headers={"task": "shop.buy"}, serializer="pickle")
    worker = await cluster.start_worker("--queues", broker.queue)
    for run_id in runs:
        assert (await cluster.ended(run_id)).attempt == 1
    broker.publish(*runs)  # late
    (last,) = await cluster.run("job")
    broker.publish(last)
    await cluster.ended(last)
    await until(lambda: broker.depth() == 0, message="all of them are acknowledged or rejected")
    assert sorted(starts(oracle)) == sorted([*runs, last])
    assert (await cluster.look(elsewhere)).status == "queued"
    assert worker.logged("rejected a message")


async def test_the_queue_is_deleted_under_its_consumer(make_cluster: Make, broker: BrokerUnderTest) -> None:
    cluster = await make_cluster("postgresql", **broker.settings, HORAE_REPUBLISH_AFTER="2s")
    await cluster.start_worker("--queues", broker.queue)
    await cluster.start_scheduler()
    await cluster.create("job", {"kind": "python", "function": "nothing"}, queue=broker.queue)
    (first,) = await cluster.run("job")
    await cluster.ended(first)
    broker.delete()
    (second,) = await cluster.run("job")
    assert (await cluster.ended(second)).status == "succeeded"


async def test_the_most_urgent_first(make_cluster: Make, broker: BrokerUnderTest, oracle: Oracle) -> None:
    cluster = await make_cluster("postgresql", **broker.settings)
    target = {"kind": "python", "function": "noted", "arguments": {"path": str(oracle.path)}}
    runs: dict[int, str] = {}
    for priority in (3, 9, 0, 6, 5):
        await cluster.create(f"job-{priority}", target, queue=broker.queue, priority=priority)
        (runs[priority],) = await cluster.run(f"job-{priority}")
    await until(lambda: broker.depth() == 5, message="all of them are published")
    await cluster.start_worker("--queues", broker.queue, "--slots", "1")
    for run_id in runs.values():
        await cluster.ended(run_id)
    assert starts(oracle) == [runs[priority] for priority in (9, 6, 5, 3, 0)]


async def test_a_worker_holds_no_message_while_it_executes(make_cluster: Make, broker: BrokerUnderTest) -> None:
    """Acknowledged after the claim: no timeout of the broker can double a long run. And a busy worker takes nothing
    that another could execute."""
    cluster = await make_cluster("postgresql", **broker.settings)
    await cluster.create(
        "long", {"kind": "python", "function": "nothing", "arguments": {"seconds": 600}}, queue=broker.queue
    )
    busy = await cluster.start_worker("--queues", broker.queue, "--slots", "1")
    (run_id,) = await cluster.run("long")
    await cluster.running(run_id)
    await cluster.create("short", {"kind": "python", "function": "nothing"}, queue=broker.queue)
    waiting = await cluster.run("short", 3)
    await until(lambda: broker.depth() == 3, message="all of them wait on the broker, none at the busy worker")
    await busy.kill()
    assert broker.depth() == 3  # that of the run in progress does not come back
    await cluster.start_worker("--queues", broker.queue)
    for one in waiting:
        assert (await cluster.ended(one)).status == "succeeded"


async def test_both_engines_and_a_move(make_cluster: Make, broker: BrokerUnderTest) -> None:
    settings = {**broker.settings, "HORAE_ENGINE": "database", "HORAE_ENGINES": f"{broker.queue}=celery,*=database"}
    cluster = await make_cluster("postgresql", **settings)
    database = await cluster.start_worker()
    celery = await cluster.start_worker("--engine", "celery")
    nothing = {"kind": "python", "function": "nothing"}
    await cluster.create("heavy", nothing, queue=broker.queue)
    await cluster.create("light", nothing)
    (heavy,), (light,) = await cluster.run("heavy"), await cluster.run("light")
    assert (await cluster.ended(heavy)).worker_id == celery.id
    assert (await cluster.ended(light)).worker_id == database.id
    # Back to the database: a worker that names the queue claims from it, regardless of what is on the broker.
    assert await celery.stop() == 0
    (moved,) = await cluster.run("heavy")
    both = await cluster.start_worker("--queues", broker.queue)
    assert (await cluster.ended(moved)).worker_id == both.id
