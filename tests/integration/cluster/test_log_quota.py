"""A real worker cuts what a project logs beyond its quota, logs that, and lets the run continue."""

import pytest

from horae.accounts import usage
from horae.domain.people.quota import Quota
from tests.integration.cluster.cluster import KINDS, Make, eventually

pytestmark = pytest.mark.slow
LOGS = Quota.LOG_BYTES_PER_DAY


@pytest.mark.parametrize("kind", KINDS[:1])
async def test_logs_end_where_the_day_is_used_up(make_cluster: Make, kind: str) -> None:
    cluster = await make_cluster(kind, HORAE_EXECUTORS="script")
    await cluster.store.transact(
        usage.set_quotas, project_id=cluster.project_id, limits={LOGS: 1_000}, actor="the test"
    )
    await cluster.start_worker()
    script = {"kind": "script", "source": "yes | head -c 5000; exit 0"}
    run = await cluster.ended(await cluster.start_run("chatty", script))
    assert run.status == "succeeded"
    assert len(await cluster.log(run.id)) == 1_000
    assert "quota log_bytes_per_day is used up" in await cluster.log(run.id, "system")

    async def told() -> bool:
        return (await cluster.store.read(usage.usage, cluster.project_id))[LOGS].used == 1_000

    await eventually(told)
    (run_id,) = await cluster.run("chatty")
    again = await cluster.ended(run_id)
    assert (again.status, await cluster.log(again.id)) == ("succeeded", "")
