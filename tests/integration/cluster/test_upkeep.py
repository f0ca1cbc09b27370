"""A scheduler's maintenance keeps up with its workers."""

import pytest

from horae.domain.runs.states import RunStatus
from horae.domain.runs.tally import Tally
from tests.integration.cluster.cluster import Cluster, Make, eventually

pytestmark = pytest.mark.slow

JOBS, ROUNDS = 500, 40


@pytest.mark.sqlite
async def test_counting_keeps_up_with_many_jobs(make_cluster: Make) -> None:
    """Each run of another job adds to the counters; thousands a second must not pile up behind the sweeps."""
    cluster = await make_cluster("sqlite")
    jobs = await cluster.create_many(
        [{"name": f"job-{n}", "target": {"kind": "python", "function": "nothing"}} for n in range(JOBS)]
    )
    for _ in range(ROUNDS):
        ends = [Tally(job, cluster.project_id, RunStatus.SUCCEEDED, 1, duration_ms=5) for job in jobs]
        await cluster.store.transact(lambda tx, ends=ends: tx.stats.add(ends))  # type: ignore[misc]
    await cluster.start_scheduler()
    await eventually(all_counted, cluster, timeout=20)
    (sums,) = await cluster.ask("SELECT SUM(succeeded) AS runs, SUM(duration_ms) AS ms FROM job_stats")
    assert (sums["runs"], sums["ms"]) == (JOBS * ROUNDS, 5 * JOBS * ROUNDS)


async def all_counted(cluster: Cluster) -> bool:
    return not await cluster.count("stat_deltas")
