"""The worker's side: keeps a supervisor running, and sends commands to it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from horae import memory

_BOOT = (
    "import sys; sys.path.append(sys.argv[1]); from horae.executors.supervisor.main import main; "
    "main(int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))"
)
_DEATH = 5.0  # seconds for it to end everything


class SupervisorClient:
    """Starts the supervisor when it is first needed, and again when it has died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def start(self, request: dict[str, Any], stdio: Sequence[int]) -> socket.socket:
        """Requests a command, without waiting. Returns the channel to its keeper."""
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        mine.setblocking(False)
        body = os.memfd_create("horae-request", os.MFD_CLOEXEC)
        try:
            os.write(body, json.dumps(request).encode())
            self._send([theirs.fileno(), body, *stdio])
        except BaseException:
            mine.close()
            raise
        finally:
            theirs.close()
            os.close(body)
        return mine

    async def close(self) -> None:
        """Stops it, and waits until it has ended everything."""
        process = self._process
        self._forget()
        if process is not None:
            with suppress(subprocess.TimeoutExpired):
                await asyncio.to_thread(process.wait, _DEATH)

    def _send(self, descriptors: Sequence[int]) -> None:
        try:
            socket.send_fds(self._control or self._begin(), [b"start"], descriptors)
        except ConnectionError:  # it has died
            self._forget()
            socket.send_fds(self._begin(), [b"start"], descriptors)

    def _begin(self) -> socket.socket:
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            mine.setblocking(False)
            home = str(Path(__file__).parents[3])
            python = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _BOOT]
            self._process = subprocess.Popen(
                [*python, home, str(theirs.fileno()), memory.state(), str(os.getpid())],
                env={},
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        except BaseException:
            mine.close()
            raise
        finally:
            theirs.close()
        self._control = mine
        return mine

    def _forget(self) -> None:
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            self._process.poll()  # reaps it if it is dead
        self._control = self._process = None
