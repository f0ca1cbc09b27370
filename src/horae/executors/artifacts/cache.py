"""A cache of unpacked archives on disk, by digest, shared by all workers that use the same folder.

Each entry has a lock file: creating or removing the entry takes it exclusively, using it takes it shared, so nothing in
use is removed. The lock's mtime is when the entry was last used. An entry is valid once its size has been written,
which is the last step of its creation.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_LOCK, _SIZE = ".lock", "size"


@dataclass(frozen=True, slots=True)
class Lock:
    """A held lock. `release` unlocks, also for processes that were forked meanwhile."""

    fd: int

    def release(self) -> None:
        fcntl.flock(self.fd, fcntl.LOCK_UN)
        os.close(self.fd)


class Cache:
    """Entries are folders below `root`; `name` is a digest, possibly with a suffix."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def content(self, name: str) -> Path:
        """Where an entry's files are."""
        return self.root / name / "files"

    def has(self, name: str) -> bool:
        return (self.root / name / _SIZE).exists()

    def use(self, name: str) -> Lock | None:
        """Keeps an entry from being removed until the lock is released; None if there is none, or not yet."""
        if not self.has(name):
            return None
        lock = self._lock(name, fcntl.LOCK_SH | fcntl.LOCK_NB)
        if lock is None:
            return None
        if not self.has(name):
            lock.release()
            return None
        os.utime(lock.fd)
        return lock

    @contextmanager
    def made(self, name: str) -> Iterator[Path | None]:
        """The entry's folder, empty, to be filled exclusively by the caller; None if the entry exists. Waits while
        others create or remove it. A failure leaves nothing behind; unfinished entries are removed."""
        if self.has(name):
            yield None
            return
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = self._lock(name, fcntl.LOCK_EX)
        assert lock is not None
        folder = self.root / name
        try:
            if self.has(name):
                yield None
                return
            remove(folder)
            folder.mkdir(mode=0o700)
            yield folder
            unsure = folder / f"{_SIZE}.new"
            unsure.write_text(str(_size(folder)))
            unsure.rename(folder / _SIZE)
        finally:
            if not self.has(name):
                remove(folder)
            lock.release()

    def trim(self, limit: int, spare: Collection[str]) -> None:
        """Removes unfinished entries, then the least recently used until the rest is within the limit; never those in
        use, nor those to `spare`."""
        entries = sorted(self._entries())
        total = sum(size for _, size, _ in entries)
        for _, size, name in entries:
            if name not in spare and (total > limit or not self.has(name)) and self._discard(name):
                total -= size

    def _entries(self) -> Iterator[tuple[float, int, str]]:
        """When it was last used, its size, its name."""
        for lock in self.root.glob(f"*{_LOCK}"):
            name = lock.name.removesuffix(_LOCK)
            with suppress(OSError, ValueError):
                size = int((self.root / name / _SIZE).read_text()) if self.has(name) else 0
                yield lock.stat().st_mtime, size, name

    def _discard(self, name: str) -> bool:
        lock = self._lock(name, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if lock is None:
            return False
        try:
            remove(self.root / name)
            (self.root / f"{name}{_LOCK}").unlink(missing_ok=True)
        finally:
            lock.release()
        return True

    def _lock(self, name: str, kind: int) -> Lock | None:
        """The acquired lock; None if others hold it and `kind` says not to wait."""
        path = self.root / f"{name}{_LOCK}"
        while True:
            fd = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(fd, kind)
            except BlockingIOError:
                os.close(fd)
                return None
            if os.fstat(fd).st_nlink:
                return Lock(fd)
            os.close(fd)  # removed while we waited: it no longer locks anything


def remove(folder: Path) -> None:
    """Even if it contains read-only folders."""
    for path, _, _ in os.walk(folder):
        with suppress(OSError):
            Path(path).chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def _size(folder: Path) -> int:
    """Its disk usage, at least one block per file."""
    total = 0
    for path, folders, files in os.walk(folder):
        for name in (*folders, *files):
            with suppress(OSError):
                total += max(os.lstat(Path(path, name)).st_blocks * 512, 4096)
    return total
