"""The output of several processes on one terminal.

A paused terminal (Ctrl-S), or a reader that went away, must not block the processes whose lines it shows: a worker that
waits to write its log would lose its leases. So writes never block; lines wait in memory, and beyond a limit they are
dropped and counted.
"""

from __future__ import annotations

import asyncio
import os
import select
from collections import deque

PENDING_LIMIT = 1 << 20
CHUNK = 1_024  # a descriptor that is ready accepts this much without blocking
LINE_LIMIT = 1 << 16
COLOURS = {"serve": "36", "scheduler": "35", "worker": "32"}


class Terminal:
    """Writes to `fd` as fast as it accepts lines."""

    def __init__(self, fd: int, *, colour: bool = False, width: int = 9) -> None:
        self._fd = fd
        self._colour = colour
        self._width = width
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._dropped = 0
        self._gone = False
        self._watching = False

    def say(self, text: str) -> None:
        """A line of our own, without a name in front."""
        self._put(f"{text}\n".encode(errors="replace"))

    def line(self, name: str, text: bytes) -> None:
        """A line of a child."""
        head = f"{name:<{self._width}} | "
        if self._colour:
            head = f"\x1b[{COLOURS.get(name, '0')}m{head}\x1b[0m"
        self._put(head.encode() + text + b"\n")

    def close(self, within: float = 0.5) -> None:
        """Writes the remaining buffer, as long as there is a reader."""
        self._unwatch()
        while self._waiting and select.select([], [self._fd], [], within)[1]:
            self._write_some()

    def _put(self, data: bytes) -> None:
        if self._gone:
            return
        if self._size > PENDING_LIMIT:
            self._dropped += 1
            return
        if self._dropped:
            data = b"(%d lines were dropped: the output was not read)\n" % self._dropped + data
            self._dropped = 0
        self._waiting.append(data)
        self._size += len(data)
        self._flush()

    def _flush(self) -> None:
        while self._waiting and select.select([], [self._fd], [], 0)[1]:
            self._write_some()
        if self._waiting:
            self._watch()
        else:
            self._unwatch()

    def _write_some(self) -> None:
        data = self._waiting.popleft()
        try:
            written = os.write(self._fd, data[:CHUNK])
        except OSError:  # the reader or the terminal is gone
            self._gone = True
            self._waiting.clear()
            return
        self._size -= written
        if written < len(data):
            self._waiting.appendleft(data[written:])

    def _watch(self) -> None:
        if not self._watching:
            asyncio.get_running_loop().add_writer(self._fd, self._flush)
            self._watching = True

    def _unwatch(self) -> None:
        if self._watching:
            asyncio.get_running_loop().remove_writer(self._fd)
            self._watching = False


class Lines:
    """Splits a child's output into lines."""

    def __init__(self, terminal: Terminal, name: str) -> None:
        self._terminal = terminal
        self._name = name
        self._rest = b""
        self.last = ""

    def feed(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._show(line)
        if len(self._rest) > LINE_LIMIT:
            self.end()

    def end(self) -> None:
        """Shows an incomplete last line."""
        if self._rest:
            self._show(self._rest)
            self._rest = b""

    def _show(self, line: bytes) -> None:
        line = line.rstrip(b"\r")
        if line.strip():
            self.last = line.decode(errors="replace").strip()
        self._terminal.line(self._name, line)
