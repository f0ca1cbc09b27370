"""A Redis server of a test's own, to be stopped, killed and started again on the same port."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.lacking import lacking
from tests.waiting import until


class OwnRedis:
    def __init__(self, folder: Path, port: int, *options: str) -> None:
        program = shutil.which("redis-server") or lacking("no redis-server on this machine")
        self.port = port
        self._command = [program, "--bind", "127.0.0.1", "--port", str(port), "--dir", str(folder), "--save", ""]
        self._command += [*options, "--loglevel", "warning"]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    async def start(self) -> "OwnRedis":
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)  # noqa: ASYNC220
        await until(self._answers, message="Redis answers")
        return self

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as link:
                link.sendall(b"PING\r\n")
                return bool(link.recv(1))
        except OSError:
            return False


@contextmanager
def own_redis(folder: Path, port: int, *options: str) -> Iterator[OwnRedis]:
    """Not started yet."""
    server = OwnRedis(folder, port, *options)
    try:
        yield server
    finally:
        server.kill()
