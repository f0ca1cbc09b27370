"""The client that is awaited, against a running Horae; and how both deal with a server that is not there at once."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

import horae as package
from horae.domain.errors import InvalidInput, NotFound, StoreUnavailable
from horae.sdk.answers import Unreachable

from .conftest import Horae

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]


async def test_the_same_calls_awaited(horae: Horae, running: Path):
    found = json.loads((running / "client.json").read_text())
    async with package.AsyncClient(found["url"], found["token"]) as client:
        await client.jobs.create(name="awaited", target={"kind": "script", "source": "echo hello"}, tags=["awaited"])
        run = await client.jobs.run("awaited")
        events = [event async for event in client.runs.follow(run["id"])]
        assert "".join(data["text"] for name, data in events if name == "log") == "hello\n"
        assert (events[-1][0], events[-1][1]["status"]) == ("end", "succeeded")
        await client.jobs.run_many("awaited", [{} for _ in range(250)])
        listed = [one async for one in client.runs.list(job="awaited", limit=None)]
        assert len({one["id"] for one in listed}) == 251
        assert [job["name"] async for job in client.jobs.list(tag="awaited")] == ["awaited"]
        assert (await client.explain("awaited"))["summary"]
        assert [worker["status"] async for worker in client.workers()] != []
        with pytest.raises(NotFound):
            await client.jobs.get("nobody")
        with pytest.raises(InvalidInput) as refused:
            await client.jobs.edit("awaited", priority=99)
        assert refused.value.field == "priority"
        await client.jobs.delete("awaited")


class Flaky(BaseHTTPRequestHandler):
    """Answers 503 until it has been asked often enough."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        seen: list[Any] = self.server.seen  # type: ignore[attr-defined]
        seen.append(self.headers["idempotency-key"])
        good = len(seen) >= self.server.good  # type: ignore[attr-defined]
        body = b'{"id": 1}' if good else b'{"detail": "away"}'
        self.send_response(200 if good else 503)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_PATCH = do_POST

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def flaky(good: int) -> Iterator[tuple[str, list[str | None]]]:
    server = HTTPServer(("127.0.0.1", 0), Flaky)
    server.seen, server.good = [], good  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", server.seen  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_request_is_repeated_with_the_same_key():
    with flaky(good=3) as (url, seen), package.Client(url) as client:
        assert client.jobs.run("x") == {"id": 1}
    assert len(seen) == 3
    assert len(set(seen)) == 1
    assert seen[0]


async def test_what_could_do_harm_is_not_repeated():
    with flaky(good=3) as (url, seen):
        async with package.AsyncClient(url) as client:
            with pytest.raises(StoreUnavailable):
                await client.jobs.edit("x", priority=1)
            assert seen == [None]
        with package.Client(url, retries=0) as plain, pytest.raises(StoreUnavailable):
            plain.jobs.run("x")
    with pytest.raises(Unreachable, match="connection refused"):
        package.Client(url).jobs.get("x")
