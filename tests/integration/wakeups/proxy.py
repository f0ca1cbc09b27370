"""A TCP proxy before a server that refuses, freezes, or swallows notifications as a pooler of PostgreSQL does."""

import asyncio
from contextlib import suppress
from types import TracebackType


class Proxy:
    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._flow = asyncio.Event()
        self._flow.set()
        self._refusing = False
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.refused = 0
        self.drop_notifications = False
        self.port = 0

    async def __aenter__(self) -> "Proxy":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        self._flow.set()
        self._cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def refuse(self) -> None:
        """Cuts existing connections, and refuses new ones."""
        self._refusing = True
        self._cut()

    def accept(self) -> None:
        self._refusing = False

    def freeze(self) -> None:
        """Silently drops everything from now on."""
        self._flow.clear()

    def thaw(self) -> None:
        self._flow.set()

    def _cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refusing:
            self.refused += 1
            writer.transport.abort()
            return
        server_reader, server_writer = await asyncio.open_connection(*self._target)
        self._writers |= {writer, server_writer}
        back = self._copy_messages if self.drop_notifications else self._copy
        for work in (self._copy(reader, server_writer), back(server_reader, writer)):
            task = asyncio.create_task(work)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                await self._flow.wait()
                writer.write(data)
                await writer.drain()
        writer.close()

    async def _copy_messages(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """PostgreSQL's answers, message by message: a type byte, a length that counts itself, the rest."""
        with suppress(OSError, asyncio.IncompleteReadError):
            while True:
                head = await reader.readexactly(5)
                body = await reader.readexactly(int.from_bytes(head[1:]) - 4)
                await self._flow.wait()
                if head[:1] != b"A":
                    writer.write(head + body)
                    await writer.drain()
        writer.close()
