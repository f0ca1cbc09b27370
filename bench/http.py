"""A client for the API that costs less than what it measures: one keep-alive connection, requests as bytes."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import orjson

from bench.place import Place
from bench.process import Process, horae
from horae import wiring


class Client:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str) -> None:
        self._reader, self._writer, self.token = reader, writer, token
        self.url = "http://{}:{}".format(*writer.get_extra_info("peername"))
        self._head = f"Host: bench\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of the answer; anything but a 2xx raises."""
        return orjson.loads(await self.fetch(method, path, body))

    async def fetch(self, method: str, path: str, body: Any = None, accept: str = "*/*") -> bytes:
        """The answer as it came."""
        sent = b"" if body is None else orjson.dumps(body)
        head = f"{method} {path} HTTP/1.1\r\n{self._head}Accept: {accept}\r\nContent-Length: {len(sent)}\r\n\r\n"
        self._writer.write(head.encode() + sent)
        answer = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        size = int(answer.partition(b"content-length:")[2].partition(b"\r\n")[0])
        received = await self._reader.readexactly(size)
        if not answer.startswith(b"http/1.1 2"):
            raise RuntimeError(f"{method} {path}: {answer.split(maxsplit=2)[1]!r} {received!r}")
        return received

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


Connect = Callable[[], Awaitable[Client]]


@asynccontextmanager
async def api(place: Place) -> AsyncIterator[tuple[Process, Connect]]:
    """A `horae serve` and a way to connect to it with its own key."""
    key = await asyncio.to_thread(wiring.create_key, place.settings(), name="bench", role="admin")
    port = free_port()

    async def connect() -> Client:
        return Client(*await asyncio.open_connection("127.0.0.1", port), key["token"])

    async with horae(place, "serve", "--port", str(port)) as process:
        yield process, connect


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
