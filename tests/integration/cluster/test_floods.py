"""A real `serve` among those who want more than their share of it: who trickles, who sends more than is read, who reads
less than is sent. Others are answered all the while, its memory stays bounded, and it says when it is too much."""

import asyncio
import json
from contextlib import AsyncExitStack, suppress

import httpx
import psutil
import pytest

from tests.integration.cluster.cluster import PATIENCE, Cluster, Make, Member
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

MANY = 40
PIPELINED = 2_000
FOLLOWERS = 150
ROOM = 200 << 20  # bytes that it may grow by: far more than it needs, far less than what is wanted of it
HEAD = "{method} {path} HTTP/1.1\r\nhost: horae\r\nauthorization: Bearer {token}\r\n"


class Crowd:
    """Connections to one server, by what was sent on them."""

    def __init__(self, serve: Member, token: str, stack: AsyncExitStack) -> None:
        self.serve, self.token, self._stack = serve, token, stack
        self.before, self.room = self.memory(), ROOM

    def memory(self) -> int:
        return psutil.Process(self.serve.pid).memory_info().rss

    def head(self, method: str, path: str, rest: str = "") -> bytes:
        return (HEAD.format(method=method, path=path, token=self.token) + rest).encode()

    async def open(self, sent: bytes, count: int = MANY) -> list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        opened = []
        for _ in range(count):
            # What is not asked for is not read: beyond a few bytes, the server has to keep it.
            reader, writer = await asyncio.open_connection("127.0.0.1", self.serve.port, limit=1 << 10)
            self._stack.callback(writer.close)
            writer.write(sent)
            opened.append((reader, writer))
        return opened

    async def others_are_served(self) -> None:
        headers = {"authorization": f"Bearer {self.token}"}
        base = f"http://127.0.0.1:{self.serve.port}"
        async with httpx.AsyncClient(base_url=base, timeout=PATIENCE, trust_env=False, headers=headers) as client:
            assert (await client.get("/health")).status_code == 200
            assert (await client.get("/api/v1/jobs?limit=1")).status_code == 200
        assert self.memory() - self.before < self.room


async def crowd(cluster: Cluster, stack: AsyncExitStack, **settings: str) -> Crowd:
    serve = await cluster.start_serve(**settings)
    found = Crowd(serve, await cluster.key("editor"), stack)
    await found.others_are_served()
    found.before = found.memory()
    return found


async def trickle(writer: asyncio.StreamWriter, reader: asyncio.StreamReader) -> bytes:
    """Sends one byte after the other until the connection is closed; returns the response."""

    async def is_given_up() -> bool:
        with suppress(ConnectionError):
            writer.write(b"x")
            await writer.drain()
        return reader.at_eof() or writer.is_closing()

    reading = asyncio.create_task(reader.read(1 << 16))
    given_up: bool = await until(is_given_up, timeout=2 * PATIENCE, every=0.1, message="the server gives it up")
    with suppress(ConnectionError):
        return await reading if given_up else b""
    return b""


async def test_slow_requests_are_disconnected(make_cluster: Make) -> None:
    """Nothing, half of the headers, and half of a body by an authorized caller."""
    async with AsyncExitStack() as stack:
        flood = await crowd(await make_cluster("sqlite"), stack)
        silent = await flood.open(b"")
        heads = await flood.open(flood.head("GET", "/api/v1/jobs", "x-slow: "))
        post = flood.head("POST", "/api/v1/jobs", "content-type: application/json\r\ncontent-length: 100000\r\n\r\n{")
        bodies = await flood.open(post, 20)
        await flood.others_are_served()
        answers = await asyncio.gather(*(trickle(writer, reader) for reader, writer in (*heads, *bodies)))
        await until(lambda: all(reader.at_eof() for reader, _ in silent), timeout=PATIENCE)
        assert set(answers[: len(heads)]) == {b""}
        assert {answer[:12] for answer in answers[len(heads) :]} == {b"HTTP/1.1 408"}
        await flood.others_are_served()


async def test_more_requests_than_a_key_may_send(make_cluster: Make) -> None:
    """One key's flood is answered with 429 and when to come back; another key of the same address is not meant."""
    async with AsyncExitStack() as stack:
        cluster = await make_cluster("sqlite")
        flood = await crowd(cluster, stack, HORAE_API_RATE="5")
        other = await cluster.key("viewer")
        base = f"http://127.0.0.1:{flood.serve.port}/api/v1"
        async with httpx.AsyncClient(base_url=base, timeout=PATIENCE, trust_env=False) as client:

            async def ask(token: str) -> httpx.Response:
                return await client.get("/jobs", headers={"authorization": f"Bearer {token}"})

            answers = await asyncio.gather(*(ask(flood.token) for _ in range(200)))
            refused = [answer for answer in answers if answer.status_code == 429]
            assert {answer.status_code for answer in answers} == {200, 429}
            assert len(refused) > 50
            assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)
            assert {answer.json()["type"] for answer in refused} == {"urn:horae:problem:too-many-requests"}
            assert (await ask(other)).status_code == 200
            # Keys that are none, from the same address: they are no longer looked up, those that are known still work.
            strangers = await asyncio.gather(*(ask(f"horae_{n:0>16}_{'x' * 40}") for n in range(300)))
            assert {answer.status_code for answer in strangers} == {401, 429}
            assert (await ask(other)).status_code == 200


async def test_pipelined_requests_with_unread_responses(make_cluster: Make) -> None:
    """Thousands on one connection, one behind the other, and none of their answers read."""
    async with AsyncExitStack() as stack:
        flood = await crowd(await make_cluster("sqlite"), stack)
        opened = await flood.open(flood.head("GET", "/openapi.json", "\r\n") * PIPELINED, 5)
        await flood.others_are_served()
        # What is asked for in decent measure is answered in order.
        ((reader, writer),) = await flood.open(flood.head("GET", "/health", "\r\n") * 50, 1)
        for _ in range(50):
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200")
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
            await reader.readexactly(int(length.split(b":")[1]))
        writer.close()
        for _, one in opened:
            one.close()
        await flood.others_are_served()


async def test_followers_that_do_not_read(make_cluster: Make) -> None:
    """Events and logs, by many connections of one key, while a great deal happens."""
    async with AsyncExitStack() as stack:
        cluster = await make_cluster("sqlite")
        flood = await crowd(cluster, stack)
        await cluster.create("busy", {"kind": "http", "url": "https://example.org/"})
        (run,) = await cluster.run("busy")
        await flood.open(flood.head("GET", "/api/v1/events", "\r\n"), FOLLOWERS)
        await flood.open(flood.head("GET", f"/api/v1/runs/{run}/log?follow=true", "\r\n"), FOLLOWERS)
        await cluster.run("busy", 500)
        await flood.others_are_served()
        ((reader, _),) = await flood.open(flood.head("GET", "/api/v1/events", "\r\n"), 1)
        assert (await asyncio.wait_for(reader.readline(), PATIENCE)).startswith(b"HTTP/1.1 200")


async def test_answers_that_are_not_read(make_cluster: Make) -> None:
    """The largest there are, many at a time: each is bounded, and so is what all of them take."""
    async with AsyncExitStack() as stack:
        cluster = await make_cluster("sqlite")
        flood = await crowd(cluster, stack)
        body = {"kind": "script", "source": "#" * 200_000}
        await cluster.create_many([{"name": f"large-{n}", "target": body} for n in range(60)])
        flood.room = 500 << 20  # they would take three times as much
        await flood.open(flood.head("GET", "/api/v1/jobs?limit=200", "\r\n"), 60)
        await flood.others_are_served()
        await until(lambda: flood.serve.logged("closed connections that did not read their answers"), timeout=PATIENCE)
        await flood.others_are_served()
        ((reader, _),) = await flood.open(flood.head("GET", "/api/v1/jobs?limit=200", "\r\n"), 1)
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
        content = await reader.readexactly(int(length.split(b":")[1]))
        assert len(content) < 10 << 20
        assert json.loads(content)["next_cursor"]
