"""systemd: `READY=1` once a process is ready, `WATCHDOG=1` while its loop turns, `STOPPING=1` when it drains
(sd_notify). Without NOTIFY_SOCKET nothing is sent."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator

from horae.domain.cluster.readiness import Readiness

_LOOK, _SOON = 1.0, 0.2  # seconds between two checks while it is not ready


class SystemdNotifier:
    """`address` is where systemd listens, `watchdog` the seconds after which it would end a silent process."""

    def __init__(self, address: str | None, watchdog: float | None, ready: Callable[[], Readiness]) -> None:
        self._address, self._ready = address, ready
        self._every = None if watchdog is None else watchdog / 2
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._address:
            self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Reports that the process stops, if it had no time to do so before."""
        if self._task is not None:
            self._send("STOPPING=1")
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        last: Readiness | None = None
        while True:
            found = self._ready()
            if found != last:
                self._send(*_news(found, last))
                last = found
            if self._every is not None:
                self._send("WATCHDOG=1")
            await asyncio.sleep(min(self._every or _LOOK, _LOOK if last.ready else _SOON))

    def _send(self, *lines: str) -> None:
        name = self._address or ""
        address = "\0" + name[1:] if name.startswith("@") else name
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as notify:
                notify.setblocking(False)
                notify.sendto("\n".join(lines).encode(), address)
        except OSError:
            pass  # systemd will report that it received nothing


def _news(found: Readiness, last: Readiness | None) -> Iterator[str]:
    """systemd expects one READY message, and shows the status text."""
    if found.ready and (last is None or not last.ready):
        yield "READY=1"
    if found.leaving:
        yield "STOPPING=1"
    yield f"STATUS={'ready' if found.ready else '; '.join(found.reasons)}"
