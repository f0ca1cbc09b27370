"""Sandboxes with bubblewrap: separate namespaces for processes, IPC and host name, Horae's own files hidden, and on
request no network and no write access.

A sandbox's processes end with its first one, which ends with its keeper: nothing can survive even if everything that
supervises it is killed. A script in it cannot see or signal the machine's processes, its mounts are private, and `sudo`
does not work. Why it is still the default in clusters: docs/decisions/0028-sandboxes-by-default.md.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from horae.domain.targets.script import Sandbox
from horae.executors.failure import Refused, one_line
from horae.executors.identity import ScriptUser
from horae.executors.process import ProcessStart

_PROBE = 10.0  # seconds
_LITTLE = 16 << 20  # bytes that can be written into a hidden folder
_RUN = (Path("/run"), Path("/var/run"))  # sockets: of Docker, of databases, of the system's bus
# Not sockets, and needed: name resolution, and on NixOS the programs.
_KEPT = (Path("/etc/resolv.conf"), Path("/run/current-system"), Path("/run/wrappers"), Path("/run/booted-system"))


@dataclass(frozen=True, slots=True)
class Hidden:
    """What scripts must not see on this machine: `folders` are empty in a sandbox and `files` cannot be read. `code` is
    visible but read-only; `kept` is visible even inside one of the folders, and `shown` as well, writable."""

    folders: Sequence[Path] = ()
    files: Sequence[Path] = ()
    code: Sequence[Path] = ()
    kept: Sequence[Path] = ()
    shown: Sequence[Path] = ()

    def options(self, user: ScriptUser | None, bounded: bool) -> list[str]:
        """As of now. Paths that the user cannot reach need no hiding, and bubblewrap could not hide them."""
        folders = [real for path in (*_RUN, *self.folders) if (real := _real(path, user)) and real.is_dir()]
        files = [real for path in self.files if (real := _real(path, user)) and not real.is_dir()]
        code = [real for path in self.code if (real := _real(path, user))]
        shown = [real for path in self.shown if (real := _real(path, user))]
        kept = [real for path in (*_KEPT, *self.kept) if (real := _real(path, user)) and _is_in(real, folders)]
        return [
            *(word for path in dict.fromkeys(folders) for word in _in_memory(str(path), _LITTLE if bounded else None)),
            *(word for path in dict.fromkeys((*kept, *code)) for word in ("--ro-bind", str(path), str(path))),
            *(word for path in dict.fromkeys(shown) for word in ("--bind", str(path), str(path))),
            # Last: a key may lie in a folder that is shown.
            *(word for path in dict.fromkeys(files) for word in ("--ro-bind", "/dev/null", str(path))),
        ]


def _in_memory(folder: str, size: float | None) -> list[str]:
    """An empty folder. What is written there does not count as a process's memory, so only its own size limits it."""
    return [*(("--size", str(int(size))) if size else ()), "--tmpfs", folder]


def _real(path: Path, user: ScriptUser | None) -> Path | None:
    """Where a path leads; None if nothing is there, or not for that user."""
    real = Path(os.path.realpath(path))
    try:
        there = real.exists()
    except PermissionError:
        return None
    return real if there and (user is None or user.reaches(real)) else None


def _is_in(path: Path, folders: Sequence[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


@dataclass(frozen=True, slots=True)
class Wrap:
    """bubblewrap with its options, without the command."""

    program: str
    sandbox: Sandbox
    hidden: Hidden
    user: ScriptUser | None
    bounded: bool  # whether this bubblewrap can limit the size of folders in memory

    def around(self, start: ProcessStart, folder: str, reads: Sequence[str], own: Sequence[str]) -> ProcessStart:
        """The same command inside. It can write to `folder` in any case, and sees `own` even if it is hidden."""
        visible = [option for path in dict.fromkeys((start.cwd, *reads)) for option in ("--ro-bind", path, path)]
        inside = [
            *(visible if self.sandbox.read_only else ()),
            *self.hidden.options(self.user, self.bounded),
            *(option for path in own for option in ("--ro-bind", path, path)),
            *("--bind", folder, folder, "--chdir", start.cwd),
        ]
        room = start.limits.get("memory") if self.bounded else None
        return replace(start, argv=[*self.options(room), *inside, "--", *start.argv], cwd="/", sandboxed=True)

    def options(self, room: float | None = None) -> list[str]:
        """`room` is how many bytes of files it can have in memory, in each place for them."""
        options = [self.program, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent"]
        if self.sandbox.read_only:
            # A process with capabilities could remount it.
            options += ["--ro-bind", "/", "/", "--dev", "/dev", *_in_memory("/dev/shm", room), "--remount-ro", "/dev"]
            options += [*_in_memory("/tmp", room), "--cap-drop", "ALL"]
        else:
            options += ["--dev-bind", "/", "/", *_in_memory("/dev/shm", room)]
        if not self.sandbox.network:
            options += ["--unshare-net"]
        return [*options, "--proc", "/proc"]


class Sandboxes:
    """`mode` is HORAE_SCRIPT_SANDBOX: `off` (only on request), `auto` (for all if it works), `require`."""

    def __init__(self, mode: str, path: str, hidden: Hidden, user: ScriptUser | None = None) -> None:
        self._mode = mode
        self._path = path
        self._hidden = hidden
        self._user = user
        self._complaints: dict[Sandbox, str | None] = {}
        self._bounded: bool | None = None

    async def choose(self, asked: Sandbox | None) -> Wrap | None:
        """The sandbox for a command, None for none. Raises Refused if one is required and not available."""
        if asked is None and self._mode == "off":
            return None
        sandbox = asked or Sandbox()
        wrap = await self._wrap(sandbox)
        complaint = await self._complaint(wrap)
        if complaint is None:
            return wrap
        if asked is None and self._mode == "auto":
            return None
        raise Refused(f"it requires a sandbox, and this worker has none: {complaint}")

    async def missing(self) -> str | None:
        """Why scripts that do not request a sandbox run without one; None if they have one."""
        return (
            "HORAE_SCRIPT_SANDBOX is off" if self._mode == "off" else await self._complaint(await self._wrap(Sandbox()))
        )

    async def _wrap(self, sandbox: Sandbox) -> Wrap:
        program = shutil.which("bwrap", path=self._path) or ""
        if program and self._bounded is None:
            self._bounded = await asyncio.to_thread(_can_bound, program)
        return Wrap(program, sandbox, self._hidden, self._user, bool(self._bounded))

    async def _complaint(self, wrap: Wrap) -> str | None:
        if wrap.sandbox not in self._complaints:
            self._complaints[wrap.sandbox] = await asyncio.to_thread(_complaint, wrap)
        return self._complaints[wrap.sandbox]


def _can_bound(program: str) -> bool:
    """Those before 0.7 cannot."""
    try:
        usage = subprocess.run([program, "--help"], capture_output=True, timeout=_PROBE, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return b"--size" in usage.stdout + usage.stderr


def _complaint(wrap: Wrap) -> str | None:
    """Why it does not work here; None if it does."""
    if not wrap.program:
        return "bubblewrap (bwrap) is not installed"
    command = [*wrap.options(), *wrap.hidden.options(wrap.user, wrap.bounded), "--", "/bin/sh", "-c", ":"]
    user = wrap.user
    try:
        if user is None:
            tried = subprocess.run(command, capture_output=True, timeout=_PROBE, check=False, cwd="/")
        else:
            tried = subprocess.run(
                command,
                capture_output=True,
                timeout=_PROBE,
                check=False,
                cwd="/",
                user=user.uid,
                group=user.gid,
                extra_groups=user.groups,
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        return one_line(str(error))
    return None if tried.returncode == 0 else one_line(tried.stderr.decode(errors="replace")) or "bwrap failed"
