"""Celery's own worker with the app of Horae: each process of its pool has a Horae worker."""

import sys

import pytest

from horae.domain.runs.states import RunStatus
from horae.lifecycle.cancel import cancel_runs
from tests.integration.cluster.cluster import TASKS, Cluster, Make, Member, eventually, is_alive
from tests.integration.engines.broker import BrokerUnderTest

pytestmark = [pytest.mark.postgresql, pytest.mark.slow]


def celery(cluster: Cluster, broker: BrokerUnderTest, *arguments: str) -> Member:
    command = [sys.executable, "-m", "celery", "-A", "horae.engines.celery", "worker", "--include", TASKS]
    command += ["-Q", f"horae.{broker.queue}", "--without-mingle", "--without-gossip", *arguments]
    member = Member("celery", command, cluster.settings, cluster.folder / "celery.log")
    cluster.members.append(member)
    return member


@pytest.mark.parametrize(
    ("broker", "pool"),
    [
        pytest.param(kind, pool, marks=getattr(pytest.mark, kind))
        for kind in ("redis", "rabbitmq")
        for pool in ("prefork", "threads")
    ],
    indirect=["broker"],
)
async def test_it_executes_runs(make_cluster: Make, broker: BrokerUnderTest, pool: str) -> None:
    cluster = await make_cluster("postgresql", **broker.settings, HORAE_REPUBLISH_AFTER="4s")
    worker = celery(cluster, broker, "--pool", pool, "--concurrency", "2")
    await cluster.start_scheduler()
    await cluster.create("job", {"kind": "python", "function": "nothing"}, queue=broker.queue)
    await cluster.create("script", {"kind": "script", "source": "sleep 600 & echo $$ $!; wait"}, queue=broker.queue)
    runs = await cluster.run("job", 10)
    for run_id in runs:
        assert (await cluster.ended(run_id)).status == RunStatus.SUCCEEDED
    broker.publish(*runs)  # again, too late
    (long,) = await cluster.run("script")
    await cluster.running(long)
    pids = [int(pid) for pid in (await eventually(lambda: cluster.log(long))).split()]
    assert all(map(is_alive, pids))
    assert broker.depth() == 0
    workers = await cluster.ask("SELECT slots FROM workers WHERE status <> 'offline'")
    assert [row["slots"] for row in workers] == ([1, 1] if pool == "prefork" else [2])
    await cluster.store.transact(cancel_runs, project_id=cluster.project_id, run_ids=[long], actor="the test")
    assert (await cluster.ended(long)).status == RunStatus.CANCELLED
    assert not any(map(is_alive, pids))
    assert await worker.stop() == 0, worker.output
    assert await cluster.count("workers WHERE status <> 'offline'") == 0  # each said goodbye
