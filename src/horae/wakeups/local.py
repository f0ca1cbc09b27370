"""Hints between the processes of one host, over Unix datagram sockets in a directory.

Every listener binds its own socket file there; a sender sends to all of them. There is no broker, and no process needs
to start first. A file whose owner died refuses connections and is removed by the first sender that notices. If the
receiver's queue is full, the datagram is dropped: that receiver has hints waiting anyway, and such a backlog wakes it
for every topic.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from horae.ports import Hint
from horae.wakeups.message import OnHint, OnLost, nobody, pack, unpack

log = logging.getLogger(__name__)

SUFFIX = ".sock"
MESSAGE_LIMIT = 8_000
PATH_LIMIT = 100  # of an address: 108 bytes on Linux, 104 elsewhere
BACKLOG = 10  # Linux queues this many datagrams by default; if that many arrive at once, some may be missing
SETTLED = 0.05  # seconds; the mtime of a directory has a resolution of some milliseconds


class LocalWakeups:
    """One per process. Not for several threads."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._folder: int | None = None  # its descriptor
        self._prefix = ""
        self._socket: socket.socket | None = None
        self._name = ""
        self._topics: frozenset[str] = frozenset()
        self._on_hint: OnHint = lambda _: None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._peers: dict[str, socket.socket] = {}
        self._changed = -1  # the directory's mtime when the peers were last listed
        self._changed_seen = 0.0
        self._listed = 0.0
        self._closed = False
        self._works = True
        self.on_lost: OnLost = nobody  # no connection, nothing to lose
        self.trouble: str | None = None

    @property
    def reliable(self) -> bool:
        return self._works

    def join(self, installation: str) -> None:
        pass  # the directory is the installation's

    async def start(self, topics: Collection[str], on_hint: Callable[[Hint], None]) -> None:
        self._topics, self._on_hint = frozenset(topics), on_hint
        if not topics or not self._open():
            return
        name = f"{os.getpid()}-{secrets.token_hex(4)}{SUFFIX}"
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        listening.setblocking(False)
        try:
            listening.bind(self._prefix + name)
            (self._directory / name).chmod(0o600)
        except OSError as error:
            listening.close()
            self._give_up(error)
            return
        self._socket, self._name = listening, name
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(listening.fileno(), self._receive)

    async def send(self, hints: Collection[Hint]) -> None:
        if self._closed or not hints or not self._open():
            return
        peers = self._find_peers()
        if not peers:
            return
        for message in pack(hints, MESSAGE_LIMIT):
            for name, peer in list(peers.items()):
                try:
                    peer.send(message)
                except BlockingIOError:
                    pass  # its queue is full, so it will wake anyway
                except (ConnectionError, FileNotFoundError):
                    self._bury(name)
                except OSError:  # ENOBUFS and the like: a hint may be lost
                    log.debug("a hint to %s was dropped", name, exc_info=True)

    def doubt(self) -> None:
        pass

    async def close(self) -> None:
        self._closed = True
        if self._socket is not None:
            if self._loop is not None:
                self._loop.remove_reader(self._socket.fileno())
            self._socket.close()
            self._socket = None
            (self._directory / self._name).unlink(missing_ok=True)
        for peer in self._peers.values():
            peer.close()
        self._peers.clear()
        if self._folder is not None:
            os.close(self._folder)
            self._folder = None

    def _receive(self) -> None:
        """Reads everything that is waiting and passes each hint on once."""
        hints: dict[Hint, None] = {}
        count = 0
        assert self._socket is not None
        with suppress(BlockingIOError):
            while count < 10 * BACKLOG:
                message = self._socket.recv(65_536).decode(errors="replace")
                hints.update(dict.fromkeys(unpack(message, self._topics)))
                count += 1
        if count >= BACKLOG:
            hints.update(dict.fromkeys(self._topics))
        for hint in hints:
            self._on_hint(hint)

    def _find_peers(self) -> dict[str, socket.socket]:
        """A connected socket for each listener, so that one that does not read cannot use up the sending
        buffer of the others. Listed again only when the directory has changed."""
        assert self._folder is not None
        now = time.monotonic()
        changed = os.fstat(self._folder).st_mtime_ns
        if changed != self._changed:
            self._changed, self._changed_seen = changed, now
        elif self._listed > self._changed_seen + SETTLED:
            return self._peers
        self._listed = now
        names = {name for name in os.listdir(self._folder) if name.endswith(SUFFIX)}  # noqa: PTH208
        for name in self._peers.keys() - names:
            self._peers.pop(name).close()
        for name in names - self._peers.keys():
            self._connect(name)
        return self._peers

    def _connect(self, name: str) -> None:
        peer = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        peer.setblocking(False)
        try:
            peer.connect(self._prefix + name)
        except ConnectionRefusedError:
            peer.close()
            self._bury(name)
        except OSError as error:
            peer.close()
            log.debug("no hints to %s: %s", name, error)
        else:
            self._peers[name] = peer

    def _bury(self, name: str) -> None:
        """Removes the socket of a dead process. Names are never reused: it cannot belong to another process."""
        if peer := self._peers.pop(name, None):
            peer.close()
        with suppress(OSError):
            os.unlink(name, dir_fd=self._folder)

    def _open(self) -> bool:
        """Creates the directory. Addresses use its descriptor, so that a long path does not matter."""
        if self._folder is not None:
            return True
        if not self._works or self._closed:
            return False
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self._directory.stat().st_mode & 0o077:
                self._directory.chmod(0o700)
            folder = os.open(self._directory, os.O_RDONLY | os.O_DIRECTORY)
            self._prefix = self._address(folder)
        except OSError as error:
            self._give_up(error)
            return False
        self._folder = folder
        return True

    def _address(self, folder: int) -> str:
        short = f"/proc/self/fd/{folder}"
        with suppress(OSError):
            if os.path.samestat(Path(short).stat(), os.fstat(folder)):
                return short + "/"
        if len(os.fsencode(self._directory)) + 32 <= PATH_LIMIT:
            return f"{self._directory}/"
        os.close(folder)
        raise OSError(f"its path is longer than a socket's address may be ({PATH_LIMIT} bytes)")

    def _give_up(self, error: OSError) -> None:
        self._works = False
        log.warning("no wake-ups through %s (%s): polling instead", self._directory, error.strerror or error)
