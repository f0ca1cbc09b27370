"""`python -m bench.answering`: a server that answers each request after 10 ms, and costs little. It prints its port."""

from __future__ import annotations

import asyncio
import socket
from typing import cast

import uvloop

DELAY = 0.01
_BODY = b'{"ok": true}'
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(_BODY), _BODY)


class Answering(asyncio.Protocol):
    """Requests are small: their headers come in one piece, with the body or before it."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._write = cast("asyncio.Transport", transport).write
        self._later = asyncio.get_running_loop().call_later

    def data_received(self, data: bytes) -> None:
        if b"\r\n\r\n" in data:
            self._later(DELAY, self._write, _ANSWER)


async def serve() -> None:
    listener = socket.create_server(("127.0.0.1", 0), backlog=4_096)
    await asyncio.get_running_loop().create_server(Answering, sock=listener)
    print(listener.getsockname()[1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(serve())
