"""What members of a project see of others: names of queues and projects that workers serve are counted, not shown; and
events show no more than lists."""

from typing import Any

from horae.domain.cluster.process import Host, WorkerSign

from .conftest import IDS, Api, add_key
from .test_access import another_project
from .test_events import following, serving
from .work import work

HOST = Host("host", "Linux", "key", 1, 1)
LONG = {"text": "x" * 5_000}


async def add_worker(api: Api, queues: tuple[str, ...], projects: tuple[str, ...] = ()) -> str:
    sign = WorkerSign(IDS.new(), "alpha", HOST, "1", queues, ("http",), 4, projects)
    await api.store.transact(lambda tx: tx.processes.register_worker(sign))
    return sign.id


def names(worker: dict[str, Any]) -> Any:
    return worker["queues"], worker["other_queues"], worker["projects"], worker["other_projects"]


async def test_queues_and_projects_of_others_are_counted(api: Api):
    api.tokens["stranger"] = await add_key(api.store, "owner", await another_project(api))
    await api.make(queue="payroll-merger")
    await api.call("PUT", "/queues/vault/projects", json={"projects": ["other"]})
    await add_worker(api, ("default", "payroll-merger", "vault"), ("default", "other"))
    everything = ["default", "payroll-merger", "vault"]
    for path in ("/workers", "/monitoring/workers"):
        (seen,) = (await api.call("GET", path)).json()["items"]
        assert names(seen) == (everything, 0, ["default", "other"], 0)
        (seen,) = (await api.call("GET", path, role="owner")).json()["items"]
        assert names(seen) == (everything[:2], 1, ["default"], 1)
        (seen,) = (await api.call("GET", path, role="stranger")).json()["items"]
        assert names(seen) == (["default", "vault"], 1, ["other"], 1)
    body = {"name": "x", "target": {"kind": "http", "url": "https://example.org/"}, "queue": "mine"}
    assert (await api.call("POST", "/jobs", role="stranger", json=body)).status_code == 201
    why = await api.call("GET", "/jobs/x/explain", role="stranger")
    assert "no live worker serves queue 'mine'; alive: alpha" in why.text
    assert "payroll" not in why.text


async def test_events_tell_members_no_more_than_the_list_and_admins_all(api: Api):
    async with (
        serving(api.app) as url,
        following(url, api.tokens["viewer"], kind="worker") as member,
        following(url, api.tokens["admin"], kind="worker") as admin,
    ):
        await add_worker(api, ("default", "vault"))
        _, _, told = await member.until("worker")
        assert names(told) == (["default"], 1, [], 0)
        _, _, told = await admin.until("worker")
        assert names(told) == (["default", "vault"], 0, [], 0)


async def test_an_event_leaves_out_what_a_list_leaves_out(api: Api):
    await api.make()
    async with serving(api.app) as url, following(url, api.tokens["viewer"], kind="run") as stream:
        run = (await api.call("POST", "/jobs/hello/run", json={"input": LONG})).json()["id"]
        place, _, told = await stream.until("run", id=run)
        assert (told["input"], told["truncated"]) == (None, ["input"])
        await work(api)
        _, _, told = await stream.until("run", id=run, status="succeeded")
        assert (told["input"], told["truncated"]) == (None, ["input"])
        short = (await api.call("POST", "/jobs/hello/run", json={"input": {"n": 1}})).json()["id"]
        _, _, told = await stream.until("run", id=short)
        assert (told["input"], told["truncated"]) == ({"n": 1}, [])
    missed = await api.call("GET", "/events?seconds=0", headers={"last-event-id": place})
    assert "x" * 100 not in missed.text
    assert (await api.call("GET", f"/runs/{run}")).json()["input"] == LONG, "the run itself has it"
