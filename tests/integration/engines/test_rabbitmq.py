"""Its own RabbitMQ: with TLS, without disk space, and with little patience for consumers. One server for all of
it, since each takes seconds to start."""

import pytest

from horae.wiring.engines import celery_of
from tests.integration.cluster.cluster import Cluster, Make
from tests.integration.cluster.oracle import Oracle
from tests.integration.engines.broker import BrokerUnderTest
from tests.integration.engines.servers import OwnRabbitMQ, own_folder
from tests.integration.engines.test_faults import noted, starts
from tests.integration.engines.test_secure import refused, verified
from tests.waiting import until

pytestmark = [pytest.mark.postgresql, pytest.mark.rabbitmq, pytest.mark.slow]
# Little patience for consumers, and more free disk space wanted than there is.
_SETTINGS = "{consumer_timeout, 3000}, {channel_tick_interval, 500}, {disk_free_limit, 1000000000000000}"


async def test_rabbitmq(make_cluster: Make, oracle: Oracle, monkeypatch: pytest.MonkeyPatch) -> None:
    with own_folder() as folder:
        server = OwnRabbitMQ(folder, _SETTINGS)
        try:
            await server.start()
            cluster = await make_cluster("postgresql", **server.broker.settings, HORAE_REPUBLISH_AFTER="2s")
            await noted(cluster, oracle, server.broker)
            await without_disk_space(server, cluster, oracle)
            await longer_than_its_patience(server.broker, cluster)
            with monkeypatch.context() as patch:
                await verified(f"amqps://guest:guest@localhost:{server.tls_port}/", patch, server.certificate)
            wrong = refused(server.broker.url.replace("guest:guest", "guest:wr0ng"))
            assert "ACCESS_REFUSED" in wrong
            assert "wr0ng" not in wrong
        finally:
            server.kill()


async def without_disk_space(server: OwnRabbitMQ, cluster: Cluster, oracle: Oracle) -> None:
    """It takes connections and declares queues, but confirms nothing."""
    engine = celery_of(cluster.store)
    assert engine is not None
    await cluster.start_worker("--queues", server.broker.queue, "--slots", "1")
    await cluster.start_scheduler()
    runs = await cluster.run("job", 3)
    await until(lambda: engine.state == "unreachable", timeout=40, message="nothing is confirmed")
    rows = await cluster.ask("SELECT published_at FROM runs")
    assert [row["published_at"] for row in rows] == [None] * 3
    await server.control("set_disk_free_limit", "1MB")
    for run_id in runs:
        assert (await cluster.ended(run_id)).status == "succeeded"
    assert sorted(starts(oracle)) == sorted(runs)


async def longer_than_its_patience(broker: BrokerUnderTest, cluster: Cluster) -> None:
    """RabbitMQ closes the channel of a consumer that holds a message for 3 s."""
    target = {"kind": "python", "function": "nothing", "arguments": {"seconds": 8}}
    await cluster.create("long", target, queue=broker.queue)
    (run_id,) = await cluster.run("long")
    found = await cluster.ended(run_id)
    assert (found.status, found.attempt) == ("succeeded", 1)
    (worker,) = [member for member in cluster.members if member.role == "worker"]
    assert not worker.logged("no messages from the broker")
