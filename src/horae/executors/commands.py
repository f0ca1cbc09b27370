"""Runs commands on the worker's machine: with a clean environment, in their own folder and session, with their output
in the attempt's log. Scripts and artifacts run this way.

Each attempt has a private folder (mode 0700) for files, such as the result that it may write. It is removed when the
attempt is over.
"""

from __future__ import annotations

import asyncio
import errno
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from horae.domain.runs.states import StopReason
from horae.domain.targets.fields import Limits
from horae.domain.targets.script import Sandbox
from horae.executors import environment, exits
from horae.executors.failure import Refused, raised, refused
from horae.executors.identity import ScriptUser
from horae.executors.process import Process, ProcessStart
from horae.executors.sandbox import Hidden, Sandboxes
from horae.executors.scratch import Scratch, remove
from horae.executors.supervisor.client import SupervisorClient

if TYPE_CHECKING:
    from horae.domain.runs.attempt import Attempt
    from horae.domain.runs.outcome import Outcome

# Everything that a command sees of the worker's environment.
PASSED_ON = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Start errors that will recur.
_HOPELESS = frozenset(
    (
        errno.ENOENT,
        errno.EACCES,
        errno.EPERM,
        errno.ENOTDIR,
        errno.EISDIR,
        errno.ENOEXEC,
        errno.E2BIG,
        errno.ELOOP,
        errno.ENAMETOOLONG,
    )
)


@dataclass(frozen=True, slots=True)
class Command:
    """What to start. `env` is added to the clean environment; its values are templates, filled in for the attempt."""

    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None  # by default the home directory, as under cron
    reads: Sequence[str] = ()  # files that it must see in a sandbox where nothing else is writable
    own: Sequence[str] = ()  # folders that it must see in a sandbox although their siblings are hidden


class CommandRunner:
    """Commands see only the variables of `environment` (the worker's) that are in PASSED_ON. `scratch` holds the
    attempts' folders; `limits` are the defaults for commands without their own; `sandbox` says which commands get one,
    and `hidden` what they cannot see (see sandbox.py); `user` is the account they run as. One runner serves all
    executors of a worker."""

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        scratch: Path | None = None,
        limits: Limits | None = None,
        sandbox: str = "off",
        hidden: Hidden | None = None,
        user: ScriptUser | None = None,
    ) -> None:
        self._base = {"PATH": DEFAULT_PATH, **{name: environment[name] for name in PASSED_ON if name in environment}}
        if user is not None:
            self._base |= {"HOME": user.home, "USER": user.name, "LOGNAME": user.name}
        self._user = user
        self._scratch = Scratch(scratch, shared=user is not None)
        self._limits = limits or Limits()
        hidden = hidden or Hidden()
        hidden = replace(hidden, folders=(*hidden.folders, self._scratch.parent))
        self._sandboxes = Sandboxes(sandbox, self._base["PATH"], hidden, user)
        self._supervisor = SupervisorClient()

    @property
    def user(self) -> str | None:
        """The user that commands run as, if not the worker's own."""
        return None if self._user is None else self._user.name

    @property
    def path(self) -> str:
        """Where commands find programs."""
        return self._base["PATH"]

    @property
    def home(self) -> str:
        home = self._base.get("HOME", "/")
        return home if Path(home).is_dir() else "/"

    async def run(
        self,
        attempt: Attempt,
        prepare: Callable[[Path], Command],
        *,
        limits: Limits,
        sandbox: Sandbox | None = None,
    ) -> Outcome:
        """Runs one command: `prepare` builds it, given the attempt's own folder for files (the names `result` and
        `input` are taken), and may raise Refused. The run's input is on its standard input, and JSON that it writes to
        the file $HORAE_RESULT is its result. On cancellation, the command and everything it started are ended before
        the cancellation propagates."""
        folder = None
        if sys.platform != "linux":
            return refused("commands need a worker on Linux")
        try:
            wrap = await self._sandboxes.choose(sandbox)
            folder = self._scratch.make()
            command = prepare(folder)
            start = await self._complete(attempt, folder, command, self._effective(limits))
            if self._user is not None:
                self._user.own(folder)
            if wrap is not None:
                start = wrap.around(start, str(folder), command.reads, command.own)
            return await self._run(attempt, folder, start)
        except Refused as error:
            return refused(str(error))
        except OSError as error:  # the machine is short of processes, memory, files or disk
            return raised(error)
        finally:
            if folder is not None:
                remove(folder, "script", "result")

    async def unsandboxed(self) -> str | None:
        """Why commands that do not request a sandbox run without one; None if they have one."""
        return await self._sandboxes.missing()

    async def close(self) -> None:
        await self._supervisor.close()
        self._scratch.close()

    async def _run(self, attempt: Attempt, folder: Path, start: ProcessStart) -> Outcome:
        with _Input(attempt.run.input, folder) as stdin:
            process = Process(self._supervisor, start, attempt.log, stdin)
        attempt.lease.follow(process.lease)
        try:
            try:
                await process.wait()
            except asyncio.CancelledError:
                grace = 0 if attempt.stop is StopReason.LEASE_LOST else attempt.grace
                # It had already ended: that outcome counts, the stop came too late.
                if await process.stop(attempt.stop or "stopped", grace):
                    raise
            await process.finish()
        finally:
            attempt.lease.follow(None)
            process.close()
        if process.failure is not None:
            raise _cannot_start(process.failure, start.argv[0])
        return exits.outcome(process.end, start.limits, folder / "result")

    def _effective(self, limits: Limits) -> dict[str, float]:
        """The command's own limits, otherwise the worker's. Only its own memory limit is also enforced by the kernel:
        some programs reserve much more than they use."""
        given = limits.model_dump(exclude_none=True)
        return {
            **self._limits.model_dump(exclude_none=True),
            **given,
            **({"data": given["memory"]} if "memory" in given else {}),
        }

    async def _complete(
        self, attempt: Attempt, folder: Path, command: Command, limits: dict[str, float]
    ) -> ProcessStart:
        cwd = command.cwd or self.home
        if not Path(cwd).is_dir():
            raise Refused(f"the folder {cwd} does not exist on this worker")
        result = str(folder / "result")
        variables = {
            **self._base,
            **environment.traced(attempt),
            **await environment.filled(attempt, command.env),
            **environment.about(attempt),
            "HORAE_RESULT": result,
        }
        return ProcessStart(
            command.argv,
            variables,
            cwd,
            marker=f"HORAE_RESULT={result}",
            limits=limits,
            lease=attempt.lease.until,
            user=None if self._user is None else self._user.request(),
        )


def _cannot_start(number: int, program: str) -> Exception:
    if number in _HOPELESS:
        return Refused(f"{program} cannot be started on this worker: {os.strerror(number)}")
    return OSError(number, os.strerror(number))


class _Input:
    """The run's input as a file descriptor to read from. A file, not a pipe: no process has to keep writing."""

    def __init__(self, text: str | None, folder: Path) -> None:
        self._text = text
        self._folder = folder
        self._file: IO[bytes] | None = None

    def __enter__(self) -> int:
        if self._text is None:
            self._file = Path(os.devnull).open("rb")
            return self._file.fileno()
        self._file = tempfile.TemporaryFile(dir=self._folder)
        self._file.write(self._text.encode())
        self._file.seek(0)
        return self._file.fileno()

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
