"""The worker protocol: what agents may do with their keys, and that nothing they say is trusted."""

import asyncio
import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from horae.api.working import waiting
from tests.waiting import until

from .conftest import IDS, ON_EVERY_DATABASE, Api

ROOT = "/api/v1/worker"


@dataclass
class Agent:
    api: Api
    key: str
    id: str = ""

    async def post(self, route: str, body: dict[str, Any], **how: Any) -> httpx.Response:
        bearer = {"authorization": f"Bearer {self.key}", **how.pop("headers", {})}
        return await self.api.call("POST", f"{ROOT}/{route}", role=None, json=body, headers=bearer, **how)

    async def ask(self, route: str, **body: Any) -> dict[str, Any]:
        answer = await self.post(route, {"worker_id": self.id, **body})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def claim(self, **body: Any) -> dict[str, Any]:
        return await self.ask("claim", **{"token": IDS.new(), "slots": 10, **body})


async def new_key(api: Api, **body: Any) -> dict[str, Any]:
    made = await api.call("POST", "/api/v1/worker-keys", json={"name": "agents", **body})
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json()
    return found


async def agent(api: Api, key: str | None = None, **body: Any) -> Agent:
    made = Agent(api, key or (await new_key(api))["key"])
    wanted = {"instance": IDS.new(), "protocols": [1], "version": "test", "offers": ["http"], "slots": 4, **body}
    answer = await made.post("register", wanted)
    assert answer.status_code == 200, answer.text
    made.id = answer.json()["worker_id"]
    return made


async def triggered(api: Api, name: str = "call", **fields: Any) -> str:
    target = {"kind": "http", "url": "https://example.org/{{ secrets.TOKEN }}"}
    job = await api.call(
        "POST", "/api/v1/jobs", json={"name": name, "target": target, "schedule": {"manual": True}, **fields}
    )
    assert job.status_code == 201, job.text
    run = await api.call("POST", f"/api/v1/jobs/{name}/run", json={"input": {"a": 1}})
    assert run.status_code in (201, 202), run.text
    found: str = run.json()["id"]
    return found


@pytest.fixture(autouse=True)
async def secret(api: Api) -> None:
    made = await api.call("PUT", "/api/v1/secrets/TOKEN", json={"value": "hunter2hunter2"})
    assert made.status_code in (200, 201, 204), made.text


def outcome(run: dict[str, Any], token: str, **more: Any) -> dict[str, Any]:
    return {"id": run["id"], "token": token, "kind": "succeeded", "duration_ms": 5, **more}


@ON_EVERY_DATABASE
async def test_from_claim_to_report(api: Api) -> None:
    run_id, one, token = await triggered(api), await agent(api), IDS.new()
    taken = await one.claim(token=token)
    (run,), (job,) = taken["runs"], taken["jobs"]
    assert (run["id"], run["attempt"], json.loads(run["input"])) == (run_id, 1, {"a": 1})
    assert (job["job_id"], job["definition"]["name"], job["secrets"]) == (
        run["job_id"],
        "call",
        {"TOKEN": "hunter2hunter2"},
    )
    held = [{"id": run_id, "token": token}]
    assert await one.ask("renew", runs=held) == {"renewed": [run_id], "cancel": [], "lost": [], "drain": False}
    chunk = {**held[0], "seq": 1, "stream": "stdout", "text": "hello\n"}
    told = {"outcomes": [outcome(run, token, result="7")], "logs": [chunk], "progress": [{**held[0], "fraction": 0.5}]}
    assert await one.ask("report", **told) == {"refused": [], "log_full": []}
    shown = (await api.call("GET", f"/api/v1/runs/{run_id}")).json()
    assert (shown["status"], shown["result"], shown["attempt"]) == ("succeeded", 7, 1)
    assert "hello" in (await api.call("GET", f"/api/v1/runs/{run_id}/log")).text
    assert (await one.ask("report", **told))["refused"] == [run_id], "sent again, it changes nothing"
    assert await one.ask("goodbye", runs_done=1) == {}
    await triggered(api, "later")
    assert (await one.claim())["runs"] == [], "one that has said goodbye takes nothing"


async def test_a_lost_reply_is_asked_for_again(api: Api) -> None:
    run_id, one, token = await triggered(api), await agent(api), IDS.new()
    await one.claim(token=token)
    again = await one.claim(token=token, again=True)
    assert [run["id"] for run in again["runs"]] == [run_id]
    assert (await one.ask("release", runs=[{"id": run_id, "token": token}])) == {"released": 1}
    assert (await one.claim(token=token, again=True))["runs"] == []
    assert [run["attempt"] for run in (await one.claim())["runs"]] == [1], "its attempt was given back"


async def test_a_waiting_claim_is_woken_by_a_hint(api: Api) -> None:
    one = await agent(api)
    claiming = asyncio.create_task(one.claim(wait=20))
    room = api.app.state.waiting_room
    await until(lambda: room._waiting)
    run_id = await triggered(api)
    room.on_hint("runs:default")
    taken = await claiming
    assert [run["id"] for run in taken["runs"]] == [run_id]
    assert 0 <= taken["waited_seconds"] < 20


async def test_a_cancellation_arrives_with_the_renewal(api: Api) -> None:
    run_id, one, token = await triggered(api), await agent(api), IDS.new()
    await one.claim(token=token)
    asking = asyncio.create_task(one.ask("signals", wait=20))
    await api.call("POST", f"/api/v1/runs/{run_id}/cancel")
    await until(lambda: api.app.state.waiting_room._agents)
    api.app.state.waiting_room.on_hint(f"cancel:{one.id}")
    assert (await asking)["cancel"] is True
    assert (await one.ask("renew", runs=[{"id": run_id, "token": token}]))["cancel"] == [run_id]


async def test_a_key_takes_only_what_it_is_bound_to(api: Api) -> None:
    await triggered(api)
    elsewhere = (await new_key(api, queues=["mail"]))["key"]
    one = await agent(api, elsewhere, queues=["default"])
    assert (await one.claim())["runs"] == []
    scripts = (await new_key(api, capabilities=["script"]))["key"]
    answer = await Agent(api, scripts).post(
        "register", {"instance": IDS.new(), "protocols": [1], "version": "t", "offers": ["http"], "slots": 1}
    )
    assert answer.status_code == 403
    other = (await api.call("POST", "/api/v1/projects", json={"slug": "other"})).json()
    bound = await agent(api, (await new_key(api, projects=[other["slug"]]))["key"])
    assert (await bound.claim())["runs"] == [], "no queue is reserved for that project"


async def test_others_cannot_touch_its_runs(api: Api) -> None:
    run_id, one, thief, token = await triggered(api), await agent(api), await agent(api), IDS.new()
    (run,) = (await one.claim(token=token))["runs"]
    held = [{"id": run_id, "token": token}]
    assert (await thief.ask("renew", runs=held))["lost"] == [run_id]
    assert (await thief.ask("release", runs=held)) == {"released": 0}
    chunk = {**held[0], "seq": 1, "stream": "stdout", "text": "forged"}
    assert (await thief.ask("report", outcomes=[outcome(run, token)], logs=[chunk]))["refused"] == [run_id]
    assert (await thief.claim(token=token, again=True))["runs"] == []
    for route, body in (("claim", {"token": token, "slots": 1}), ("renew", {"runs": held}), ("goodbye", {})):
        answer = await thief.post(route, {"worker_id": one.id, **body})
        assert (answer.status_code, answer.json()["type"]) == (404, "urn:horae:problem:unknown-worker"), route
    assert (await one.ask("renew", runs=held))["renewed"] == [run_id], "it is untouched"
    assert "forged" not in (await api.call("GET", f"/api/v1/runs/{run_id}/log")).text


async def test_a_worker_key_opens_nothing_else(api: Api) -> None:
    one = await agent(api)
    for path in ("/api/v1/jobs", "/api/v1/runs", "/api/v1/secrets", "/api/v1/worker-keys", "/api/v1/workers"):
        answer = await api.call("GET", path, role=None, headers={"authorization": f"Bearer {one.key}"})
        assert answer.status_code == 401, path
    key = api.tokens["admin"]
    assert (await Agent(api, key).post("goodbye", {"worker_id": one.id})).status_code == 401


@ON_EVERY_DATABASE
async def test_a_revoked_key_loses_its_runs_at_once(api: Api) -> None:
    run_id = await triggered(api, retry={"max_attempts": 3, "delay": 0})
    key, token = await new_key(api), IDS.new()
    one = await agent(api, key["key"])
    await one.claim(token=token)
    assert (await api.call("DELETE", f"/api/v1/worker-keys/{key['id']}")).status_code == 204
    held = {"worker_id": one.id, "runs": [{"id": run_id, "token": token}]}
    assert (await one.post("renew", held)).status_code in (401, 404), "whatever is cached"
    (again,) = (await (await agent(api)).claim())["runs"]
    assert (again["id"], again["attempt"]) == (run_id, 2)


@pytest.mark.parametrize("route", ["claim", "signals"])
async def test_a_request_that_waits_is_refused_when_its_key_is_revoked(
    api: Api, route: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "_GLANCE", 0.05)
    key = await new_key(api)
    one = await agent(api, key["key"])
    body = {"worker_id": one.id, "wait": 30, **({"token": IDS.new(), "slots": 1} if route == "claim" else {})}
    request = asyncio.create_task(one.post(route, body))
    room = api.app.state.waiting_room
    await until(lambda: room._waiting or room._asking)
    assert (await api.call("DELETE", f"/api/v1/worker-keys/{key['id']}")).status_code == 204
    assert (await request).status_code in (401, 404), "by what is cached, or by a look into the database"


async def test_nobody_learns_of_cancellations_of_another_keys_worker(api: Api) -> None:
    one, other = await agent(api), await agent(api)
    answer = await other.post("signals", {"worker_id": one.id, "wait": 0})
    assert (answer.status_code, answer.json()["type"]) == (404, "urn:horae:problem:unknown-worker"), answer.text


async def test_requests_that_wait_are_bounded(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    one = await agent(api)
    monkeypatch.setattr(waiting, "MOST", 0)
    for route, more in (("claim", {"token": IDS.new(), "slots": 1}), ("signals", {})):
        answer = await one.post(route, {"worker_id": one.id, "wait": 1, **more})
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "2")


async def test_a_rotated_key_overlaps(api: Api) -> None:
    key = await new_key(api)
    one = await agent(api, key["key"])
    rotated = await api.call("POST", f"/api/v1/worker-keys/{key['id']}/rotate", json={"overlap": 3600})
    assert rotated.status_code == 200, rotated.text
    assert (await one.claim())["runs"] == []
    one.key = rotated.json()["key"]
    assert (await one.claim())["runs"] == [], "the same worker, with the new key"


async def test_output_is_bounded(api: Api) -> None:
    run_id, one, token = await triggered(api), await agent(api), IDS.new()
    await one.claim(token=token)
    chunk = {"id": run_id, "token": token, "stream": "stdout", "text": "x" * 65_536}
    full: list[str] = []
    for part in range(3):
        logs = [{**chunk, "seq": part * 10 + n + 1} for n in range(10)]
        full = (await one.ask("report", logs=logs))["log_full"]
    assert full == [run_id]
    rows = await api.store.read(lambda tx: tx.logs.lengths([run_id]))
    assert sum(rows.values()) <= 1 << 20


BAD: list[Callable[[dict[str, Any]], dict[str, Any]]] = [
    lambda good: {**good, "kind": "lost"},
    lambda good: {**good, "result": "{"},
    lambda good: {**good, "duration_ms": -1},
    lambda good: {**good, "token": "x"},
    lambda good: {**good, "kind": "failed"},
    lambda good: {**good, "park_for": 5},
    lambda good: {**good, "remote": "celery"},
    lambda good: {**good, "error": "x" * 5_000},
]


@pytest.mark.parametrize("spoil", BAD)
async def test_bad_outcomes_are_refused(api: Api, spoil: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    one = await agent(api)
    good = outcome({"id": IDS.new()}, IDS.new())
    answer = await one.post("report", {"worker_id": one.id, "outcomes": [spoil(good)]})
    assert answer.status_code == 422
    assert answer.json()["field"].startswith("outcomes[0].")


async def test_bodies_are_bounded_and_may_be_compressed(api: Api) -> None:
    one = await agent(api)
    bearer = {"authorization": f"Bearer {one.key}", "content-type": "application/json", "content-encoding": "gzip"}

    async def send(data: bytes) -> int:
        answer = await api.call("POST", f"{ROOT}/renew", role=None, content=data, headers=bearer)
        return answer.status_code

    body = json.dumps({"worker_id": one.id, "runs": []}).encode()
    assert await send(gzip.compress(body)) == 200
    assert await send(body) == 400
    assert await send(gzip.compress(body)[:-9]) == 400
    assert await send(gzip.compress(b" " * (17 << 20))) == 413
    old = await one.post("renew", {"worker_id": one.id, "runs": []}, headers={"horae-worker-protocol": "9"})
    assert (old.status_code, old.json()["supported"]) == (400, [1])
