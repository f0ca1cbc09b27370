"""Stops of calls, at every moment: the connection is closed, and nothing is left behind."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from horae.clock import SystemClock
from horae.domain.runs.states import StopReason
from horae.executors.aside import THREADS
from horae.executors.http import HttpExecutor
from horae.executors.http_files import allow_sockets
from tests.integration.executors.attempts import make_attempt, running
from tests.integration.executors.calls import Server, call, permanently
from tests.waiting import until

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Peer:
    """The other end of calls: what has been reached, and whether the caller has hung up."""

    def __init__(self) -> None:
        self.url = ""
        self.reached = asyncio.Event()
        self.left = asyncio.Event()


@asynccontextmanager
async def peer(talk: bytes = b"", *, read: bool = True) -> AsyncIterator[Peer]:
    """Reads a request, sends these bytes, and then waits for the caller to hang up."""
    it = Peer()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if read:
                await reader.readuntil(b"\r\n\r\n")
            writer.write(talk)
            await writer.drain()
            it.reached.set()
            while await reader.read(65_536):
                pass
        except ConnectionError:
            pass
        finally:
            it.left.set()
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        it.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        yield it


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"


@pytest.mark.parametrize("reason", [StopReason.TIMEOUT, StopReason.CANCEL, StopReason.LEASE_LOST, StopReason.SHUTDOWN])
@pytest.mark.parametrize(
    "talk",
    [b"", b"HTTP/1.1 20", HEAD, HEAD + b"half of it"],
    ids=["before the answer", "in its headers", "before its body", "in its body"],
)
async def test_a_stop_hangs_up(http: HttpExecutor, talk: bytes, reason: StopReason) -> None:
    async with peer(talk) as there:
        attempt, _ = make_attempt({"kind": "http", "url": there.url, "body": "x"}, grace=600)
        async with running(http, attempt) as it:
            await asyncio.wait_for(there.reached.wait(), 10)
            it.stop(reason)
            assert await it.is_stopped(), "the stop is passed on: whoever stops makes the outcome"
        await asyncio.wait_for(there.left.wait(), 10)


async def test_while_it_sends(http: HttpExecutor) -> None:
    """A peer that reads nothing: the body does not fit into any buffer."""
    async with peer(read=False) as there:
        attempt, _ = make_attempt({"kind": "http", "url": there.url, "body": "x" * 900_000})
        async with running(http, attempt) as it:
            await asyncio.wait_for(there.reached.wait(), 10)
            it.stop(StopReason.CANCEL)
            assert await it.is_stopped()
        await asyncio.wait_for(there.left.wait(), 10)


async def test_while_a_name_is_looked_up() -> None:
    asked = asyncio.Event()

    async def lookup(*_: Any, **__: Any) -> list[tuple[Any, ...]]:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    executor = HttpExecutor(SystemClock(), version="1", lookup=lookup)
    attempt, _ = make_attempt({"kind": "http", "url": "http://slow.example/"})
    async with running(executor, attempt) as it:
        await asyncio.wait_for(asked.wait(), 10)
        it.stop(StopReason.TIMEOUT)
        assert await it.is_stopped()
    await executor.close()


async def test_while_it_connects(http: HttpExecutor) -> None:
    """A listener with a full backlog: connections are neither accepted nor refused."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        filling = [socket.socket() for _ in range(4)]
        for one in filling:
            one.setblocking(False)
            one.connect_ex(listener.getsockname())
        attempt, _ = make_attempt({"kind": "http", "url": f"http://127.0.0.1:{listener.getsockname()[1]}/"})
        async with running(http, attempt) as it:
            await until(lambda: _connecting(listener.getsockname()[1]) > len(filling))
            it.stop(StopReason.CANCEL)
            assert await it.is_stopped()
        for one in filling:
            one.close()


def _connecting(port: int) -> int:
    """Sockets of this machine whose other end is this port."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[2].endswith(f":{port:04X}") for row in rows)


async def test_between_two_hops(http: HttpExecutor) -> None:
    async with peer() as second, peer(f"HTTP/1.1 307 On\r\nLocation: {second.url}\r\n\r\n".encode()) as first:
        attempt, _ = make_attempt({"kind": "http", "url": first.url, "follow_redirects": True})
        async with running(http, attempt) as it:
            await asyncio.wait_for(second.reached.wait(), 10)
            it.stop(StopReason.CANCEL)
            assert await it.is_stopped()
        await asyncio.wait_for(first.left.wait(), 10)
        await asyncio.wait_for(second.left.wait(), 10)


async def test_a_stop_after_the_answer_changes_nothing(http: HttpExecutor, server: Server) -> None:
    attempt, _ = make_attempt({"kind": "http", "url": server.url})
    async with running(http, attempt) as it:
        await asyncio.wait([it.task])
        it.stop(StopReason.CANCEL)
        assert not await it.is_stopped()
        assert it.task.result().response_code == 200


async def test_a_stopped_call_spoils_no_other(http: HttpExecutor, server: Server) -> None:
    """A half-read answer must not be taken for the answer to the next call."""
    assert (await call(http, server.url)).response_code == 200
    async with peer(HEAD + b"half") as there:
        attempt, _ = make_attempt({"kind": "http", "url": there.url})
        async with running(http, attempt) as it:
            await asyncio.wait_for(there.reached.wait(), 10)
            it.stop(StopReason.CANCEL)
            assert await it.is_stopped()
        assert (await call(http, server.url)).response_code == 200


async def test_hundreds_at_once_and_no_file_stays_open(server: Server) -> None:
    executor = HttpExecutor(SystemClock(), version="1", allow_private=True)
    allow_sockets(1_000)
    before, together, inside = _open_files(), asyncio.Event(), 0

    async def answer(_: Any) -> Any:
        nonlocal inside
        inside += 1
        if inside == 400:
            together.set()
        await together.wait()
        return await server.ok(_)

    server.answer = answer
    outcomes = await asyncio.gather(*(call(executor, server.url) for _ in range(400)))
    assert {outcome.response_code for outcome in outcomes} == {200}, "all of them were under way together"
    await executor.close()
    await until(lambda: _open_files() <= before + 5)


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


class TestTemplates:
    """They are filled in beside the loop, which goes on meanwhile."""

    SLOW = "{% for a in range(10000) %}{% set x = range(500) | map('urlencode') | list %}{% endfor %}"
    BRIEF = "{% for a in range(5000) %}{% endfor %}done"  # and yet too long for the loop

    @pytest.fixture
    def unbounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """As if a step cost next to nothing: only a stop ends these templates in time for the test."""
        monkeypatch.setattr("horae.domain.template.work.STEPS", 10**12)
        monkeypatch.setattr("horae.domain.template.work.SECONDS", 600.0)

    @pytest.mark.usefixtures("unbounded")
    async def test_a_stop_does_not_wait_for_them(self, http: HttpExecutor, server: Server) -> None:
        """It frees their thread, whether that had begun with them or not: all threads serve the next attempt."""
        query = {f"q{n}": self.SLOW for n in range(12)}
        for _ in range(THREADS):
            attempt, _ = make_attempt({"kind": "http", "url": server.url, "query": query})
            async with running(http, attempt) as run:
                assert (await call(http, server.url, headers={"X-Run": "{{ run.id }}"})).kind == "succeeded"
                assert not run.task.done()
                run.stop(StopReason.TIMEOUT)
                with pytest.raises(asyncio.CancelledError):
                    await run.task
        assert (await call(http, server.url, query={"q": self.BRIEF})).kind == "succeeded"
        assert [request.path_qs for request in server.requests] == ["/"] * THREADS + ["/?q=done"]

    async def test_twelve_at_once_have_one_budget(self, http: HttpExecutor, server: Server) -> None:
        outcome = await call(http, server.url, query={f"q{n}": self.SLOW for n in range(12)})
        assert permanently(outcome) == "query.q0: the templates of the target do too much: more than 600,000 steps"
        assert not server.requests
