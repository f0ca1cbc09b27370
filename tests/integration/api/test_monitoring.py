"""Numbers about everything, queues, and health in detail."""

from datetime import timedelta
from typing import Any

from horae.api.views import instant
from horae.domain.cluster.process import Beat, Host, SchedulerSign, WorkerSign

from .conftest import IDS, ON_EVERY_DATABASE, Api, add_key
from .test_access import another_project
from .work import FAILED, take, work

HOST = Host("host", "linux", "key", 1, 1)


async def add_worker(api: Api, *queues: str, busy: int = 0, status: str = "idle") -> str:
    worker_id = IDS.new()

    async def add(tx: Any) -> None:
        await tx.processes.register_worker(WorkerSign(worker_id, "w", HOST, "1", queues, ("http",), 4))
        await tx.processes.beat_worker(worker_id, Beat(status, busy, 7))

    await api.store.transact(add)
    return worker_id


async def add_scheduler(api: Api) -> None:
    async def add(tx: Any) -> None:
        await tx.processes.register_scheduler(SchedulerSign(IDS.new(), HOST, "1"))

    await api.store.transact(add)


async def some_history(api: Api) -> None:
    await api.make()
    await api.make("off", enabled=False)
    await api.make("held", schedule={"every": "1h"})
    await api.call("POST", "/jobs/held/pause")
    for outcome in (None, None, None, FAILED):
        await api.call("POST", "/jobs/hello/run")
        await (work(api) if outcome is None else work(api, outcome=outcome))
    for _ in range(3):
        await api.call("POST", "/jobs/hello/run")
    await take(api, 1)


async def test_jobs_in_numbers(api: Api):
    await some_history(api)
    found = (await api.call("GET", "/monitoring/jobs", role="viewer")).json()
    assert found["jobs"] == {"total": 3, "enabled": 2, "disabled": 1, "paused": 1}
    executions = found["executions"]
    assert {name: executions[name] for name in ("total", "queued", "running", "success", "failure", "dead_letter")} == {
        "total": 7,
        "queued": 2,
        "running": 1,
        "success": 3,
        "failure": 1,
        "dead_letter": 1,
    }
    assert (executions["success_rate"], executions["stuck"]) == (75.0, 0)
    assert found["timestamp"].endswith("Z")
    api.tokens["stranger"] = await add_key(api.store, "viewer", await another_project(api))
    other = (await api.call("GET", "/monitoring/jobs", role="stranger")).json()
    assert (other["jobs"]["total"], other["executions"]["total"]) == (0, 0)
    assert other["executions"]["success_rate"] is None


@ON_EVERY_DATABASE
async def test_the_hours(api: Api):
    await some_history(api)
    found = (await api.call("GET", "/monitoring/hours?hours=3", role="viewer")).json()["items"]
    assert len(found) == 3
    assert [one["succeeded"] + one["failed"] for one in found[:1]] == [0]
    assert sum(one["succeeded"] for one in found) == 3
    assert sum(one["failed"] for one in found) == 1
    of_job = (await api.call("GET", "/monitoring/hours?job=held")).json()["items"]
    assert (len(of_job), sum(one["succeeded"] for one in of_job)) == (24, 0)
    assert (await api.call("GET", "/monitoring/hours?job=nobody")).status_code == 404
    for hours in (0, 745):
        assert (await api.call("GET", f"/monitoring/hours?hours={hours}")).status_code == 422


@ON_EVERY_DATABASE
async def test_the_days(api: Api):
    await some_history(api)
    found = (await api.call("GET", "/monitoring/days?days=2", role="viewer")).json()["items"]
    assert len(found) == 2
    assert (sum(one["succeeded"] for one in found), sum(one["failed"] for one in found)) == (3, 1)
    of_job = (await api.call("GET", "/monitoring/days?job=held")).json()["items"]
    assert (len(of_job), sum(one["succeeded"] for one in of_job)) == (30, 0)
    assert (await api.call("GET", "/monitoring/days?job=nobody")).status_code == 404
    for days in (0, 1_096):
        assert (await api.call("GET", f"/monitoring/days?days={days}")).status_code == 422


async def test_metrics_as_json(api: Api):
    await some_history(api)
    answer = await api.call("GET", "/metrics", headers={"accept": "application/json"})
    assert answer.headers["content-type"] == "application/json"
    assert set(answer.json()) == {"timestamp", "jobs", "executions", "scheduler", "workers"}
    wanted = {"total", "queued", "running", "success", "failure", "timed_out", "retries", "dead_letter"}
    assert wanted | {"success_rate", "avg_duration_ms"} <= set(answer.json()["executions"])
    prometheus = "application/openmetrics-text;version=1.0.0,application/json;q=0.6,text/plain;version=0.0.4;q=0.3"
    for accept in ("*/*", "text/plain", prometheus):
        assert (await api.call("GET", "/metrics", headers={"accept": accept})).text.startswith("# HELP")


async def test_workers_in_numbers(api: Api):
    await add_worker(api, busy=3, status="busy")
    await add_worker(api, status="draining")
    await add_worker(api, status="offline")
    found = (await api.call("GET", "/monitoring/workers", role="viewer")).json()
    assert found["workers"] == {
        "total": 3, "idle": 0, "busy": 1, "draining": 1, "stopped": 0, "offline": 1,
        "slots": 8, "slots_busy": 3, "runs_done": 21,
    }  # fmt: skip
    assert len(found["items"]) == 3


async def test_stranded_runs_are_shown_only_to_their_project(api: Api):
    """Its project sees the details, other projects nothing, and the health route only that there are some."""
    await api.make(queue="gpu", target={"kind": "container", "image": "busybox"})
    await api.call("POST", "/jobs/hello/run")
    await add_worker(api)
    await add_scheduler(api)
    earlier = await api.store.read(lambda tx: tx.now()) - timedelta(minutes=21)

    async def age(tx: Any) -> None:
        await tx.runs.db.execute("UPDATE runs SET due_at = :earlier", {"earlier": earlier})

    await api.store.transact(age)
    found = (await api.call("GET", "/monitoring/stranded", role="viewer")).json()
    assert found["timestamp"].endswith("Z")
    (group,) = found["items"]
    assert (group["queue"], group["needs"], group["runs"]) == ("gpu", "container", 1)
    assert (group["cause"], group["since"]) == ("capability", instant(earlier))
    assert group["detail"] == "no live worker that serves queue 'gpu' offers 'container'; w offers http"
    assert "HORAE_EXECUTORS=container" in group["unblock"]
    await api.make("idle", queue="gpu", target={"kind": "container", "image": "busybox"})
    await api.make("other")
    jobs = (await api.call("GET", "/jobs")).json()["items"]
    assert [(job["name"], job["stranded"]) for job in jobs] == [("hello", True), ("idle", False), ("other", False)]
    (queue,) = [one for one in (await api.call("GET", "/queues")).json()["items"] if one["name"] == "gpu"]
    assert (queue["queued"], queue["stranded"], queue["served"]) == (1, 1, True)
    health = (await api.call("GET", "/health/detailed")).json()
    assert health["status"] == "degraded"
    assert health["reasons"] == ["1 run waits for what no live worker offers, for 21 min"], "names are of projects"
    for role in (None, "owner"):
        health = (await api.call("GET", "/health/detailed", role=role)).json()
        assert health["reasons"] == ["no live worker can execute some of the queued runs"], "numbers too"
    api.tokens["stranger"] = await add_key(api.store, "viewer", await another_project(api))
    assert (await api.call("GET", "/monitoring/stranded", role="stranger")).json()["items"] == []
    assert {one["stranded"] for one in (await api.call("GET", "/queues", role="stranger")).json()["items"]} == {0}


@ON_EVERY_DATABASE
async def test_health_in_detail(api: Api):
    before = await api.call("GET", "/health/detailed")
    assert (before.status_code, before.json()) == (
        200,
        {
            "status": "degraded",
            "service": "horae",
            "database": "connected",
            "scheduler_service": "stopped",
            "workers": 0,
            "unreadable_jobs": 0,
            "broker": "none",
            "reasons": ["no scheduler is alive: schedules do not fire", "no worker is alive: runs do not start"],
            "notices": [],
        },
    )
    await add_worker(api)
    await add_worker(api, status="offline")
    await add_scheduler(api)
    after = (await api.call("GET", "/health/detailed")).json()
    assert (after["status"], after["scheduler_service"], after["workers"]) == ("healthy", "running", 1)
    assert after["reasons"] == []
    wrong = {"authorization": "Bearer horae_wrong"}
    for role, headers in ((None, {}), ("viewer", {}), ("owner", {}), (None, wrong)):
        told = (await api.call("GET", "/health/detailed", role=role, headers=headers)).json()
        assert (told["status"], told["workers"], told["unreadable_jobs"]) == ("healthy", None, None)


async def test_a_project_at_its_quota_is_a_notice_for_admins_and_no_fault(api: Api):
    await add_worker(api)
    await add_scheduler(api)
    assert (await api.call("PATCH", "/projects/default/quotas", json={"jobs": 1})).status_code == 200
    await api.make("first")
    body = {"name": "second", "target": {"kind": "http", "url": "https://example.org/"}}
    assert (await api.call("POST", "/jobs", json=body)).status_code == 409
    told = (await api.call("GET", "/health/detailed")).json()
    assert (told["status"], told["reasons"]) == ("healthy", [])
    (notice,) = told["notices"]
    assert notice.startswith("default uses 1 of 1 jobs, something was refused")
    assert (await api.call("GET", "/health/detailed", role="owner")).json()["notices"] == []


async def test_queues_of_other_projects_are_not_seen(api: Api):
    await api.make(queue="merger-with-acme")
    await api.make("own")
    other = await another_project(api)
    api.tokens |= {f"stranger-{role}": await add_key(api.store, role, other) for role in ("owner", "admin")}
    body = {"name": "mine", "queue": "mine", "target": {"kind": "http", "url": "https://example.org/"}}
    assert (await api.call("POST", "/jobs", role="stranger-owner", json=body)).status_code == 201

    async def seen(role: str) -> list[str]:
        return [one["name"] for one in (await api.call("GET", "/queues", role=role)).json()["items"]]

    assert await seen("stranger-owner") == ["default", "mine"]
    assert await seen("viewer") == ["default", "merger-with-acme"]
    assert await seen("stranger-admin") == ["default", "merger-with-acme", "mine"]
    await api.call("PUT", "/queues/merger-with-acme/projects", json={"projects": ["default"]})
    assert await seen("stranger-owner") == ["default", "mine"]


async def test_numbers_of_a_foreign_job_are_not_there(api: Api):
    job = await api.make()
    api.tokens["stranger"] = await add_key(api.store, "viewer", await another_project(api))
    for path in ("/monitoring/hours", "/monitoring/days"):
        for ref in (job["id"], "hello"):
            assert (await api.call("GET", f"{path}?job={ref}", role="viewer")).status_code == 200
            assert (await api.call("GET", f"{path}?job={ref}", role="stranger")).status_code == 404


async def test_queues(api: Api):
    await api.make(queue="mail")
    await api.make("other", queue="slow")
    await add_worker(api, "mail")
    await api.call("POST", "/jobs/hello/run")
    paused = await api.call("POST", "/queues/slow/pause")
    assert (paused.status_code, paused.json()["paused"], paused.json()["paused_by"]) == (200, True, "key:admin")
    found = {one["name"]: one for one in (await api.call("GET", "/queues", role="viewer")).json()["items"]}
    assert {name: (one["queued"], one["served"], one["paused"]) for name, one in found.items()} == {
        "mail": (1, True, False),
        "slow": (0, False, True),
    }
    assert (await api.call("POST", "/queues/slow/resume")).json()["paused"] is False
    assert (await api.call("POST", "/queues/nobody/pause")).status_code == 404
    assert (await api.call("POST", "/queues/slow/pause", role="owner")).status_code == 403
