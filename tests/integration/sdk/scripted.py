"""A server that follows a test's script, one request after another: it answers, or breaks in some way."""

import json
import socketserver
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Answer:
    """`sent` is how much of the body is sent before the connection breaks; None: all, -1: nothing at all, not even
    the head. `hangs` says nothing until the client has gone."""

    status: int = 200
    body: Any = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    sent: int | None = None
    hangs: bool = False

    def encoded(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


CUT = Answer(sent=-1)
HANG = Answer(hangs=True)


def problem(status: int, detail: str = "no", **more: Any) -> Answer:
    headers = {name.replace("_", "-"): value for name, value in more.pop("headers", {}).items()}
    body = {"type": "urn:horae:problem:x", "title": "X", "status": status, "detail": detail, "request_id": "r1", **more}
    return Answer(status, body, {"content-type": "application/problem+json", **headers})


def events(*lines: str) -> Answer:
    """Server-sent events, after which the server ends the answer in good order."""
    return Answer(body="".join(f"{line}\n" for line in lines).encode(), headers={"content-type": "text/event-stream"})


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self, script: list[Answer]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script, self.asked, self.over = script, list[Asked](), threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(socketserver.StreamRequestHandler):
    server: Server

    def handle(self) -> None:
        while (line := self.rfile.readline()).strip():
            method, path, _ = line.decode().split()
            headers = dict(self._headers())
            body = self.rfile.read(int(headers.get("content-length", "0")))
            self.server.asked.append(Asked(method, path, headers, body))
            if not self._answer(self.server.script.pop(0)):
                return

    def _headers(self) -> Iterator[tuple[str, str]]:
        while line := self.rfile.readline().decode().strip():
            name, _, value = line.partition(":")
            yield name.lower(), value.strip()

    def _answer(self, answer: Answer) -> bool:
        """Whether the connection is still good."""
        if answer.hangs:
            self.server.over.wait(20)
            return False
        if answer.sent == -1:
            return False
        body = answer.encoded()
        head = {"content-type": "application/json", "content-length": str(len(body)), **answer.headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        self.wfile.write(f"HTTP/1.1 {answer.status} X\r\n{lines}\r\n".encode() + body[: answer.sent])
        return answer.sent is None


@contextmanager
def scripted(*script: Answer) -> Iterator[Server]:
    server = Server(list(script))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        thread.join()
        server.server_close()
