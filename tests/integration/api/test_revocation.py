"""Revocation: losing access ends every kind of open connection, however access was lost.

A request is refused after five seconds at most (the gate's memory, of which there is none here); so is a stream."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from horae.accounts import single_sign_on
from horae.api.app import build
from horae.api.context import ApiSettings
from horae.api.routes import audit, logs
from horae.domain.people.account import Identity, NewSession
from horae.domain.people.single_sign_on import Create, Person, Rights
from horae.domain.runs.claim import Claimed
from tests.waiting import until

from .conftest import CLOCK, IDS, SECRET, Api, add_key
from .people import add_user
from .test_access import another_project
from .test_events import following, serving
from .test_logs import write
from .work import take

Revoke = Callable[[Api], Any]
PROJECT = {"horae-project": "other"}


@pytest.fixture
async def quick(api: Api) -> Api:
    """A server that remembers nothing, and a project that can go."""
    await another_project(api)
    return Api(build(api.store, ApiSettings(SECRET, key_cache=0), IDS, CLOCK), api.store, api.tokens)


async def _sql(api: Api, text: str) -> None:
    async def change(tx: Any) -> None:
        await tx.access.db.execute(text.replace("NOW", tx.access.d.now))

    await api.store.transact(change)


async def _delete_project(api: Api) -> None:
    async def delete(tx: Any) -> None:
        await tx.access.delete_project((await tx.access.project("other")).id)

    await api.store.transact(delete)


async def _asked(api: Api, method: str, path: str, **json: Any) -> None:
    answer = await api.call(method, path, json=json or None)
    assert answer.is_success, answer.text


async def _end_keys(api: Api) -> None:
    await _sql(api, "DELETE FROM api_keys WHERE name = 'owner' AND created_by = 'test' AND project_id <> ''")


async def _leave_group(api: Api) -> None:
    """At the next sign-in, wherever that is, the claims no longer give what they gave."""

    async def sign_in_again(tx: Any) -> None:
        user, project = await tx.accounts.user("ada"), await tx.access.project("other")
        await tx.identities.add(Identity("https://login.example.org", "1", user.id))
        await tx.identities.claim(user.id, project.id, "owner")
        who = Person("https://login.example.org", "1", "ada", Rights())
        session = NewSession(IDS.new(), "", "0" * 64, "portal", "127.0.0.1")
        found = await single_sign_on.sign_in(
            tx, person=who, create=Create.NONE, new_id=IDS.new(), session=session, lasts=60.0
        )
        assert isinstance(found, single_sign_on.SignedIn)

    await api.store.transact(sign_in_again)


# By who it happens to: someone's key, a member, or an admin who is a member of no project.
WAYS: dict[str, tuple[str, Revoke]] = {
    "the key is revoked": ("key", _end_keys),
    "the key expires": ("key", lambda api: _sql(api, "UPDATE api_keys SET expires_at = NOW WHERE name = 'owner'")),
    "the key's project is deleted": ("key", _delete_project),
    "the user is deactivated": ("user", lambda api: _asked(api, "PATCH", "/users/ada", is_active=False)),
    "the user is deleted": ("user", lambda api: _asked(api, "DELETE", "/users/ada")),
    "the user is signed out": ("user", lambda api: _asked(api, "DELETE", "/users/ada/sessions")),
    "the password is reset": ("user", lambda api: _asked(api, "PATCH", "/users/ada", password="nine red kites above")),
    "the sign-in through a provider ends": ("user", lambda api: _sql(api, "UPDATE sessions SET limit_at = NOW")),
    "a group at the provider is gone": ("user", _leave_group),
    "the member is removed": ("user", lambda api: _asked(api, "DELETE", "/projects/other/members/ada")),
    "the user's project is deleted": ("user", _delete_project),
    "the admin is demoted": ("admin", lambda api: _asked(api, "PATCH", "/users/ada", is_admin=False)),
    "the admin's project is deleted": ("admin", _delete_project),
}


async def somebody(api: Api, kind: str) -> str:
    """The token of one who may read everything in the project `other`."""
    if kind == "key":
        project = (await api.call("GET", "/projects/other")).json()["id"]
        return await add_key(api.store, "owner", project)
    await add_user(api.store, "boss", admin=True, other="owner")  # the last one could not be removed
    roles = {} if kind == "admin" else {"other": "owner"}
    return await add_user(api.store, "ada", admin=kind == "admin", **roles)


async def running(api: Api, token: str) -> Claimed:
    headers = {"authorization": f"Bearer {token}", **PROJECT}
    if token.startswith("horae_"):
        headers.pop("horae-project")
    body = {"target": {"kind": "http", "url": "https://example.org/"}}
    for name in ("other", "hello"):
        made = await api.call("POST", "/jobs", role=None, json={**body, "name": name}, headers=headers)
        assert made.status_code == 201, made.text
    assert (await api.call("POST", "/jobs/hello/run", role=None, json={}, headers=headers)).status_code == 202
    (run,) = await take(api)
    return run


@asynccontextmanager
async def reading(url: str, token: str) -> AsyncIterator[AsyncIterator[str]]:
    headers = {"authorization": f"Bearer {token}", **({} if token.startswith("horae_") else PROJECT)}
    http = httpx.AsyncClient(timeout=30, trust_env=False)
    async with http as client, client.stream("GET", url, headers=headers) as answer:
        assert answer.status_code == 200, await answer.aread()
        yield answer.aiter_lines()


async def rest(lines: AsyncIterator[str]) -> list[str]:
    return [line async for line in lines]


@pytest.mark.parametrize("way", WAYS)
async def test_a_followed_log_ends(quick: Api, way: str):
    kind, revoke = WAYS[way]
    token = await somebody(quick, kind)
    run = await running(quick, token)
    async with serving(quick.app) as url, reading(f"{url}/runs/{run.id}/log?follow=true", token) as lines:
        assert await anext(lines) == "event: run"
        await revoke(quick)
        await asyncio.wait_for(rest(lines), 20)


@pytest.mark.parametrize("way", WAYS)
async def test_events_end(quick: Api, way: str):
    kind, revoke = WAYS[way]
    token = await somebody(quick, kind)
    async with serving(quick.app) as url, reading(f"{url}/events", token) as lines:
        assert (await anext(lines)).startswith(":")
        await revoke(quick)
        assert "event: run" not in await asyncio.wait_for(rest(lines), 20)


async def test_nothing_is_sent_after_a_request_would_be_refused(quick: Api):
    token = await somebody(quick, "key")
    run = await running(quick, token)
    bearer = {"authorization": f"Bearer {token}"}
    async with serving(quick.app) as url, reading(f"{url}/runs/{run.id}/log?follow=true", token) as lines:
        await write(quick, run, "before\n")
        while "before" not in await anext(lines):
            pass
        await _end_keys(quick)

        async def refused() -> bool:
            return (await quick.call("GET", "/jobs", role=None, headers=bearer)).status_code == 401

        is_refused: bool = await until(refused)
        assert is_refused
        await write(quick, run, "after\n", since=2)
        assert not any("after" in line for line in await asyncio.wait_for(rest(lines), 20))


class Download:
    """An answer of many parts whose reader takes one of them, and the others on demand."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.go_on, self.begun, self.complete = asyncio.Event(), asyncio.Event(), False

    async def send(self, message: Any) -> None:
        if message["type"] != "http.response.body":
            return
        self.parts.append(message.get("body", b""))
        self.complete = not message.get("more_body", False)
        self.begun.set()
        await self.go_on.wait()


def requested(path: str, query: str, token: str) -> dict[str, Any]:
    headers = {"host": "horae", "authorization": f"Bearer {token}"}
    headers |= {} if token.startswith("horae_") else PROJECT
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": f"/api/v1{path}",
        "raw_path": f"/api/v1{path}".encode(),
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("horae", 80),
        "root_path": "",
    }


async def never() -> Any:
    await asyncio.Event().wait()


DEMOTED: dict[str, tuple[str, Revoke]] = {
    "the owner is demoted": ("user", lambda api: _asked(api, "PUT", "/projects/other/members/ada", role="viewer")),
}


@pytest.mark.parametrize(
    ("way", "what"), [*((way, what) for way in WAYS for what in ("log", "audit")), *((way, "audit") for way in DEMOTED)]
)
async def test_a_download_breaks_off(quick: Api, way: str, what: str, monkeypatch: pytest.MonkeyPatch):
    kind, revoke = {**WAYS, **DEMOTED}[way]
    monkeypatch.setattr(logs, "_PIECES", 1)
    monkeypatch.setattr(audit, "_EXPORTED", 1)
    token = await somebody(quick, kind)
    run = await running(quick, token)
    await write(quick, run, "one\n", "two\n", "three\n")
    download = Download()
    path, query = (f"/runs/{run.id}/log", "format=text") if what == "log" else ("/audit", "format=jsonl")
    task = asyncio.create_task(quick.app(requested(path, query, token), never, download.send))
    await download.begun.wait()
    await revoke(quick)

    async def refused() -> bool:
        headers = {"authorization": f"Bearer {token}", **({} if kind == "key" else PROJECT)}
        answer = await quick.call("GET", path, role=None, headers=headers)
        return answer.status_code in (401, 403)

    is_refused: bool = await until(refused)
    assert is_refused
    download.go_on.set()
    await asyncio.gather(task, return_exceptions=True)
    assert (len(download.parts), download.complete) == (1, False)


@pytest.mark.parametrize("what", ["log", "events"])
async def test_streams_end_after_a_while_and_are_resumed(quick: Api, what: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(logs, "LIFETIME", 0.3)
    token = await somebody(quick, "key")
    run = await running(quick, token)
    await write(quick, run, "one\n")
    async with serving(quick.app) as url:
        if what == "events":
            async with following(url, token, seconds=1) as stream:
                assert await stream.next() is None
            return
        follow = f"{url}/runs/{run.id}/log?follow=true"
        async with reading(follow, token) as lines:
            told = await asyncio.wait_for(rest(lines), 20)
        assert "id: 1.1" in told
        assert "event: end" not in told
        await write(quick, run, "two\n", since=2)
        async with httpx.AsyncClient(trust_env=False) as client:
            headers = {"authorization": f"Bearer {token}", "last-event-id": "1.1"}
            text = (await client.get(follow, headers=headers)).text
        assert ("id: 1.2" in text, "id: 1.1" in text) == (True, False)
