"""A hijacked HTTP connection: a container's standard input one way, its output the other.

Output arrives in frames: stream, length, and that many bytes. They are passed on as they arrive, a chunk at a time, so
that little is in memory however long a frame is.
"""

from __future__ import annotations

import asyncio
import codecs
import json
from contextlib import suppress
from typing import Any

from horae.domain.runs.attempt import LogSink
from horae.executors.containers.service import Service, failure
from horae.executors.output import ProgressLine

CHUNK = 64 * 1024
_HEADER = 8
_STREAMS = {0: "stdout", 1: "stdout", 2: "stderr", 3: "system"}
_NUL = "\N{REPLACEMENT CHARACTER}"


class ContainerStream:
    """Opened by `open_stream`. Always call `close`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def send(self, data: bytes) -> None:
        """Sends all of the standard input, then closes it."""
        with suppress(ConnectionError, OSError):  # a program need not read its input
            self._writer.write(data)
            await self._writer.drain()
            self._writer.write_eof()

    async def over(self) -> None:
        """Waits until the other side has ended it."""
        with suppress(ConnectionError, OSError):
            while await self._reader.read(CHUNK):
                pass

    async def pump(self, log: LogSink) -> None:
        """Passes the output on until it ends."""
        frames = Frames(log)
        with suppress(ConnectionError, OSError):  # it breaks when a container is killed
            while data := await self._reader.read(CHUNK):
                frames.feed(data)
        frames.end()

    def close(self) -> None:
        self._writer.close()


class Frames:
    """Takes the bytes of a stream of frames, split anywhere, and writes their text to a log."""

    def __init__(self, log: LogSink) -> None:
        self._log = log
        self._header = b""
        self._left = 0
        self._stream = "stdout"
        self._progress = ProgressLine(log)
        self._decoders = {name: codecs.getincrementaldecoder("utf-8")("replace") for name in _STREAMS.values()}

    def feed(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            if not self._left:
                view = self._begin(view)
                continue
            piece, view = view[: self._left], view[self._left :]
            self._left -= len(piece)
            self._write(self._stream, piece)

    def end(self) -> None:
        for name in self._decoders:
            self._write(name, b"", final=True)

    def _begin(self, view: memoryview) -> memoryview:
        missing = _HEADER - len(self._header)
        self._header += view[:missing]
        if len(self._header) == _HEADER:
            self._stream = _STREAMS.get(self._header[0], "stdout")
            self._left = int.from_bytes(self._header[4:], "big")
            self._header = b""
        return view[missing:]

    def _write(self, stream: str, data: bytes | memoryview, *, final: bool = False) -> None:
        text = self._decoders[stream].decode(data, final)
        if stream == "stdout":
            text = self._progress.pass_on(text, final=final)
        if text:
            self._log.write(stream, text.replace("\x00", _NUL))


async def open_stream(service: Service, path: str, body: Any = None) -> ContainerStream:
    """Asks the service by POST to turn the connection into a stream."""
    content = b"" if body is None else json.dumps(body).encode()
    request = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    try:
        reader, writer = await asyncio.open_unix_connection(service.socket, limit=CHUNK)
    except OSError as error:
        raise service.unreachable(error) from error
    try:
        writer.write(request.encode() + content)
        await _accepted(reader)
    except (OSError, EOFError, ValueError, asyncio.LimitOverrunError) as error:
        writer.close()
        raise service.unreachable(error) from error
    except BaseException:
        writer.close()
        raise
    return ContainerStream(reader, writer)


async def _accepted(reader: asyncio.StreamReader) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    if status not in (101, 200):
        body = await reader.read(CHUNK)
        raise failure(status, body[body.find(b"{") : body.rfind(b"}") + 1])  # it may be chunked
