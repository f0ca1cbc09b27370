"""The cost of quotas: no statement without them, and with them the same for projects of any size."""

import pytest

from horae.accounts import quotas
from horae.domain.errors import QuotaReached
from horae.domain.people.quota import Quota
from tests.contract.cost import Meter, metered
from tests.contract.test_quotas import limit, used
from tests.contract.wide import copy
from tests.contract.world import World

_SLACK = 40  # as in test_width.py
JOBS, RUNS = 10_000, 30_000


async def test_a_project_without_quotas_costs_no_further_statement(world: World) -> None:
    """Of everything that creates runs, by the number of statements; a quota costs two of them."""
    job = await world.job(manual=True)
    costly, meter = await metered(world)
    before = await _statements(costly, meter, job.id)
    await limit(world, live_runs=1_000)
    await world.trigger(job)  # which counts
    after = await _statements(costly, meter, job.id)
    again = 1 if world.kind == "postgresql" else 0  # the job, for the trigger began without a transaction
    assert after["trigger"] == before["trigger"] + 2 + again
    assert after["fire"] == before["fire"] + 2
    assert after["claim"] == before["claim"]
    assert after["finish"] == before["finish"]
    await limit(world, live_runs=None, jobs=10)  # another one: it does not concern runs
    assert await _statements(costly, meter, job.id) == before


async def _statements(world: World, meter: Meter, job_id: str) -> dict[str, int]:
    found = {}
    scheduled = await world.job(every="1h")
    meter.statements = 0
    await world.trigger(job_id)
    found["trigger"], meter.statements = meter.statements, 0
    assert (await world.fire()).runs == 1
    found["fire"], meter.statements = meter.statements, 0
    runs = await world.claim()
    found["claim"], meter.statements = meter.statements, 0
    await world.finish(*runs)
    found["finish"] = meter.statements
    await world.delete(scheduled)
    return found


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_the_cost_of_a_place_does_not_depend_on_the_number_of_runs(world: World) -> None:
    job = await world.job(manual=True, max_instances=None)
    (run,) = await world.trigger(job)
    await limit(world, live_runs=RUNS + 1_000, jobs=JOBS + 1_000, fires_per_minute=1_000_000)
    await world.trigger(job)
    await world.job(manual=True)
    costly, meter = await metered(world)

    async def cost() -> tuple[int, int]:
        meter.statements = meter.read = 0
        await costly.trigger(job)
        await costly.job(manual=True)
        return meter.statements, meter.read

    await cost()  # the first trigger finds out that there is a quota
    narrow = await cost()
    name = "'wide-' || v.n" if world.kind == "sqlite" else "CONCAT('wide-', v.n)"
    await copy(world, "jobs", job.id, JOBS, name=name)
    await copy(world, "runs", run.id, RUNS)
    for table in ("runs", "jobs"):
        if world.kind != "sqlite":
            await world.rows(f"ANALYZE {'TABLE ' if world.kind != 'postgresql' else ''}{table}")
    wide = await cost()
    assert wide[0] == narrow[0]
    assert wide[1] <= 2 * narrow[1] + _SLACK, f"narrow {narrow}, wide {wide}"
    assert await used(world, Quota.JOBS) == JOBS + 5
    assert await used(world, Quota.LIVE_RUNS) == RUNS + 5
    # At the limit, what is there is counted now and then, not at every refusal.
    await limit(world, live_runs=RUNS)
    await world.store.transact(quotas.note_refusal, project_id=world.project, quota=Quota.LIVE_RUNS)
    meter.statements = meter.read = 0
    with pytest.raises(QuotaReached):
        await costly.trigger(job)
    assert meter.read <= 2 * narrow[1] + _SLACK
