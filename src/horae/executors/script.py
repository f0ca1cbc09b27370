"""Runs a script on the worker's machine.

The source is passed as a file, not with `-c`: it may be longer than an argument can be, it does not show in the process
list, and standard input stays free for the run's `input`.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from horae.domain.runs.outcome import Outcome
from horae.executors.commands import Command, CommandRunner
from horae.executors.failure import Refused

if TYPE_CHECKING:
    from horae.domain.runs.attempt import Attempt
    from horae.domain.targets import ScriptTarget


class ScriptExecutor:
    """Executes `script` targets; `python` is the interpreter of that name."""

    def __init__(self, runner: CommandRunner, *, python: str = sys.executable) -> None:
        self._runner = runner
        self._python = python
        self._interpreters: dict[str, str] = {}

    def offers(self) -> Iterable[str]:
        return ("script",)

    async def execute(self, attempt: Attempt) -> Outcome:
        target = cast("ScriptTarget", attempt.job.target)
        return await self._runner.run(
            attempt, lambda folder: self._command(target, folder), limits=target.limits, sandbox=target.sandbox
        )

    async def close(self) -> None:
        await self._runner.close()

    def _command(self, target: ScriptTarget, folder: Path) -> Command:
        argv = self._interpreter(target.interpreter)
        if target.source is not None:
            script = folder / "script"
            _write_private(script, target.source.encode())
        else:
            script = Path(target.cwd or self._runner.home, target.file or "")
            if not script.is_file():
                raise Refused(f"the file {target.file} does not exist on this worker")
        return Command(
            [*argv, str(script), *target.args], target.env, target.cwd, reads=() if target.source else (str(script),)
        )

    def _interpreter(self, name: str) -> list[str]:
        if name == "python":
            return [self._python, "-u"]  # unbuffered: its output is followed live
        path = name if name.startswith("/") else self._interpreters.get(name)
        if path is None:
            path = shutil.which(name, path=self._runner.path)
        if path is None or not Path(path).is_file():
            raise Refused(f"the interpreter {name} does not exist on this worker")
        if not os.access(path, os.X_OK):
            raise Refused(f"the interpreter {name} is not executable on this worker")
        self._interpreters[name] = path
        return [path]


def _write_private(path: Path, content: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(content)
