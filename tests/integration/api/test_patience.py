"""The server itself: slow clients are disconnected."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from horae.wiring import slow_clients as patience
from horae.wiring.crowd import Crowd
from horae.wiring.unread import Unread
from tests.waiting import until

HEAD = b"GET / HTTP/1.1\r\nhost: x\r\n"


@dataclass
class Slow:
    """Answers once it is released."""

    port: int = 0
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.go_on.wait()
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    async def connect(self, sent: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(sent)
        return reader, writer


async def listen(app: Any, state: ServerState) -> asyncio.Server:
    config = uvicorn.Config(app, http=patience.SlowClientProtocol, lifespan="off", log_config=None, ws="none")
    config.load()

    def protocol() -> Any:
        return patience.SlowClientProtocol(config=config, server_state=state, app_state={})

    return await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)


@pytest.fixture
async def slow(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Slow]:
    monkeypatch.setattr(patience, "SECONDS", 0.2)
    app = Slow()
    listening = await listen(app, ServerState())
    app.port = listening.sockets[0].getsockname()[1]
    yield app
    listening.close()


async def test_headers_that_never_end_are_given_up_and_slow_answers_are_not(slow: Slow):
    patient, kept = await slow.connect(HEAD + b"\r\n")
    for begun in (b"", b"G", HEAD, HEAD + b"x: "):
        reader, writer = await slow.connect(begun)
        assert await asyncio.wait_for(reader.read(), 30) == b""
        writer.close()
    slow.go_on.set()  # the first one has waited longer than any of them
    assert (await patient.readline()).startswith(b"HTTP/1.1 204")
    kept.close()


async def test_a_second_request_has_no_more_time_than_the_first(slow: Slow):
    slow.go_on.set()
    reader, writer = await slow.connect(HEAD + b"\r\n")
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 204")
    writer.write(HEAD)
    assert await asyncio.wait_for(reader.read(), 30) == b""


@pytest.mark.parametrize("endless", [b"GET /" + b"a" * 1_000, b"x: " + b"a" * 1_000, b"x: a\r\n" * 200])
async def test_headers_without_end_are_refused_before_they_fill_the_memory(slow: Slow, endless: bytes):
    begun = b"" if endless.startswith(b"GET") else HEAD
    reader, writer = await slow.connect(begun + endless)
    sent = 0
    while not reader.at_eof() and sent < 50 * patience.HEAD_BYTES:
        try:
            writer.write(endless.removeprefix(b"GET /"))
            await writer.drain()
        except ConnectionError:
            break
        sent += len(endless)
        await asyncio.sleep(0)  # noqa: TID251 (no wait: the server is in this loop, and has its turn)
    assert sent < 50 * patience.HEAD_BYTES, "nobody said stop"
    writer.close()


async def test_large_headers_that_end_are_taken(slow: Slow):
    slow.go_on.set()
    reader, writer = await slow.connect(HEAD + b"x: " + b"a" * (patience.HEAD_BYTES // 2) + b"\r\n\r\n")
    assert (await reader.readline()).startswith(b"HTTP/1.1 204")
    writer.close()


@dataclass
class Large:
    """Answers with far more than a socket holds; `over` once the server has let go of the request."""

    size: int = 64 << 20
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * self.size})
        await receive()
        self.over.set()


async def test_a_client_that_does_not_read_is_disconnected(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(patience, "STALLED", 0.4)
    app = Large()
    state = ServerState()
    listening = await listen(app, state)
    port = listening.sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 10)
    writer.write(HEAD + b"\r\n")
    await asyncio.wait_for(app.over.wait(), 30)
    await until(lambda: not state.connections)
    writer.close()
    # One who reads, however slowly, gets all of it.
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 16)
    writer.write(HEAD + b"connection: close\r\n\r\n")
    size = 0
    while piece := await reader.read(1 << 20):
        size += len(piece)
    assert size > app.size
    writer.close()
    listening.close()


class Waiting:
    def __init__(self) -> None:
        self.turned_away_now = False

    def turn_away(self) -> None:
        self.turned_away_now = True


def test_the_one_that_has_waited_longest_has_to_go():
    crowd = Crowd(room=150)
    flood = [Waiting() for _ in range(101)]
    for count, one in enumerate(flood, start=1):
        crowd.enter(one, "192.0.2.1", count)
    assert [one.turned_away_now for one in flood] == [True] + 100 * [False]
    others = [Waiting() for _ in range(51)]
    for count, one in enumerate(others, start=101):
        crowd.enter(one, "192.0.2.2", count)
    assert flood[1].turned_away_now
    assert not any(one.turned_away_now for one in others)
    for one in (*flood, *others):
        crowd.leave(one)
    assert len(crowd) == 0


def test_the_oldest_unread_connections_are_closed_first():
    unread = Unread(most=100)
    first, second, third = Waiting(), Waiting(), Waiting()
    unread.has(first, 150)
    assert not first.turned_away_now, "it alone may have more"
    unread.has(second, 60)
    assert (first.turned_away_now, second.turned_away_now) == (True, False)
    unread.has(third, 30)
    unread.has(second, 40)  # it has read on
    assert len(unread) == 2
    unread.has(third, 70)
    assert (second.turned_away_now, third.turned_away_now) == (True, False)
    unread.leave(third)
    unread.leave(third)
    assert len(unread) == 0


def test_a_trusted_proxy_has_no_connection_limit():
    crowd = Crowd(many=lambda address: address == "192.0.2.1")
    behind = [Waiting() for _ in range(500)]
    for one in behind:
        crowd.enter(one, "192.0.2.1", 1)
    assert not any(one.turned_away_now for one in behind)
