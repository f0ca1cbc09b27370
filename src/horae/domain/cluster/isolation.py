"""Isolation: how well a worker separates the code of jobs from itself and from other projects. What it reports when it
registers, and the conclusions drawn from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Isolation:
    """`kinds` are the targets whose code runs on the machine itself: `script`, `artifact`. `user` is the account it
    runs as; `unsandboxed` says why it runs without a sandbox, and is None if it has one. Containers may mount `mounts`;
    those in `exposed` hold Horae's own files."""

    kinds: tuple[str, ...]
    worker: str
    user: str
    root: bool = False
    unsandboxed: str | None = None
    installs: bool = False
    mounts: tuple[str, ...] = ()
    exposed: tuple[str, ...] = ()

    @property
    def own_user(self) -> bool:
        return self.user != self.worker

    @property
    def sandbox(self) -> str:
        return "bubblewrap" if self.unsandboxed is None else "none"

    @property
    def owner_is_admin(self) -> str | None:
        """Why an owner of a project can take over the installation through this worker; None if no way is known."""
        if self.exposed:
            return f"containers may mount {', '.join(self.exposed)}, which contain Horae's own files"
        if not self.kinds:
            return None
        if self.root:
            return "scripts run as root"
        if self.installs:
            return f"requirements of artifacts are installed as {self.worker}, the worker's own user"
        if not self.own_user and self.unsandboxed is not None:
            return f"scripts run as {self.worker}, the worker's own user, without a sandbox ({self.unsandboxed})"
        return None

    @property
    def readable(self) -> list[str]:
        """What code on this worker could read that is not its own."""
        if self.root:
            return ["everything on the machine"]
        return [*(self._by_scripts() if self.kinds else ()), *(f"by containers: {mount}" for mount in self.mounts)]

    def _by_scripts(self) -> list[str]:
        found = []
        if not self.own_user:
            found.append(
                f"files of the user {self.user}, except Horae's own and those of other attempts"
                if self.unsandboxed is None
                else f"all files of the user {self.user}: data directory, configuration, key files"
            )
        else:
            found.append(f"files that the user {self.user} can read")
        if self.unsandboxed is not None:
            found.append("the environment, memory and files of other scripts that run at the same time")
        return found


def isolation_of(stored: str | Mapping[str, Any] | None) -> Isolation | None:
    """As reported by a worker; None if it reported nothing, or in a format that this version does not know."""
    try:
        reported: Any = json.loads(stored) if isinstance(stored, str) else stored
        known: dict[str, Any] = {name: reported[name] for name in Isolation.__slots__ if name in reported}
        lists = {name: tuple(known.get(name, ())) for name in ("kinds", "mounts", "exposed")}
        return Isolation(**{**known, **lists}) if "kinds" in known else None
    except (ValueError, TypeError, KeyError):
        return None
