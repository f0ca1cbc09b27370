"""From a trigger over the broker to the history: the same life of a run, whichever engine carries it."""

import pytest

from horae.lifecycle.cancel import cancel_runs
from tests.integration.cluster.cluster import Make, eventually, is_alive
from tests.integration.cluster.oracle import Oracle
from tests.integration.engines.broker import BrokerUnderTest

NOTHING = {"kind": "python", "function": "nothing"}
pytestmark = pytest.mark.postgresql


async def test_from_a_trigger_to_the_history(make_cluster: Make, broker: BrokerUnderTest) -> None:
    cluster = await make_cluster("postgresql", **broker.settings)
    await cluster.start_worker("--queues", broker.queue)
    await cluster.create("job", NOTHING, queue=broker.queue)
    runs = await cluster.run("job", 50)
    for run_id in runs:
        assert (await cluster.ended(run_id)).status == "succeeded"
    assert broker.depth() == 0


async def test_without_anyone_to_publish_it_the_scheduler_does(make_cluster: Make, broker: BrokerUnderTest) -> None:
    """The process that queued it died between its commit and the broker."""
    cluster = await make_cluster("postgresql", **broker.settings)
    cluster.store.engine = None
    await cluster.create("job", NOTHING, queue=broker.queue)
    (run_id,) = await cluster.run("job")
    await cluster.start_worker("--queues", broker.queue)
    await cluster.start_scheduler()
    assert (await cluster.ended(run_id)).status == "succeeded"


async def test_no_scheduler_no_message_no_run(make_cluster: Make, broker: BrokerUnderTest, oracle: Oracle) -> None:
    """A worker of the broker does not poll the database."""
    cluster = await make_cluster("postgresql", **broker.settings)
    cluster.store.engine = None
    await cluster.create("job", NOTHING, queue=broker.queue)
    (run_id,) = await cluster.run("job")
    await cluster.start_worker("--queues", broker.queue, HORAE_WORKER_POLL="0.1s", HORAE_WORKER_POLL_MAX="0.2s")
    await cluster.create("other", NOTHING, queue=broker.queue)
    (other,) = [*await cluster.run("other")]
    broker.publish(other)
    await cluster.ended(other)
    assert (await cluster.look(run_id)).status == "queued"
    broker.publish(run_id)
    assert (await eventually(lambda: cluster.ended(run_id))).status == "succeeded"


@pytest.mark.parametrize("broker", [pytest.param("redis", marks=pytest.mark.redis)], indirect=True)
async def test_cancelling_ends_the_process_tree(make_cluster: Make, broker: BrokerUnderTest) -> None:
    cluster = await make_cluster("postgresql", **broker.settings)
    await cluster.start_worker("--queues", broker.queue)
    source = "sleep 600 & echo $$ $!; wait"
    run_id = await cluster.start_run("script", {"kind": "script", "source": source}, queue=broker.queue)
    pids = [int(pid) for pid in (await eventually(lambda: cluster.log(run_id))).split()]
    assert all(map(is_alive, pids))
    await cluster.store.transact(cancel_runs, project_id=cluster.project_id, run_ids=[run_id], actor="the test")
    assert (await cluster.ended(run_id)).status == "cancelled"
    assert not any(map(is_alive, pids))
