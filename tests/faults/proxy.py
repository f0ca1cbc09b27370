"""A TCP proxy between a process and its database: it cuts, refuses, delays, swallows, and knows which statement passes.

    async with Proxy.before(cluster.url) as proxy:
        worker = await cluster.start_worker(HORAE_DATABASE_URL=proxy.url)
        proxy.refuse(); proxy.accept()              # every connection is cut, new ones are turned away
        proxy.silence(); proxy.speak()              # a silent partition: nothing passes, nothing is closed
        proxy.strand()                              # so forever, for the connections there are; new ones pass
        proxy.delay = 0.2                           # seconds, each way
        proxy.lose_reply("COMMIT")                  # it is carried out, its reply never arrives
        trap = proxy.trap("INTO run_history", "done", do)   # `do` is called at that very moment, once

A trap at `request` acts before the statement reaches the server; at `done`, when it has taken effect (its transaction
is committed) and before the client can know.
"""

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal

from sqlalchemy.engine import make_url

from tests.faults.wire import reader_for

At = Literal["request", "done"]
_BEGIN = re.compile(r"\s*(BEGIN|START TRANSACTION)\b", re.IGNORECASE)
_END = re.compile(r"\s*(COMMIT|ROLLBACK)\b", re.IGNORECASE)


@dataclass
class Trap:
    """`skip` lets so many pass. What `do` leaves behind is the connection cut, unless `cut` is false."""

    pattern: str
    at: At
    do: Callable[[], object]
    skip: int = 0
    cut: bool = True
    sprung: asyncio.Event = field(default_factory=asyncio.Event)

    def meets(self, statement: str) -> bool:
        if self.sprung.is_set() or self.pattern not in statement:
            return False
        self.skip -= 1
        return self.skip < 0


class Proxy:
    def __init__(self, url: str, host: str = "127.0.0.1") -> None:
        self.place, self.host = make_url(url), host
        self._links: set[Link] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._refusing = False
        self._open = asyncio.Event()
        self._open.set()
        self.traps: list[Trap] = []
        self.refused = 0
        self.came = 0  # connections, open or closed
        self.delay = 0.0
        self.url = ""

    @classmethod
    def before(cls, url: str, host: str = "127.0.0.1") -> "Proxy":
        """A proxy before the database of that URL; its own `url` leads there through it."""
        return cls(url, host)

    async def __aenter__(self) -> "Proxy":
        self._server = await asyncio.start_server(self._serve, self.host, 0)
        self.port = self._server.sockets[0].getsockname()[1]
        self.url = self.place.set(host=self.host, port=self.port).render_as_string(hide_password=False)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def connections(self) -> int:
        """How many are open."""
        return len(self._links)

    def refuse(self) -> None:
        """Cuts existing connections, and refuses new ones."""
        self._refusing = True
        self.cut()

    def accept(self) -> None:
        self._refusing = False

    def cut(self) -> None:
        for link in list(self._links):
            link.cut()

    def silence(self) -> None:
        """Silently drops everything in both directions."""
        self._open.clear()

    def speak(self) -> None:
        """What was under way arrives now, as TCP would bring it."""
        self._open.set()

    def strand(self) -> None:
        """As after a failover: existing connections are silently dead."""
        for link in self._links:
            link.stranded = True

    def trap(self, pattern: str, at: At, do: Callable[[], object], *, skip: int = 0, cut: bool = True) -> Trap:
        """`do` is called when a statement with that text passes."""
        made = Trap(pattern, at, do, skip, cut)
        self.traps.append(made)
        return made

    def lose_reply(self, pattern: str, *, skip: int = 0) -> Trap:
        return self.trap(pattern, "done", lambda: None, skip=skip)

    async def passing(self) -> None:
        """Returns when what has come may go on."""
        await self._open.wait()
        if self.delay:
            await _later(self.delay)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.came += 1
        if self._refusing:
            self.refused += 1
            writer.transport.abort()
            return
        task = asyncio.create_task(self._join(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self.passing()
        try:
            server = await asyncio.open_connection(self.place.host, self.place.port)
        except OSError:
            self.refused += 1
            writer.transport.abort()
            return
        link = Link(self, (reader, writer), server)
        self._links.add(link)
        try:
            await link.carry()
        finally:
            self._links.discard(link)
            link.cut()


class Link:
    """One connection: a client's half and a server's half, and what is being said."""

    def __init__(
        self,
        proxy: Proxy,
        client: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        server: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        self._proxy, self._client, self._server = proxy, client, server
        self._wire = reader_for(proxy.place.drivername)
        self._in_transaction = False
        self._met: Trap | None = None  # its statement was executed
        self._due = False  # and the next reply says that it has taken effect
        self.stranded = False

    def cut(self) -> None:
        for _, writer in (self._client, self._server):
            writer.transport.abort()

    async def carry(self) -> None:
        await asyncio.gather(
            self._copy(self._client[0], self._server[1], self._asked),
            self._copy(self._server[0], self._client[1], self._answered),
        )

    async def _copy(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, look: Callable[[bytes], None]
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                await self._proxy.passing()
                if self.stranded:
                    continue
                look(data)
                writer.write(data)
                await writer.drain()
        writer.close()

    def _asked(self, data: bytes) -> None:
        for statement in self._wire.statements(data):
            if _BEGIN.match(statement):
                self._in_transaction = True
            for trap in self._proxy.traps:
                if trap.meets(statement):
                    self._meet(trap)
            ends = bool(_END.match(statement))
            if self._met is not None and (ends or not self._in_transaction):
                self._due = True
            if ends:
                self._in_transaction = False

    def _meet(self, trap: Trap) -> None:
        if trap.at == "request":
            self._spring(trap)
        else:
            self._met = trap

    def _answered(self, data: bytes) -> None:
        if self._due and self._met is not None:
            trap, self._met, self._due = self._met, None, False
            self._spring(trap)

    def _spring(self, trap: Trap) -> None:
        if trap.sprung.is_set():
            return
        trap.sprung.set()
        trap.do()
        if trap.cut:
            self.cut()
            raise ConnectionAbortedError  # what was just read goes no further


async def _later(seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.Event().wait()
