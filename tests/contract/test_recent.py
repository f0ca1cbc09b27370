"""The newest results of many jobs at once."""

from horae.domain.runs.run_filter import RecentRun
from horae.ports import Transaction
from tests.contract.world import World


async def recent(world: World, job_ids: list[str], limit: int) -> dict[str, list[RecentRun]]:
    async def read(tx: Transaction) -> dict[str, list[RecentRun]]:
        return await tx.history.recent(job_ids, limit)

    return await world.store.read(read)


async def test_of_each_job_its_newest_ended_runs_newest_first(world: World):
    busy, quiet, idle = [await world.job(name=name) for name in ("busy", "quiet", "idle")]
    of_busy = [(await world.ended(busy)).id for _ in range(4)]
    of_quiet = await world.ended(quiet)
    await world.trigger(idle)  # not ended yet

    found = await recent(world, [busy.id, idle.id, quiet.id], 3)
    assert [run.id for run in found[busy.id]] == of_busy[:0:-1]
    assert found[idle.id] == []
    (one,) = found[quiet.id]
    assert (one.id, one.status, one.finished_at) == (of_quiet.id, "succeeded", of_quiet.finished_at)
    assert one.duration_ms == of_quiet.duration_ms


async def test_a_full_page_of_jobs_is_one_statement(world: World):
    jobs = await world.jobs(200)
    ended = await world.ended(jobs[137])
    found = await recent(world, [job.id for job in jobs], 20)
    assert {job_id: [run.id for run in runs] for job_id, runs in found.items() if runs} == {jobs[137].id: [ended.id]}


async def test_of_no_jobs_there_are_none(world: World):
    assert await recent(world, [], 20) == {}
