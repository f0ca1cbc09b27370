"""Provenance: who created a job, who fired a run, which worker has it, and since when a scheduler owns its shards."""

from typing import Any

from horae.domain.cluster.process import SchedulerSign
from horae.processes.duties.shards import share

from .conftest import IDS, Api, add_key
from .test_access import another_project
from .test_monitoring import HOST, add_worker
from .work import take


async def test_a_job_shows_who_created_and_changed_it(api: Api):
    made = await api.make()
    assert (made["created_by"], made["updated_by"]) == ("key:admin", "key:admin")
    edited = await api.call("PATCH", "/jobs/hello", json={"description": "new"}, role="owner")
    assert (edited.json()["created_by"], edited.json()["updated_by"]) == ("key:admin", "key:owner")
    (listed,) = (await api.call("GET", "/jobs")).json()["items"]
    assert (listed["created_by"], listed["updated_by"]) == ("key:admin", "key:owner")
    refused = await api.call("PATCH", "/jobs/hello", json={"created_by": "somebody"})
    assert (refused.status_code, refused.json()["field"]) == (422, "created_by")


async def test_the_lease_of_a_run_and_what_a_worker_is_at(api: Api):
    worker_id = await add_worker(api, busy=1, status="busy")
    await api.make()
    run = (await api.call("POST", "/jobs/hello/run", json={})).json()
    assert run["scheduler_id"] is None
    await take(api, 1, worker_id=worker_id)
    found = (await api.call("GET", f"/runs/{run['id']}")).json()
    (worker,) = (await api.call("GET", "/workers")).json()["items"]
    assert (found["worker_id"], found["lease_until"] > found["started_at"]) == (worker_id, True)
    assert (found["worker_heartbeat_at"], worker["current_runs"]) == (worker["heartbeat_at"], [run["id"]])
    api.tokens["stranger"] = await add_key(api.store, "viewer", await another_project(api))
    (seen,) = (await api.call("GET", "/workers", role="stranger")).json()["items"]
    assert (seen["id"], seen["current_runs"]) == (worker_id, []), "what other projects run is not told"
    await api.call("POST", f"/runs/{run['id']}/cancel")


async def test_since_when_a_scheduler_owns_its_shards(api: Api):
    sign = SchedulerSign(IDS.new(), HOST, "1")
    await api.store.transact(share, sign, 60.0, 64)
    (found,) = (await api.call("GET", "/schedulers")).json()["items"]
    since = {lease["owned_since"] for lease in found["leases"]}
    assert len(since) == 1
    await api.store.transact(share, sign, 60.0, 64)
    (again,) = (await api.call("GET", "/schedulers")).json()["items"]
    assert {lease["owned_since"] for lease in again["leases"]} == since, "renewing is not taking"

    async def old(tx: Any) -> None:
        """As the version before leaves them: it does not have that column."""
        await tx._db.execute("UPDATE shards SET owned_since = NULL", {})

    await api.store.transact(old)
    (older,) = (await api.call("GET", "/schedulers")).json()["items"]
    assert {lease["owned_since"] for lease in older["leases"]} == {None}
