"""The user that scripts and artifacts run as, if that is not the worker's own (HORAE_SCRIPT_USER)."""

from __future__ import annotations

import grp
import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path

from horae.domain.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class ScriptUser:
    """A user of this machine, with all groups."""

    name: str
    uid: int
    gid: int
    groups: tuple[int, ...]
    home: str

    def request(self) -> list[object]:
        """For supervisor/launch.py."""
        return [self.uid, self.gid, list(self.groups)]

    def own(self, folder: Path) -> None:
        """Gives it a folder that no code of that user has touched yet, with everything in it."""
        for path in (*folder.iterdir(), folder):
            os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def reaches(self, path: Path) -> bool:
        """Whether the permissions of the parent folders give it access to that path."""
        return all(self._may_enter(folder) for folder in path.parents)

    def _may_enter(self, folder: Path) -> bool:
        try:
            status = folder.stat()
        except OSError:
            return False
        if status.st_uid == self.uid:
            return bool(status.st_mode & 0o100)
        if status.st_gid in (self.gid, *self.groups):
            return bool(status.st_mode & 0o010)
        return bool(status.st_mode & 0o001)


def find(name: str) -> ScriptUser:
    """The user with that name or number. Raises ConfigurationError if scripts cannot run as that user."""
    try:
        entry = pwd.getpwuid(int(name)) if name.isdecimal() else pwd.getpwnam(name)
    except (KeyError, OverflowError):
        raise ConfigurationError(
            f"HORAE_SCRIPT_USER: this machine has no user {name}; create it with `useradd`"
        ) from None
    if entry.pw_uid == 0:
        raise ConfigurationError("HORAE_SCRIPT_USER must not be root: scripts could do anything on this machine")
    if os.geteuid() != 0:
        raise ConfigurationError(
            "HORAE_SCRIPT_USER requires a worker that runs as root, since only root can start programs as another "
            "user: start it as root, or leave the setting out and rely on the sandbox (HORAE_SCRIPT_SANDBOX=require)"
        )
    groups = tuple(os.getgrouplist(entry.pw_name, entry.pw_gid))
    found = ScriptUser(entry.pw_name, entry.pw_uid, entry.pw_gid, groups, entry.pw_dir)
    if 0 in groups or any(grp.getgrgid(gid).gr_name in _MIGHTY for gid in groups if _exists(gid)):
        raise ConfigurationError(
            f"HORAE_SCRIPT_USER: the user {name} is in a group that is equivalent to root "
            f"(one of root, {', '.join(_MIGHTY)}): choose another user"
        )
    try:
        subprocess.run(["/bin/true"], user=found.uid, group=found.gid, extra_groups=groups, check=True, cwd="/", env={})
    except (OSError, subprocess.SubprocessError) as error:
        raise ConfigurationError(f"HORAE_SCRIPT_USER: nothing can be started as {name} here: {error}") from None
    return found


_MIGHTY = ("docker", "podman", "lxd", "incus-admin", "sudo", "wheel", "disk", "shadow")


def _exists(gid: int) -> bool:
    try:
        return bool(grp.getgrgid(gid))
    except KeyError:
        return False
