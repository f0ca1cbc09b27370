"""Reads another process's output from a pipe, a chunk per turn of the loop, and passes it on as text immediately. The
pipe provides back-pressure: however much is printed, little of it is in memory."""

from __future__ import annotations

import asyncio
import codecs
import os

_CHUNK = 64 * 1024
_DRAIN_CHUNKS = 64  # read without waiting at the end; a pipe holds 1 chunk unless something keeps writing


class Pipe:
    """`take` gets the text; `close` handles the end."""

    def __init__(self, fd: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._fd = fd
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.closed = False
        os.set_blocking(fd, False)
        self._loop.add_reader(fd, self._read)

    def take(self, text: str, *, final: bool) -> None:
        raise NotImplementedError

    def drain(self) -> None:
        """Reads what is available without waiting."""
        for _ in range(_DRAIN_CHUNKS):
            if self.closed or not self._read():
                return

    def end_text(self) -> None:
        """Starts over: an incomplete character is replaced."""
        self.take(self._decoder.decode(b"", True), final=True)

    def close(self) -> None:
        self.closed = True
        self._loop.remove_reader(self._fd)
        os.close(self._fd)

    def _read(self) -> bool:
        """Reads one chunk; returns whether there was one."""
        try:
            data = os.read(self._fd, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self.close()
            return False
        self.take(self._decoder.decode(data), final=False)
        return True
