"""The protocol between the worker and a child: frames of a length, a kind and a body. JSON inside, never pickle: a
child runs user code, and the worker accepts nothing from it that could execute."""

from __future__ import annotations

import socket
import struct
from typing import NamedTuple

CALL, DONE, FAILED, PROGRESS = b"c", b"d", b"f", b"p"

# The first byte of DONE and FAILED
STOP_SEEN = 1  # the function was asked to stop
DIRTY = 2  # it left processes behind: this child must not be reused

_HEAD = struct.Struct("!Ic")
_CHUNK = 256 * 1024
LONGEST = 16 * 2**20  # bytes; anything longer is not this protocol


class Frame(NamedTuple):
    kind: bytes
    body: bytes


def frame(kind: bytes, body: bytes) -> bytes:
    return _HEAD.pack(len(body), kind) + body


class Parser:
    """Splits incoming bytes into frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        self._buffer += data

    def next(self) -> Frame | None:
        buffer = self._buffer
        if len(buffer) < _HEAD.size:
            return None
        length, kind = _HEAD.unpack_from(buffer)
        if length > LONGEST:
            raise ValueError("a frame is too long")
        end = _HEAD.size + length
        if len(buffer) < end:
            return None
        found = Frame(kind, bytes(buffer[_HEAD.size : end]))
        del buffer[:end]
        return found


def receive(connection: socket.socket, parser: Parser) -> Frame | None:
    """Waits for the next frame; None when the other side is gone."""
    while (found := parser.next()) is None:
        data = connection.recv(_CHUNK)
        if not data:
            return None
        parser.feed(data)
    return found
