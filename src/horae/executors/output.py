"""Reads what a command prints from its pipes, a chunk per turn of the loop, and passes it on as text at once. The pipes
are the back-pressure: however much is printed, little of it is in memory."""

from __future__ import annotations

import asyncio
import codecs
import os
import re
from collections.abc import Callable

from horae.domain.runs.attempt import LogSink

CHUNK = 64 * 1024
_DRAIN_CHUNKS = 64  # read without waiting when it ends; a pipe holds 1 chunk unless something goes on writing
_NUL = "\N{REPLACEMENT CHARACTER}"  # instead of NUL, which PostgreSQL text cannot hold
_MARK = "::progress "
_LONGEST = 1_000  # characters of a line that tells progress
_LINES = re.compile(r"^::progress [^\n]*(?:\n|\Z)", re.MULTILINE)
_TOLD = re.compile(r"::progress +(\d{1,3}(?:\.\d{0,20})?)(%?)(?:[ \t]+(.*?))?\s*", re.ASCII)


class ProgressLine:
    """Takes the lines `::progress 0.4 some words` (or `40%`) out of a text that comes in pieces, and tells them."""

    def __init__(self, log: LogSink) -> None:
        self._log = log
        self._line_begins = True
        self._held = ""  # the beginning of a line that may tell progress

    def pass_on(self, text: str, *, final: bool = False) -> str:
        """The text without those lines. What may become one is held back until its end has come."""
        text, self._held = self._held + text, ""
        last = text.rfind("\n") + 1
        if not final and (last or self._line_begins) and _may_tell(text[last : last + _LONGEST + 1]):
            text, self._held = text[:last], text[last:]
        begins = text.endswith("\n") if text else self._line_begins
        if _MARK in text:
            first = 0 if self._line_begins else text.find("\n") + 1 or len(text)
            text = text[:first] + _LINES.sub(self._tell, text[first:])
        self._line_begins = begins
        return text

    def _tell(self, line: re.Match[str]) -> str:
        told = _TOLD.fullmatch(line[0]) if len(line[0]) <= _LONGEST else None
        fraction = float(told[1]) / (100 if told[2] else 1) if told else 2.0
        if told is None or fraction > 1:
            return line[0]  # somebody else's line
        self._log.progress(fraction, told[3] or None)
        return ""


def _may_tell(line: str) -> bool:
    return 0 < len(line) <= _LONGEST and (line.startswith(_MARK) or _MARK.startswith(line))


def chunk(fd: int) -> bytes | None:
    """What a pipe has: None if there is nothing yet, nothing if it has ended."""
    try:
        return os.read(fd, CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


class Reader:
    """Hands on what comes through a pipe, as text."""

    def __init__(self, fd: int, stream: str, log: LogSink, on_close: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._fd = fd
        self._stream = stream
        self._log = log
        self._on_close = on_close
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._progress = ProgressLine(log) if stream == "stdout" else None
        self.closed = False
        os.set_blocking(fd, False)
        self._loop.add_reader(fd, self._read)

    def drain(self) -> None:
        """Reads what is there without waiting."""
        for _ in range(_DRAIN_CHUNKS):
            if self.closed or not self._read():
                return

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        self._hand_on(b"", final=True)
        self._loop.remove_reader(self._fd)
        os.close(self._fd)
        self._on_close()

    def _read(self) -> bool:
        """One chunk; whether there was one."""
        data = chunk(self._fd)
        if data is None:
            return False
        if not data:
            self.close()
            return False
        self._hand_on(data)
        return True

    def _hand_on(self, data: bytes, *, final: bool = False) -> None:
        text = self._decoder.decode(data, final)
        if self._progress is not None:
            text = self._progress.pass_on(text, final=final)
        if text:
            self._log.write(self._stream, text.replace("\x00", _NUL))
