"""A TCP proxy between a process and its database that cuts every connection and refuses new ones."""

import asyncio
from contextlib import suppress
from types import TracebackType

from sqlalchemy.engine import make_url


class Proxy:
    def __init__(self, url: str) -> None:
        self._place = make_url(url)
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._refusing = False
        self._pairs = 0
        self.refused = 0
        self.url = ""

    @classmethod
    def before(cls, url: str) -> "Proxy":
        """A proxy before the database of that URL; its own `url` leads there through it."""
        return cls(url)

    async def __aenter__(self) -> "Proxy":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = self._place.set(host="127.0.0.1", port=port).render_as_string(hide_password=False)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        self._cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def connections(self) -> int:
        """How many are open."""
        return self._pairs

    def refuse(self) -> None:
        """Cuts what is connected, and turns away whoever comes."""
        self._refusing = True
        self._cut()

    def accept(self) -> None:
        self._refusing = False

    def _cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refusing:
            self.refused += 1
            writer.transport.abort()
            return
        task = asyncio.create_task(self._join(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection(self._place.host, self._place.port)
        both = {writer, server_writer}
        self._writers |= both
        self._pairs += 1
        try:
            await asyncio.gather(_copy(reader, server_writer), _copy(server_reader, writer))
        finally:
            self._pairs -= 1
            self._writers -= both
            for end in both:
                end.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()
