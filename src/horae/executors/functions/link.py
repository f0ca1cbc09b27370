"""The worker's connection to the template: starts it, requests children, and is notified when they end."""

from __future__ import annotations

import asyncio
import math
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import orjson

from horae import memory
from horae.executors.functions import kernel

_LARGEST = 1 << 16
_CODE = (
    "import sys; from horae import memory; memory.become(sys.argv[2]); "
    "from horae.executors.functions.template import main; main(int(sys.argv[1]), int(sys.argv[3]))"
)
_MARKER = "HORAE_FUNCTIONS"
_PATIENCE = 8.0  # seconds for the template to end everything; more than it takes itself


@dataclass(frozen=True, slots=True)
class FunctionOrigin:
    """What a template imports: `loader` ("module:function") takes the modules' names and returns a Registry."""

    loader: str
    imports: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


class FunctionLink:
    """One template. `on_exit` is called for each child that has ended, `on_gone` when the template itself has."""

    def __init__(
        self, origin: FunctionOrigin, on_exit: Callable[[int, dict[str, Any]], None], on_gone: Callable[[str], None]
    ) -> None:
        self._on_exit, self._on_gone = on_exit, on_gone
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._marker = f"{_MARKER}={uuid4()}"
        name, _, value = self._marker.partition("=")
        with theirs:
            self._popen = subprocess.Popen(
                [sys.executable, "-c", _CODE, str(theirs.fileno()), memory.state(), str(os.getpid())],
                env={**origin.environment, name: value},
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # neither the terminal's Ctrl-C nor its Ctrl-Z is meant for it
            )
        self._control.setblocking(False)
        self._failure: str | None = None
        self._ready: asyncio.Future[None] | None = None
        self.is_ready = False
        self._send({"loader": origin.loader, "imports": list(origin.imports), "path": sys.path})

    @property
    def pid(self) -> int:
        return self._popen.pid

    async def ready(self) -> None:
        """Waits until the modules are imported, or the import has failed (`on_gone` then gets the reason)."""
        if self._ready is None:
            loop = asyncio.get_running_loop()
            self._ready = loop.create_future()
            loop.add_reader(self._control, self._hear)
        await asyncio.shield(self._ready)

    def fork(self, number: int, fds: Sequence[int]) -> None:
        """Asks for a child whose connection, standard output and standard error are these files."""
        with suppress(OSError):  # gone: `_hear` reports it
            socket.send_fds(self._control, [orjson.dumps({"fork": number})], list(fds))

    def end(self, number: int, grace: float) -> None:
        """TERM to a child and all its descendants, KILL after `grace` seconds; at once if that is 0."""
        self._send({"end": number, "grace": grace})

    def lease(self, number: int, until: float) -> None:
        """Sets a child's deadline, by a clock that includes suspend. From any thread."""
        self._send({"lease": number, "until": until if until < math.inf else None})

    async def close(self) -> None:
        """Ends everything, and waits for that."""
        self._forget()
        self._control.close()
        try:
            await asyncio.to_thread(self._popen.wait, _PATIENCE)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()
            kernel.kill_marked(self._marker)

    def _send(self, message: dict[str, Any]) -> None:
        with suppress(OSError):
            self._control.send(orjson.dumps(message))

    def _hear(self) -> None:
        while True:
            try:
                data = self._control.recv(_LARGEST)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self._gone()
                return
            self._understand(orjson.loads(data))

    def _understand(self, message: dict[str, Any]) -> None:
        if "exit" in message:
            self._on_exit(message["exit"], message)
        elif "failed" in message:
            self._failure = f"the modules of the tasks cannot be imported in a new process: {message['failed']}"
        else:
            self.is_ready = True
            self._done()

    def _gone(self) -> None:
        """It died, or could not import. Its children die with it; processes they started are found by their marker."""
        self._forget()
        self._control.close()
        self._popen.kill()
        self._popen.wait()
        kernel.kill_marked(self._marker)
        self._on_gone(self._failure or "the process that starts functions has ended; another one will be started")
        self._done()

    def _forget(self) -> None:
        if self._ready is not None and self._control.fileno() >= 0:
            self._ready.get_loop().remove_reader(self._control)

    def _done(self) -> None:
        if self._ready is not None and not self._ready.done():
            self._ready.set_result(None)
