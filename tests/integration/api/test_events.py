"""Following live events by server-sent events, from a real server."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import uvicorn

from horae.api.app import build
from horae.api.context import ApiSettings
from horae.api.streams import watching

from .conftest import CLOCK, IDS, ON_EVERY_DATABASE, SECRET, Api, add_key
from .test_access import another_project
from .work import work


@asynccontextmanager
async def serving(app: Any) -> AsyncIterator[str]:
    """The app behind a real socket: what streams must not be collected first."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off", ws="none"))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/api/v1"
    finally:
        app.state.context.stopping.set()
        server.should_exit = True
        await task


Told = tuple[str, str, Any]


class Stream:
    """The events of one answer, read as they come."""

    def __init__(self, lines: AsyncIterator[str]) -> None:
        self._lines = lines

    async def next(self) -> Told | None:
        """(id, name, data); None at the end of the answer."""
        fields: dict[str, str] = {}
        async for line in self._lines:
            if not line and fields:
                return fields.get("id", ""), fields["event"], json.loads(fields["data"])
            name, _, value = line.partition(": ")
            if name:
                fields[name] = value
        return None

    async def until(self, name: str, **wanted: Any) -> Told:
        while (told := await asyncio.wait_for(self.next(), 20)) is not None:
            if told[1] == name and wanted.items() <= told[2].items():
                return told
        raise AssertionError(f"the stream ended without {name} {wanted}")


@asynccontextmanager
async def following(url: str, token: str, last: str | None = None, **params: Any) -> AsyncIterator[Stream]:
    headers = {"authorization": f"Bearer {token}", **({"last-event-id": last} if last else {})}
    async with httpx.AsyncClient(timeout=30, trust_env=False) as client:
        request = client.stream("GET", f"{url}/events", headers=headers, params=params)
        async with request as answer:
            assert answer.status_code == 200, await answer.aread()
            assert answer.headers["content-type"].startswith("text/event-stream")
            lines = answer.aiter_lines()
            assert (await anext(lines)).startswith(":")
            yield Stream(lines)


@ON_EVERY_DATABASE
async def test_runs_jobs_and_workers_as_they_change(api: Api):
    async with serving(api.app) as url, following(url, api.tokens["viewer"]) as stream:
        job = await api.make()
        _, _, told = await stream.until("job", action="create")
        assert (told["id"], told["name"], told["by"]) == (job["id"], "hello", "key:admin")
        run = (await api.call("POST", "/jobs/hello/run")).json()
        _, _, told = await stream.until("run", id=run["id"])
        assert (told["status"], told["job_name"]) == ("queued", "hello")
        await work(api)
        await stream.until("run", id=run["id"], status="succeeded")


async def test_a_broken_connection_goes_on_where_it_was(api: Api):
    await api.make()
    async with serving(api.app) as url:
        async with following(url, api.tokens["viewer"]) as stream:
            first = (await api.call("POST", "/jobs/hello/run")).json()["id"]
            last, _, _ = await stream.until("run", id=first)
        second = (await api.call("POST", "/jobs/hello/run")).json()["id"]
        async with following(url, api.tokens["viewer"], last) as stream:
            await stream.until("run", id=second)


async def test_another_server_goes_on_too(api: Api):
    """A follower need not come back to the same process, and that one need not have polled before."""
    await api.make()
    async with serving(api.app) as url, following(url, api.tokens["viewer"]) as stream:
        first = (await api.call("POST", "/jobs/hello/run")).json()["id"]
        last, _, _ = await stream.until("run", id=first)
    second = (await api.call("POST", "/jobs/hello/run")).json()["id"]
    other = build(api.store, ApiSettings(SECRET), IDS, CLOCK)
    async with serving(other) as url, following(url, api.tokens["viewer"], last) as stream:
        await stream.until("run", id=second)


async def test_a_stale_last_event_id_gets_a_reset(api: Api):
    answer = await api.call("GET", "/events?seconds=0", headers={"last-event-id": "1000000-0"})
    assert "event: reset" in answer.text
    for bad in ("x", "1", "1-", "-1", "1-x", "9" * 45 + "-1"):
        answer = await api.call("GET", "/events?seconds=0", headers={"last-event-id": bad})
        assert (answer.status_code, answer.json()["field"]) == (422, "Last-Event-ID"), bad


async def test_only_what_was_asked_for_and_only_of_this_project(api: Api):
    api.tokens["stranger"] = await add_key(api.store, "owner", await another_project(api))
    async with (
        serving(api.app) as url,
        following(url, api.tokens["viewer"], kind="run") as runs,
        following(url, api.tokens["stranger"], seconds=4) as foreign,
    ):
        await api.make()
        run = (await api.call("POST", "/jobs/hello/run")).json()["id"]
        told = await asyncio.wait_for(runs.next(), 20)
        assert told is not None
        assert (told[1], told[2]["id"]) == ("run", run)
        assert await asyncio.wait_for(foreign.next(), 20) is None


async def test_a_slow_reader_is_let_go_with_a_word(api: Api, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(watching, "BACKLOG", 3)
    await api.make()
    async with serving(api.app) as url, following(url, api.tokens["viewer"]) as stream:
        runs = [{"input": n} for n in range(20)]
        await api.call("POST", "/jobs/hello/runs:batch", json={"runs": runs})
        await stream.until("dropped")
        assert await asyncio.wait_for(stream.next(), 20) is None


async def test_a_server_that_stops_lets_its_followers_go(api: Api):
    async with serving(api.app) as url, following(url, api.tokens["viewer"]) as stream:
        api.app.state.context.stopping.set()
        assert await asyncio.wait_for(stream.next(), 20) is None
