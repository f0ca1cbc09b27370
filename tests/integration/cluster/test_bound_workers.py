"""A worker that is bound to projects, beside one that is not: what it takes, and when it learns of a reservation."""

import pytest

from horae.lifecycle.reservations import reserve_queue
from tests.integration.cluster.cluster import Cluster, Make, eventually

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_it_serves_what_is_reserved_for_its_projects(kind: str, make_cluster: Make) -> None:
    cluster = await make_cluster(kind)
    bound = await cluster.start_worker("--projects", "default")
    open_run = await cluster.start_run("open", {"kind": "script", "source": "true"})
    await reserve(cluster, "vault", "default")
    await eventually(lambda: serves(cluster, bound.id, ["vault"]))
    run_id = await cluster.start_run("kept", {"kind": "script", "source": "true"}, queue="vault")
    assert (await cluster.ended(run_id)).worker_id == bound.id
    assert (await cluster.look(open_run)).status == "queued"
    free = await cluster.start_worker()
    assert (await cluster.ended(open_run)).worker_id == free.id
    await reserve(cluster, "vault")
    await eventually(lambda: serves(cluster, bound.id, []))


async def reserve(cluster: Cluster, name: str, *slugs: str) -> None:
    await cluster.store.transact(reserve_queue, name=name, slugs=slugs, actor="test")


async def serves(cluster: Cluster, worker_id: str, queues: list[str]) -> bool:
    workers = await cluster.store.read(lambda tx: tx.processes.workers(60.0))
    (worker,) = [one for one in workers if one.id == worker_id]
    return worker.projects == ("default",) and list(worker.queues) == queues


async def test_a_project_that_does_not_exist(make_cluster: Make) -> None:
    cluster = await make_cluster("sqlite")
    member = cluster.start("worker", "--projects", "nobody")
    assert await member.ended() == 2
    assert "there is no project 'nobody'" in member.output
