"""Runs a script on the worker's machine, in a session of its own and with a clean environment.

Each attempt has a private folder (mode 0700) for what must be a file: the source, and the result that the script may
write. A source goes by file, not by `-c`: it may be longer than an argument can be, it does not show in the list of
processes, and standard input stays free for the run's `input`.
"""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

import orjson

from horae.domain.outcome import Outcome
from horae.domain.states import AttemptOutcome, StopReason
from horae.executors.failure import RESULT_LIMIT, Refused, in_words, one_line, raised, refused
from horae.executors.process import Command, Leash, Process
from horae.executors.scratch import Scratch, remove

if TYPE_CHECKING:
    from horae.domain.attempt import Attempt
    from horae.domain.targets import ScriptTarget

# All that a script sees of the worker's environment.
PASSED_ON = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Errors of starting that will be there next time, too.
_HOPELESS = frozenset(
    getattr(errno, name)
    for name in "ENOENT EACCES EPERM ENOTDIR EISDIR ENOEXEC E2BIG ELOOP ENAMETOOLONG".split()  # noqa: SIM905
)


class ScriptExecutor:
    """Carries out `script` targets. Of `environment` (the worker's) scripts see the few variables in PASSED_ON;
    `scratch` is where attempts have their folders; `python` is the interpreter of that name."""

    def __init__(
        self, environment: Mapping[str, str], *, scratch: Path | None = None, python: str = sys.executable
    ) -> None:
        self._base = {"PATH": DEFAULT_PATH, **{name: environment[name] for name in PASSED_ON if name in environment}}
        self._scratch = Scratch(scratch)
        self._python = python
        self._interpreters: dict[str, str] = {}
        self._leash: Leash | None = None

    def offers(self) -> Iterable[str]:
        return ("script",)

    async def execute(self, attempt: Attempt) -> Outcome:
        folder = None
        try:
            if self._leash is None:
                self._leash = Leash.find(self._base["PATH"])
            folder = self._scratch.make()
            return await self._run(attempt, folder, self._leash)
        except Refused as error:
            return refused(str(error))
        except OSError as error:  # the machine is short of something: processes, memory, files, disk
            return raised(error)
        finally:
            if folder is not None:
                remove(folder, "script", "result")

    async def close(self) -> None:
        self._scratch.close()

    async def _run(self, attempt: Attempt, folder: Path, leash: Leash) -> Outcome:
        process = self._start(attempt, folder, leash)
        try:
            try:
                await process.wait()
            except asyncio.CancelledError:
                # What has ended by itself is told as it ended; the worker came too late.
                if not process.ended():
                    stop = attempt.stop
                    grace = 0 if stop is StopReason.LEASE_LOST else attempt.grace
                    await process.end(stop or "stopped", grace)
                    raise
            await process.drain()
        finally:
            status = process.close()
        return _outcome(status, folder / "result")

    def _start(self, attempt: Attempt, folder: Path, leash: Leash) -> Process:
        try:
            command = self._command(attempt, folder)
            with _Input(attempt.run.input, folder) as stdin:
                return Process(command, leash, attempt.log, stdin)
        except OSError as error:
            if error.errno in _HOPELESS:
                raise Refused(f"the script cannot be started: {in_words(error)}") from error
            raise

    def _command(self, attempt: Attempt, folder: Path) -> Command:
        target = cast("ScriptTarget", attempt.job.target)
        cwd = target.cwd or self._home()
        if not Path(cwd).is_dir():
            raise Refused(f"the folder {cwd} does not exist on this worker")
        argv = self._interpreter(target.interpreter)
        if target.source is not None:
            script = folder / "script"
            _write_private(script, target.source.encode())
        else:
            script = Path(cwd, target.file or "")
            if not script.is_file():
                raise Refused(f"the file {target.file} does not exist on this worker")
        run = attempt.run
        result = str(folder / "result")
        environment = {
            **self._base,
            **target.env,
            "HORAE_RUN_ID": run.id,
            "HORAE_JOB_NAME": attempt.job.name,
            "HORAE_ATTEMPT": str(run.attempt),
            "HORAE_SCHEDULED_FOR": _instant(run.scheduled_for),
            "HORAE_TRIGGER": run.trigger,
            "HORAE_RESULT": result,
        }
        return Command([*argv, str(script), *target.args], environment, cwd, marker=f"HORAE_RESULT={result}")

    def _interpreter(self, name: str) -> list[str]:
        if name == "python":
            return [self._python, "-u"]  # unbuffered: its output is followed live
        path = name if name.startswith("/") else self._interpreters.get(name)
        if path is None:
            path = shutil.which(name, path=self._base["PATH"])
        if path is None or not Path(path).is_file():
            raise Refused(f"the interpreter {name} does not exist on this worker")
        if not os.access(path, os.X_OK):
            raise Refused(f"the interpreter {name} is not executable on this worker")
        self._interpreters[name] = path
        return [path]

    def _home(self) -> str:
        """Where a script starts that does not say: at home, as under cron."""
        home = self._base.get("HOME", "/")
        return home if Path(home).is_dir() else "/"


class _Input:
    """The run's input as a file descriptor to read from. A file, not a pipe: nobody has to keep writing."""

    def __init__(self, text: str | None, folder: Path) -> None:
        self._text = text
        self._folder = folder
        self._file: IO[bytes] | None = None

    def __enter__(self) -> int:
        if self._text is None:
            return subprocess.DEVNULL
        self._file = tempfile.TemporaryFile(dir=self._folder)
        self._file.write(self._text.encode())
        self._file.seek(0)
        return self._file.fileno()

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


def _instant(at: datetime | None) -> str:
    return "" if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _outcome(status: int | None, result_file: Path) -> Outcome:
    if status is None:
        return Outcome(AttemptOutcome.FAILED, error="the process did not end")
    result, complaint = _result(result_file)
    if status < 0:
        name = signal.Signals(-status).name.removeprefix("SIG") if -status in list(signal.Signals) else str(-status)
        return Outcome(AttemptOutcome.FAILED, result=result, error=f"killed by signal {name}", exit_code=128 - status)
    if status > 0:
        return Outcome(AttemptOutcome.FAILED, result=result, error=f"exit code {status}", exit_code=status)
    if complaint is not None:
        # Permanent: the work itself is done, and doing it again would write the same.
        return Outcome(AttemptOutcome.FAILED, error=complaint, exit_code=0, permanent=True)
    return Outcome(AttemptOutcome.SUCCEEDED, result=result, exit_code=0)


def _result(path: Path) -> tuple[str | None, str | None]:
    """The JSON that the script left, or what is wrong with it."""
    try:
        # The script could have put anything here: a link to some other file, a pipe that would block.
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None, None
    except OSError as error:
        return None, f"the result cannot be read: {error.strerror}"
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None, "the result is not a file"
        raw = os.read(fd, RESULT_LIMIT + 1).strip()
    finally:
        os.close(fd)
    if len(raw) > RESULT_LIMIT:
        return None, f"the result is longer than {RESULT_LIMIT // 1024} KiB"
    if not raw:
        return None, None
    try:
        orjson.loads(raw)
        return raw.decode(), None
    except ValueError as error:
        return None, one_line(f"the result is not JSON: {error}")


def _write_private(path: Path, content: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(content)
