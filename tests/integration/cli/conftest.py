"""A whole Horae, as `horae up` starts it, and the command line beside it."""

import io
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from horae.cli.app import run
from tests.databases import run as run_async
from tests.waiting import until


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data directory of a running `horae up`."""
    data = tmp_path_factory.mktemp("data")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HORAE_")}
    environ = {**clean, "HORAE_DATA_DIR": str(data), "HORAE_PORT": str(port)}
    log = (data / "up.log").open("w")
    up = subprocess.Popen(
        [sys.executable, "-m", "horae", "up"], env=environ, cwd=data, stdout=log, stderr=log, start_new_session=True
    )

    def ready() -> bool:
        told = (data / "up.log").read_text()
        assert up.poll() is None, told
        if "worker ready" not in told:  # it has registered its functions then
            return False
        try:
            return httpx.get(f"http://127.0.0.1:{port}/health/ready", trust_env=False).is_success
        except httpx.TransportError:
            return False

    try:
        run_async(until(ready, timeout=60, message="the API answers, and there is a worker"))
        yield data
    finally:
        up.send_signal(signal.SIGINT)
        try:
            up.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(up.pid, signal.SIGKILL)
            raise


@dataclass
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code in (0, 1), self.err
        return json.loads(self.out)


Horae = Callable[..., Answer]
Say = Callable[..., Answer]


@pytest.fixture
def horae(running: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Horae:
    """Calls the command in this process, where it finds the API by itself."""
    monkeypatch.chdir(running)
    for name in list(os.environ):
        if name.startswith("HORAE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HORAE_DATA_DIR", str(running))

    def call(*arguments: str) -> Answer:
        capsys.readouterr()
        code = run(list(arguments))
        return Answer(code, *capsys.readouterr())

    return call


@pytest.fixture
def say(horae: Horae, monkeypatch: pytest.MonkeyPatch) -> Say:
    """Calls a command with lines for its standard input."""

    def call(*arguments: str, lines: str = "") -> Answer:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        return horae(*arguments)

    return call


def assert_refused(answer: Answer, code: int, message: str) -> None:
    """By one line, and by nothing on standard output."""
    assert (answer.code, answer.out) == (code, "")
    assert answer.err.startswith("horae: ")
    assert answer.err.count("\n") == 1
    assert message in answer.err
