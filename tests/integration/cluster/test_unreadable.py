"""Real processes and a job that none of them can read: all others continue, and it is reported once."""

import json

import pytest

from tests.integration.cluster.cluster import KINDS, Cluster, Make, eventually

NOTHING = {"kind": "python", "function": "nothing"}
BAD_ZONE = {"every": 1, "timezone": "Mars/Olympus"}


async def spoil(cluster: Cluster, job_id: str, **change: object) -> None:
    (row,) = await cluster.ask("SELECT spec FROM job_versions WHERE job_id = :id", id=job_id)
    spec = {**json.loads(row["spec"]), **change}
    await cluster.tell("UPDATE job_versions SET spec = :spec WHERE job_id = :id", spec=json.dumps(spec), id=job_id)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS[:1])
async def test_innocent_runs_of_the_same_batch_are_carried_out(kind: str, make_cluster: Make):
    cluster = await make_cluster(kind)
    bad = await cluster.create("bad", NOTHING, retry={"max_attempts": 1})
    good = await cluster.create("good", NOTHING, retry={"max_attempts": 1})
    runs = {name: await cluster.run(name, 3) for name in ("bad", "good")}
    await spoil(cluster, bad, overlap="sometimes")
    worker = await cluster.start_worker()
    for run_id in runs["good"]:
        ended = await cluster.ended(run_id)
        assert (ended.status, ended.attempt, ended.job_id) == ("succeeded", 1, good)

    async def given_back() -> bool:
        found = [await cluster.look(run_id) for run_id in runs["bad"]]
        return all(run.uncounted >= 2 and run.attempt in (run.uncounted, run.uncounted + 1) for run in found)

    await eventually(given_back, message="the others are given back, again and again")
    assert len(worker.logged("cannot read a definition")) == 1
    (noted,) = await cluster.ask("SELECT process_id, reason FROM unreadable")
    assert (noted["process_id"], noted["reason"]) == (worker.id, noted["reason"])
    assert "overlap" in noted["reason"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS[:1])
async def test_others_fire_on_time(kind: str, make_cluster: Make):
    cluster = await make_cluster(kind)
    jobs = {
        name: await cluster.create(name, NOTHING, schedule={"every": 1}, overlap="allow") for name in ("bad", "good")
    }
    await spoil(cluster, jobs["bad"], schedule=BAD_ZONE)
    await cluster.tell("UPDATE jobs SET plan = '{}' WHERE name = 'bad'")
    scheduler = await cluster.start_scheduler()
    await cluster.start_worker()

    async def fired() -> bool:
        return await cluster.count("run_history WHERE status = 'succeeded'") >= 4

    await eventually(fired, message="the good one runs")
    assert await cluster.count(f"run_history WHERE job_id = '{jobs['bad']}'") == 0
    (line,) = scheduler.logged("cannot read a job")
    assert (line["job"], "timezone" in line["reason"]) == (jobs["bad"], True)

    async def noted() -> bool:
        return await cluster.count("unreadable") == 1

    await eventually(noted, message="it is noted for all to see")
