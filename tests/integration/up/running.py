"""A running `horae up`, as a test sees it: its processes, its output, and what its children noted."""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from tests.waiting import until

HERE = Path(__file__).parent
UP = [sys.executable, "-m", "horae", "up"]
ROLES = ("serve", "scheduler", "worker")


def stand_ins(**manners: str) -> list[str]:
    """The command of a tree whose children are stand-ins, each with its manners."""
    children = {
        role: [sys.executable, str(HERE / "stand_in.py"), role, *manners.get(role, "").split()] for role in ROLES
    }
    return [sys.executable, str(HERE / "driver.py"), json.dumps(children)]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Running:
    """`command` in its own session (and so its own process group), on a data directory."""

    def __init__(self, command: list[str], data_dir: Path, *, stdout: Any = None, **environment: str) -> None:
        self.data_dir = data_dir
        port = environment.get("HORAE_PORT", "")
        self.port = int(port) if port.isdigit() else free_port()
        self._file = data_dir.parent / f"output-{self.port}.txt"
        clean = {name: value for name, value in os.environ.items() if not name.startswith("HORAE_")}
        settings = {"HORAE_DATA_DIR": str(data_dir), "HORAE_PORT": str(self.port)} | environment
        with self._file.open("ab") as own:
            self._popen = subprocess.Popen(
                command,
                env=clean | settings,
                stdin=subprocess.DEVNULL,
                stdout=own if stdout is None else stdout,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._noting = str(HERE / "driver.py") in command  # its children are stand-ins
        self.pid = self._popen.pid
        self.seen: set[int] = {self.pid}

    @property
    def output(self) -> str:
        return self._file.read_text(errors="replace")

    @property
    def code(self) -> int | None:
        return self._popen.poll()

    def processes(self) -> list[psutil.Process]:
        """Every process of the tree that was ever seen and is still alive."""
        with suppress(psutil.NoSuchProcess):
            self.seen |= {child.pid for child in psutil.Process(self.pid).children(recursive=True)}
        return [process for pid in self.seen if (process := alive(pid))]

    def notes(self) -> list[tuple[str, str, int, float]]:
        """(role, event, pid, time) in order."""
        path = self.data_dir / "notes.txt"
        lines = path.read_text().splitlines() if path.exists() else []
        rows = [line.split() for line in lines]
        return [(role, event, int(pid), float(at)) for role, event, pid, at in rows]

    def noted(self, event: str, role: str | None = None) -> list[int]:
        """The pids that noted it."""
        return [pid for r, e, pid, _ in self.notes() if e == event and role in (None, r)]

    async def ready(self, timeout: float = 90) -> None:
        await until(lambda: "Horae is running" in self.output or self.code is not None, timeout=timeout)
        assert self.code is None, self.output
        await until(lambda: len(self.processes()) >= 4)
        if self._noting:
            await until(lambda: {role for role, event, _, _ in self.notes() if event == "start"} == set(ROLES))

    def signal_group(self, number: int) -> None:
        os.killpg(self.pid, number)

    def signal_parent(self, number: int) -> None:
        self._popen.send_signal(number)

    async def ended(self, timeout: float = 45) -> int:
        """Waits for its end; its exit code. Nothing of it is left then."""
        self.processes()
        await until(lambda: self.code is not None, timeout=timeout, message=f"its end; {self.output[-2_000:]}")
        left = [f"{process.pid} {process.cmdline()}" for process in self.processes()]
        assert left == []
        assert self.code is not None
        return self.code

    def kill(self) -> None:
        """The end of a test: only what is still there of this very tree."""
        for process in self.processes():
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGKILL)
        self._popen.wait()


def alive(pid: int) -> psutil.Process | None:
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process
    except psutil.NoSuchProcess:
        return None
