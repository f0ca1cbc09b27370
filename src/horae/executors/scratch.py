"""Private folders for attempts. A killed worker cannot clean up, so the next one does: each worker holds a lock on the
folder of its attempts while it is alive, and unlocked folders belong to dead workers."""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from horae.executors.clearing import Clearing, clear

_CLEARING = Clearing()
_PREFIX = "horae-scripts-"
_LOCK = "lock"
_SETTLED = 60.0  # seconds: a younger lock may be about to be taken


class Scratch:
    """`parent` is where folders are created; by default one folder of this user in the temporary directory, the same
    for all its workers, so that a sandbox can hide what belongs to any of them. If `shared`, folders may be given to
    another user, who can reach them without seeing what else is there."""

    def __init__(self, parent: Path | None = None, *, shared: bool = False) -> None:
        self._given = parent
        self._shared = shared
        self._parent: Path | None = None
        self._home: Path | None = None
        self._lock = -1

    @property
    def parent(self) -> Path:
        if self._parent is None or not self._parent.is_dir():
            self._parent = self._given or _usual()
            self._parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self._parent

    def make(self) -> Path:
        """A new folder that only this user can read."""
        try:
            return Path(tempfile.mkdtemp(dir=self._home or self._settle()))
        except FileNotFoundError:  # temporary files were cleaned up
            self.close()
            return Path(tempfile.mkdtemp(dir=self._settle()))

    def close(self) -> None:
        if self._home is not None:
            clear(self._home)
            os.close(self._lock)
            self._home = None

    def _settle(self) -> Path:
        home = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self.parent))
        if self._shared:
            home.chmod(0o711)
        self._lock = os.open(home / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        _lock(self._lock)
        self._home = home
        earlier = () if self._given else Path(tempfile.gettempdir()).glob(f"{_PREFIX}*")  # of earlier versions
        for other in (*self.parent.glob(f"{_PREFIX}*"), *earlier):
            if other != home:
                _remove_if_dead(other, home.stat().st_mtime)
        return home


def _usual() -> Path:
    """This user's folder. If another user already owns one of that name, a different one."""
    folder = Path(tempfile.gettempdir()) / f"horae-{os.geteuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o711)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        folder = Path(tempfile.mkdtemp(prefix=f"{folder.name}-"))
    folder.chmod(0o711)
    return folder


def remove(folder: Path, *names: str) -> None:
    """Removes a folder: these files now, which is fast, and everything else a little later."""
    try:
        for name in names:
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()
    except OSError:
        _CLEARING.add(folder)


def _remove_if_dead(home: Path, now: float) -> None:
    try:
        if home.is_symlink():
            return
        fd = os.open(home / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:  # another user's, or being removed
        return
    try:
        if now - os.fstat(fd).st_mtime >= _SETTLED and _lock(fd):
            clear(home)
    finally:
        os.close(fd)


def _lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError:  # held, or a file system without locks
        return False
