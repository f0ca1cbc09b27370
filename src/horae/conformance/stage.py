"""One check at work: a controller, a site, a folder, and the agent as a process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

from horae.conformance.controller import PlayedController
from horae.conformance.runs import HandedRun
from horae.conformance.server import Front, Server, Site

PATIENCE = 20.0  # seconds for what should happen at once: machines are slow sometimes


class Violated(Exception):
    """The agent did not do what the protocol says; the message says what it did."""


class Stage:
    def __init__(self, command: Sequence[str], folder: Path, patience: float) -> None:
        self.patience = patience
        self.folder = folder
        self.controller = PlayedController(f"horaew_{secrets.token_urlsafe(24)}")
        self.front = Front(self.controller)
        self.site = Site()
        self._command = command
        self._server, self._site_server = Server(self.front.handle), Server(self.site.handle)
        self._agent: asyncio.subprocess.Process | None = None

    @property
    def site_url(self) -> str:
        return self._site_server.url

    @property
    def agent(self) -> asyncio.subprocess.Process:
        assert self._agent is not None
        return self._agent

    async def open(self) -> None:
        await self._server.start()
        await self._site_server.start()

    async def start(self, **env: str) -> None:
        """Starts the agent. It finds the controller by HORAE_URL and HORAE_WORKER_KEY, or by {url} and {key} in its
        command."""
        values = {"url": self._server.url, "key": self.controller.key}
        command = [_filled(part, values) for part in self._command]
        given = {"HORAE_URL": values["url"], "HORAE_WORKER_KEY": values["key"], "HORAE_HTTP_ALLOW_PRIVATE": "true"}
        with self._output.open("ab") as output:
            self._agent = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**os.environ, **given, **env},
                start_new_session=True,
            )

    async def close(self) -> None:
        if self._agent is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._agent.pid, signal.SIGKILL)
            await self._agent.wait()
        await self._server.stop()
        await self._site_server.stop()

    @property
    def _output(self) -> Path:
        return self.folder / "agent.log"

    def printed(self) -> str:
        """What the agent itself has logged."""
        return self._output.read_text(errors="replace") if self._output.exists() else ""

    # ---- waiting

    async def until(self, condition: Callable[[], object], expected: str) -> None:
        """Waits for something that the agent must do."""
        end = time.monotonic() + self.patience
        while not condition():
            if time.monotonic() >= end:
                raise Violated(f"within {self.patience:g} s the agent did not {expected}{self._gone()}")
            await self.controller.wait(0.02)

    async def during(self, seconds: float, never: Callable[[], object], what: str) -> None:
        """Waits, and complains if something happens that must not."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if never():
                raise Violated(what)
            await self.controller.wait(0.02)

    def _gone(self) -> str:
        if self._agent is None or self._agent.returncode is None:
            return ""
        last = self.printed().strip().splitlines()[-1:] or ["it printed nothing"]
        return f"; it has exited with {self._agent.returncode}: {last[0]}"

    # ---- runs

    async def ended(self, run: HandedRun) -> HandedRun:
        await self.until(lambda: run.over, "report the outcome of a run")
        return run

    async def carried_out(self, run: HandedRun, kind: str) -> HandedRun:
        self.controller.queue(run)
        await self.ended(run)
        if run.outcome is None or run.outcome["kind"] != kind:
            told = run.outcome or {"kind": "released", **(run.released or {})}
            shown = {name: told.get(name) for name in ("kind", "error", "exit_code", "response_code", "unreadable")}
            raise Violated(f"expected an outcome of kind {kind}, got {shown}")
        return run

    def beating(self, name: str = "beats") -> str:
        """A script whose two processes, one of them in another session, leave a sign of life ten times a second."""
        one, other = self.folder / name, self.folder / f"{name}-detached"
        loop = "while :; do echo beat >> {}; sleep 0.1; done"
        return f"setsid bash -c '{loop.format(other)}' & {loop.format(one)}"

    def beats(self, name: str = "beats") -> tuple[int, int]:
        one, other = self.folder / name, self.folder / f"{name}-detached"
        return (_size(one), _size(other))

    async def alive(self, run: HandedRun) -> None:
        await self.until(lambda: all(self.beats()), "start a script with two processes")

    async def dead(self, by: float, why: str) -> None:
        """Both processes must be dead at that moment."""
        await asyncio.sleep(max(by - time.monotonic(), 0))
        before = self.beats()
        await asyncio.sleep(0.5)
        if self.beats() != before:
            raise Violated(why)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _filled(part: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        part = part.replace(f"{{{name}}}", value)
    return part


@contextlib.asynccontextmanager
async def opened(command: Sequence[str], patience: float = PATIENCE) -> AsyncIterator[Stage]:
    with tempfile.TemporaryDirectory(prefix="horae-conformance-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o777)  # scripts may run as another user
        stage = Stage(command, Path(folder), patience)
        await stage.open()
        try:
            yield stage
        finally:
            await stage.close()
