"""Sandboxes by bubblewrap: namespaces of their own for processes, and if asked for, no network and no writing.

A sandbox's processes end with its first one, and that with its keeper: nothing can survive the kill of everything that
watches over it. It is not the default, because a script in there neither sees nor signals the machine's processes, its
mounts stay its own, and `sudo` does not work: see docs/decisions/0015-scripts-have-keepers.md.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace

from horae.domain.targets.script import Sandbox
from horae.executors.failure import Refused, one_line
from horae.executors.process import Start

_PROBE = 10.0  # seconds


@dataclass(frozen=True, slots=True)
class Wrap:
    """bubblewrap with its options, without the command."""

    program: str
    sandbox: Sandbox

    def around(self, start: Start, folder: str, reads: Sequence[str]) -> Start:
        """The same command inside. It can write to `folder` in any case."""
        visible = [option for path in dict.fromkeys((start.cwd, *reads)) for option in ("--ro-bind", path, path)]
        inside = [*(visible if self.sandbox.read_only else ()), "--bind", folder, folder, "--chdir", start.cwd]
        return replace(start, argv=[*self.options(), *inside, "--", *start.argv], cwd="/", sandboxed=True)

    def options(self) -> list[str]:
        options = [self.program, "--unshare-pid", "--die-with-parent"]
        if self.sandbox.read_only:
            # Whoever has capabilities could mount it anew.
            options += ["--ro-bind", "/", "/", "--dev", "/dev", "--tmpfs", "/tmp", "--cap-drop", "ALL"]
        else:
            options += ["--dev-bind", "/", "/"]
        if not self.sandbox.network:
            options += ["--unshare-net"]
        return [*options, "--proc", "/proc"]


class Sandboxes:
    """`mode` is HORAE_SCRIPT_SANDBOX: `off` (for those that ask), `auto` (for all where it works), `require`."""

    def __init__(self, mode: str, path: str) -> None:
        self._mode = mode
        self._path = path
        self._complaints: dict[Sandbox, str | None] = {}

    async def choose(self, asked: Sandbox | None) -> Wrap | None:
        """The sandbox for a command, None for none. Refused if there must be one and cannot."""
        if asked is None and self._mode == "off":
            return None
        sandbox = asked or Sandbox()
        wrap = Wrap(shutil.which("bwrap", path=self._path) or "", sandbox)
        if sandbox not in self._complaints:
            self._complaints[sandbox] = await asyncio.to_thread(_complaint, wrap)
        complaint = self._complaints[sandbox]
        if complaint is None:
            return wrap
        if asked is None and self._mode == "auto":
            return None
        raise Refused(f"it needs a sandbox, and this worker has none: {complaint}")


def _complaint(wrap: Wrap) -> str | None:
    """Why it does not work here; None if it does."""
    if not wrap.program:
        return "bubblewrap (bwrap) is not installed"
    try:
        tried = subprocess.run(
            [*wrap.options(), "--", "/bin/sh", "-c", ":"], capture_output=True, timeout=_PROBE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return one_line(str(error))
    return None if tried.returncode == 0 else one_line(tried.stderr.decode(errors="replace")) or "bwrap failed"
