"""A Redis of a test's own, which it may stop, empty and start again."""

import shutil
import subprocess
from pathlib import Path

from tests.integration.cluster.cluster import free_port
from tests.integration.engines.broker import BrokerUnderTest
from tests.lacking import lacking
from tests.waiting import until


class OwnRedis:
    def __init__(self, folder: Path) -> None:
        self.port, self._folder = free_port(), folder
        self.broker = BrokerUnderTest("redis", f"redis://127.0.0.1:{self.port}/0")
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        program = shutil.which("redis-server")
        if program is None:
            lacking("no redis-server")
        command = [program, "--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--dir", str(self._folder)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: ASYNC220 (milliseconds)
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
