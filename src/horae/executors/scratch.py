"""Private folders for attempts. A worker that is killed cannot tidy up, so the next one does it: each worker keeps
a lock on the folder of its attempts while it lives, and what nobody has locked belongs to the dead."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

_PREFIX = "horae-scripts-"
_LOCK = "lock"
_SETTLED = 60.0  # seconds: a younger lock may be about to be taken


class Scratch:
    """`parent` is where folders are made; by default the system's place for temporary files."""

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = Path(parent or tempfile.gettempdir())
        self._home: Path | None = None
        self._lock = -1

    def make(self) -> Path:
        """A new folder that only this user can read."""
        try:
            return Path(tempfile.mkdtemp(dir=self._home or self._settle()))
        except FileNotFoundError:  # somebody tidied the temporary files
            self.close()
            return Path(tempfile.mkdtemp(dir=self._settle()))

    def close(self) -> None:
        if self._home is not None:
            shutil.rmtree(self._home, ignore_errors=True)
            os.close(self._lock)
            self._home = None

    def _settle(self) -> Path:
        home = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self._parent))
        self._lock = os.open(home / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        _lock(self._lock)
        self._home = home
        for other in self._parent.glob(f"{_PREFIX}*"):
            if other != home:
                _remove_if_dead(other, home.stat().st_mtime)
        return home


def remove(folder: Path, *names: str) -> None:
    """Removes a folder: these files, which is quick, and whatever else is in there."""
    try:
        for name in names:
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_if_dead(home: Path, now: float) -> None:
    try:
        if home.is_symlink():
            return
        fd = os.open(home / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:  # another user's, or going away
        return
    try:
        if now - os.fstat(fd).st_mtime >= _SETTLED and _lock(fd):
            shutil.rmtree(home, ignore_errors=True)
    finally:
        os.close(fd)


def _lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError:  # held, or a file system without locks
        return False
