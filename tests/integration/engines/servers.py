"""Brokers of a test's own, which it may stop, empty, fill and start again."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.certificate import self_signed
from tests.integration.cluster.cluster import ROOT, free_port
from tests.integration.engines.broker import BrokerUnderTest
from tests.lacking import lacking
from tests.waiting import until

sys.path.append(str(ROOT / "tools"))
from server_kinds import RabbitMQ


class OwnRedis:
    def __init__(self, folder: Path, *options: str, password: str = "") -> None:
        self.port, self._folder, self._options = free_port(), folder, options
        self.broker = BrokerUnderTest("redis", f"redis://{password and f':{password}@'}127.0.0.1:{self.port}/0")
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        program = shutil.which("redis-server")
        if program is None:
            lacking("no redis-server")
        command = [program, "--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--dir", str(self._folder)]
        self._process = subprocess.Popen([*command, *self._options], stdout=subprocess.DEVNULL)  # noqa: ASYNC220 (milliseconds)
        await until(self._answers, message="Redis answers")

    def _answers(self) -> bool:
        try:
            self.broker.depth()
        except Exception:
            return False
        return True

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@contextmanager
def own_folder() -> Iterator[Path]:
    """That the user of a server may enter."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="horae-own-", dir=memory if os.access(memory, os.W_OK) else None))
    folder.chmod(0o711)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _WithTls(RabbitMQ):
    tls_port = 0
    settings = ""
    _environment: dict[str, str]

    def prepare(self) -> None:
        file = self_signed(self.folder)
        file.chmod(0o644)
        self.tls_port = free_port()
        options = "\n".join(f"ssl_options.{name} = {file}" for name in ("certfile", "keyfile", "cacertfile"))
        config = f"listeners.ssl.1 = 127.0.0.1:{self.tls_port}\n{options}\nssl_options.verify = verify_none\n"
        (self.folder / "own.conf").write_text(config)
        (self.folder / "own.config").write_text(f"[{{rabbit, [{self.settings}]}}].")

    def environment(self, port: int) -> dict[str, str]:
        """The same for its tools."""
        if port:
            self._environment = super().environment(port) | {
                "RABBITMQ_CONFIG_FILE": str(self.folder / "own.conf"),
                "RABBITMQ_ADVANCED_CONFIG_FILE": str(self.folder / "own.config"),
            }
        return self._environment


class OwnRabbitMQ:
    """With TLS as well."""

    def __init__(self, folder: Path, settings: str = "") -> None:
        self._server = _WithTls(folder, folder, fast=True)
        self._server.settings = settings
        self.broker = BrokerUnderTest("rabbitmq", "")

    async def start(self) -> None:
        if self._server.program() is None:
            lacking("no rabbitmq-server")
        url = await asyncio.to_thread(self._server.start)
        self.broker = BrokerUnderTest("rabbitmq", url)

    @property
    def tls_port(self) -> int:
        return self._server.tls_port

    @property
    def certificate(self) -> Path:
        return self._server.folder / "server.pem"

    async def control(self, *command: str) -> None:
        await asyncio.to_thread(self._server.call, "/usr/lib/rabbitmq/bin/rabbitmqctl", *command)

    def kill(self) -> None:
        self._server.stop()
