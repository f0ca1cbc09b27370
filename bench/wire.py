"""Counts the statements on their way to PostgreSQL: a proxy that reads the frames of the protocol.

No view of the server shows how many statements a process sent, BEGIN and COMMIT included, without an extension."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

_STATEMENTS = frozenset(b"QE")  # a simple query; the execution of a prepared one


@dataclass(slots=True)
class Counter:
    statements: int = 0


@asynccontextmanager
async def counted(host: str, port: int) -> AsyncIterator[tuple[int, Counter]]:
    """A port on which the server at `host` and `port` answers as well."""
    counter = Counter()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream_reader, upstream_writer = await asyncio.open_connection(host, port)
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await asyncio.gather(_frames(reader, upstream_writer, counter), _bytes(upstream_reader, writer))
        for one in (writer, upstream_writer):
            one.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1], counter
    finally:
        server.close()


async def _frames(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, counter: Counter) -> None:
    """Begins with frames of no type (the wish for TLS, the start), as long as their first byte is zero."""
    while True:
        first = await reader.readexactly(1)
        head = first + await reader.readexactly(3 if first == b"\0" else 4)
        size = int.from_bytes(head[-4:], "big")
        writer.write(head + await reader.readexactly(size - 4))
        if first[0] in _STATEMENTS:
            counter.statements += 1


async def _bytes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65_536):
        writer.write(data)
    writer.close()
