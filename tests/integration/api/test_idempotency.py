"""`Idempotency-Key` over the API: one effect and one answer, however often a request is sent, concurrently, or after a
crash."""

import asyncio
import hashlib
import hmac
from typing import Any

import httpx
import pytest

from horae.accounts import idempotency
from horae.api.app import build
from horae.api.context import ApiSettings
from horae.domain.jobs.idempotency import DerivedIds, Once
from horae.domain.runs.states import Trigger
from horae.lifecycle import submit

from .conftest import CLOCK, IDS, ON_EVERY_DATABASE, SECRET, Api, add_key
from .test_access import another_project


async def send(api: Api, path: str, key: str = "key-1", role: str = "admin", **how: Any) -> httpx.Response:
    return await api.call("POST", path, role=role, headers={"idempotency-key": key}, **how)


async def runs(api: Api) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await api.call("GET", "/runs", params={"limit": 200})).json()["items"]
    return found


async def kept(api: Api) -> int:
    async def count(tx: Any) -> int:
        (row,) = await tx.access.db.fetch("SELECT COUNT(*) AS n FROM idempotency_keys")
        return int(row["n"])

    return await api.store.read(count)


@ON_EVERY_DATABASE
async def test_the_same_request_has_one_effect_and_one_answer(api: Api):
    await api.make()
    first = await send(api, "/jobs/hello/run", json={"input": {"a": 1}})
    again = await send(api, "/jobs/hello/run", json={"input": {"a": 1}})
    assert (first.status_code, again.status_code) == (202, 202)
    assert again.content == first.content
    assert again.headers["location"] == first.headers["location"]
    assert again.headers["content-type"] == first.headers["content-type"]
    assert ("idempotency-replayed" in first.headers, again.headers["idempotency-replayed"]) == (False, "true")
    assert again.headers["x-request-id"] != first.headers["x-request-id"]
    assert len(await runs(api)) == 1
    other = await send(api, "/jobs/hello/run", key="key-2", json={"input": {"a": 1}})
    assert other.json()["id"] != first.json()["id"]
    assert len(await runs(api)) == 2


async def test_another_body_or_another_path_is_refused(api: Api):
    await api.make()
    await api.make("other")
    await send(api, "/jobs/hello/run", json={"input": 1})
    for path, body in (("/jobs/hello/run", {"input": 2}), ("/jobs/other/run", {"input": 1}), ("/jobs", {"input": 1})):
        answer = await send(api, path, json=body)
        assert (answer.status_code, "another request" in answer.json()["detail"]) == (409, True)
    assert len(await runs(api)) == 1


async def test_without_a_key_nothing_is_kept(api: Api):
    await api.make()
    for _ in range(2):
        await api.call("POST", "/jobs/hello/run")
    await send(api, "/schedules/preview", json={"schedule": {"every": "1h"}})  # it only reads
    assert await kept(api) == 0
    assert len(await runs(api)) == 2


async def test_callers_and_projects_do_not_share_keys(api: Api):
    await api.make()
    api.tokens["stranger"] = await add_key(api.store, "admin", await another_project(api))
    body = {"name": "hello", "target": {"kind": "http", "url": "https://example.org/"}}
    first = await send(api, "/jobs/hello/run")
    assert (await send(api, "/jobs/hello/run", role="operator")).json()["id"] != first.json()["id"]
    assert (await send(api, "/jobs", role="stranger", json=body)).status_code == 201
    assert len(await runs(api)) == 2


async def test_an_answer_is_only_for_those_who_may(api: Api):
    """A caller who lost the permission does not get the stored response."""
    await api.make()
    await send(api, "/jobs/hello/run", role="operator")
    api.tokens["operator"], kept_token = "horae_0000000000000000_" + "x" * 43, api.tokens["operator"]
    assert (await send(api, "/jobs/hello/run", role="operator")).status_code == 401
    api.tokens["operator"] = kept_token
    assert (await send(api, "/jobs/hello/run", role="viewer")).status_code == 403


async def test_a_refused_request_may_be_corrected_and_sent_again(api: Api):
    body = {"name": "job", "target": {"kind": "http", "url": "https://example.org/"}}
    assert (await send(api, "/jobs", json={**body, "name": ""})).status_code == 422
    assert (await send(api, "/jobs", json=body)).status_code == 201
    assert await kept(api) == 1


@ON_EVERY_DATABASE
@pytest.mark.parametrize("path", ["/jobs/hello/pause", "/jobs/hello/run", "/jobs/hello/runs:batch", "/jobs"])
async def test_at_the_same_instant_from_several_processes(api: Api, path: str):
    await api.make(schedule={"every": "1h"})
    apps = [build(api.store, ApiSettings(SECRET), IDS, CLOCK) for _ in range(4)]
    body = {
        "/jobs/hello/runs:batch": {"runs": [{"input": n} for n in range(20)]},
        "/jobs": {"name": "new", "target": {"kind": "http", "url": "https://example.org/"}},
    }.get(path, {})
    answers = await asyncio.gather(*(send(Api(app, api.store, api.tokens), path, json=body) for app in apps))
    assert len({answer.content for answer in answers}) == 1, [answer.text for answer in answers]
    assert {answer.status_code for answer in answers} <= {200, 201, 202}
    assert sum("idempotency-replayed" in answer.headers for answer in answers) == 3
    assert len(await runs(api)) == {"/jobs/hello/run": 1, "/jobs/hello/runs:batch": 20}.get(path, 0)
    assert len((await api.call("GET", "/jobs")).json()["items"]) == (2 if path == "/jobs" else 1)


@ON_EVERY_DATABASE
async def test_the_order_of_a_batch_is_that_of_its_ids(api: Api):
    await api.make()
    made = (await send(api, "/jobs/hello/runs:batch", json={"runs": [{"input": n} for n in range(30)]})).json()["items"]
    assert [run["input"] for run in sorted(made, key=lambda run: str(run["id"]))] == list(range(30))


async def crash(api: Api, path: str, held: float) -> str:
    """A process wrote the key down, queued the run, and died before it had kept the answer; the run's id."""

    async def die(tx: Any) -> str:
        project = (await tx.access.default_project()).id
        token = api.tokens["admin"]
        key = await tx.access.key(token.split("_")[1])
        once = Once(
            project,
            hashlib.sha256(f"{key.id}\0key-1".encode()).hexdigest(),
            hmac.new(SECRET.encode(), f"/api/v1{path}\0\0".encode(), hashlib.sha256).hexdigest(),
            IDS.new(),
        )
        await tx.idempotency.insert(once, held)
        found = await idempotency.claim(tx, once, [once.request]) if held > 0 else await tx.idempotency.find(once, 60)
        ids = DerivedIds(found.created_at, f"{once.project_id}\0{once.digest}")
        request = submit.TriggerRequest(ids.new())
        (run,) = await submit.trigger(
            tx, project_id=project, ref="hello", runs=[request], trigger=Trigger.API, actor="key:admin"
        )
        return str(run.id)

    return await api.store.transact(die)


@ON_EVERY_DATABASE
async def test_a_crash_between_effect_and_answer_brings_no_second_effect(api: Api):
    await api.make()
    run_id = await crash(api, "/jobs/hello/run", held=-1)
    answer = await send(api, "/jobs/hello/run")
    assert (answer.status_code, answer.json()["id"]) == (202, run_id)
    assert (await send(api, "/jobs/hello/run")).headers["idempotency-replayed"] == "true"
    assert [run["id"] for run in await runs(api)] == [run_id]


async def test_a_repetition_during_the_first_request_gets_409_with_retry_after(
    api: Api, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("horae.api.idempotency._PATIENCE", 0.1)
    await api.make()
    await crash(api, "/jobs/hello/run", held=60)
    answer = await send(api, "/jobs/hello/run")
    assert (answer.status_code, answer.headers["retry-after"]) == (409, "1")
    assert len(await runs(api)) == 1


async def test_answers_that_hold_a_secret_are_sealed(api: Api):
    made = await send(api, "/api-keys", json={"name": "deploy", "role": "viewer"})
    assert made.status_code == 201, made.text
    assert (await send(api, "/api-keys", json={"name": "deploy", "role": "viewer"})).content == made.content

    async def look(tx: Any) -> Any:
        return await tx.access.db.fetch("SELECT * FROM idempotency_keys")

    (row,) = await api.store.read(look)
    assert made.json()["token"] not in str(dict(row))


@pytest.mark.parametrize("key", ["", " ", "x" * 256, "naïve", "a\tb"])
async def test_bad_keys(api: Api, key: str):
    await api.make()
    answer = await api.call("POST", "/jobs/hello/run", headers={"idempotency-key": key.encode("latin-1")})
    assert (answer.status_code, answer.json()["field"]) == (422, "Idempotency-Key")
    assert (await runs(api), await kept(api)) == ([], 0)
