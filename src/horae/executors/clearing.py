"""Removes the folders of attempts in any state: folders without permissions, trees deeper than the
longest path, a million files. Large ones are removed on a separate thread, so that the event loop is not blocked."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from queue import SimpleQueue

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_ROOT = os.geteuid() == 0
_TURN = threading.Lock()  # two that clear the same folder would move subfolders back and forth


def clear(folder: Path) -> None:
    """Removes it and everything in it. What cannot be removed stays. Subfolders are moved to the top one after the
    other: their depth costs neither stack nor open files."""
    with _TURN, suppress(OSError):
        top = _open(str(folder), None)
        try:
            names = (f".{number}" for number in count())
            while _sweep(top, names):
                pass
        finally:
            os.close(top)
        folder.rmdir()


class Clearing:
    """Clears folders one after the other, in the background."""

    def __init__(self) -> None:
        self._left: SimpleQueue[Path] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def add(self, folder: Path) -> None:
        self._left.put(folder)
        if self._thread is None:
            # A daemon: a worker that stops does not wait for it; the next one removes what is left.
            self._thread = threading.Thread(target=self._serve, name="horae-clearing", daemon=True)
            self._thread.start()

    def _serve(self) -> None:
        while True:
            clear(self._left.get())


def _sweep(top: int, names: Iterator[str]) -> bool:
    """Removes the files in a folder, and the folders in it after moving theirs up here; returns whether there are more
    now."""
    moved = False
    with os.scandir(top) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    moved |= _dissolve(top, entry.name, names)
                else:
                    os.unlink(entry.name, dir_fd=top)
    return moved


def _dissolve(top: int, name: str, names: Iterator[str]) -> bool:
    moved = False
    folder = _open(name, top)
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                with suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        _enter(entry.name, folder)  # moving a folder modifies it
                        os.rename(entry.name, next(names), src_dir_fd=folder, dst_dir_fd=top)
                        moved = True
                    else:
                        os.unlink(entry.name, dir_fd=folder)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=top)
    return moved


def _open(name: str, within: int | None) -> int:
    _enter(name, within)
    return os.open(name, _FOLDER, dir_fd=within)


def _enter(name: str, within: int | None) -> None:
    """Gives its owner access. Root has access anyway, and must not follow a link that was placed there meanwhile."""
    if not _ROOT:
        with suppress(OSError):
            os.chmod(name, 0o700, dir_fd=within)
