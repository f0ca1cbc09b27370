"""Unpacks an archive (zip, wheel, or tar with any of its compressions) into a folder, safe from zip slip and zip bombs.

Nothing that an archive says is trusted: not its names (path traversal), not its sizes, not its links. Nothing is
written through a link, and a link that leads out of the folder is refused.
"""

from __future__ import annotations

import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from lzma import LZMAError
from pathlib import Path
from typing import IO

from horae.executors.failure import Refused, one_line

_CHUNK = 256 * 1024
_SMALL = 16 * 2**20  # bytes that a small archive may expand to, regardless of the ratio
_BROKEN = (zipfile.BadZipFile, tarfile.TarError, zlib.error, LZMAError, EOFError, ValueError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class Caps:
    """How far an archive may expand."""

    size: int = 4 * 2**30  # bytes, in total
    members: int = 50_000
    ratio: int = 200  # bytes for each byte of the archive


@dataclass(frozen=True, slots=True)
class _Member:
    """`kind` is stat.S_IFREG, S_IFDIR or S_IFLNK, or stat.S_IFMT(0) for a second name of an earlier file."""

    name: str
    kind: int
    executable: bool = False
    link: str = ""


def unpack(archive: Path, folder: Path, caps: Caps) -> None:
    """Raises Refused, in one sentence; the caller removes what has been unpacked by then."""
    room = min(caps.size, max(_SMALL, caps.ratio * archive.stat().st_size))
    target = _Target(folder, caps.members, room)
    try:
        for member, source in _members(archive):
            target.add(member, source)
    except _BROKEN as error:
        raise Refused(f"the archive cannot be unpacked: {one_line(str(error) or type(error).__name__)}") from error
    target.finish()


def _members(archive: Path) -> Iterator[tuple[_Member, IO[bytes] | None]]:
    with archive.open("rb") as file:
        is_zip = file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")
    yield from _zip(archive) if is_zip else _tar(archive)


def _zip(archive: Path) -> Iterator[tuple[_Member, IO[bytes] | None]]:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            mode = info.external_attr >> 16
            if info.flag_bits & 1:
                raise Refused("the archive is encrypted")
            if info.is_dir():
                yield _Member(info.filename, stat.S_IFDIR), None
            elif stat.S_ISLNK(mode):
                with opened.open(info) as source:
                    yield _Member(info.filename, stat.S_IFLNK, link=source.read(4_096).decode()), None
            else:
                with opened.open(info) as source:
                    yield _Member(info.filename, stat.S_IFREG, bool(mode & 0o111)), source


def _tar(archive: Path) -> Iterator[tuple[_Member, IO[bytes] | None]]:
    if not tarfile.is_tarfile(archive):
        raise Refused("the archive is neither zip nor tar")
    with tarfile.open(archive) as opened:
        for info in opened:
            if info.isdir():
                yield _Member(info.name, stat.S_IFDIR), None
            elif info.issym():
                yield _Member(info.name, stat.S_IFLNK, link=info.linkname), None
            elif info.islnk():
                yield _Member(info.name, 0, link=info.linkname), None
            elif info.isreg():
                yield _Member(info.name, stat.S_IFREG, bool(info.mode & 0o111)), opened.extractfile(info)
            else:
                raise Refused(f"the archive contains a device or pipe: {_shown(info.name)}")


class _Target:
    """The destination folder."""

    def __init__(self, root: Path, members: int, room: int) -> None:
        self._root = root
        self._members_left = self._most = members
        self._room = self._limit = room
        self._folders: set[Path] = {root}
        self._links: list[tuple[str, Path]] = []

    def add(self, member: _Member, source: IO[bytes] | None) -> None:
        self._members_left -= 1
        if self._members_left < 0:
            raise Refused(f"the archive has more than {self._most:,} members")
        path = self._place(member.name)
        if path == self._root:
            return
        if member.kind == stat.S_IFDIR:
            self._folder(path, member.name)
            return
        self._folder(path.parent, member.name)
        self._clear(path, member.name)
        if member.kind == stat.S_IFLNK:
            path.symlink_to(member.link)
            self._links.append((member.name, path))
        elif source is None:
            self._second_name(path, member)
        else:
            self._write(path, member, source)

    def finish(self) -> None:
        """Checks where the links lead, now that everything is there; then removes write permission."""
        root = os.path.realpath(self._root)
        for name, path in self._links:
            if not Path(os.path.realpath(path)).is_relative_to(root):
                raise Refused(f"the archive has a link that leads out of it: {_shown(name)}")
        for folder in self._folders - {self._root}:
            folder.chmod(0o555)

    def _place(self, name: str) -> Path:
        parts = name.rstrip("/").split("/")
        if not name or name.startswith("/") or "\\" in name or "\0" in name or ".." in parts or len(name) > 1_000:
            raise Refused(f"the archive has a path that leads out of it: {_shown(name)}")
        return self._root.joinpath(*(part for part in parts if part not in ("", ".")))

    def _folder(self, path: Path, name: str) -> None:
        """Creates a folder and its parents. Only those that we created count: nothing is written through a link."""
        missing = [folder for folder in (path, *path.parents) if folder not in self._folders]
        missing = [folder for folder in missing if folder.is_relative_to(self._root)]
        for folder in reversed(missing):
            try:
                folder.mkdir(mode=0o755)
            except FileExistsError:
                through = "the archive has a path through something that is not a folder"
                raise Refused(f"{through}: {_shown(name)}") from None
            self._folders.add(folder)

    def _clear(self, path: Path, name: str) -> None:
        """A later member of the same name replaces an earlier one."""
        if path in self._folders:
            raise Refused(f"the archive has a folder and a file with the same name: {_shown(name)}")
        path.unlink(missing_ok=True)

    def _second_name(self, path: Path, member: _Member) -> None:
        original = self._place(member.link)
        if original.parent not in self._folders or not original.is_file() or original.is_symlink():
            raise Refused(f"the archive has a link to a file that is not in it: {_shown(member.name)}")
        os.link(original, path)

    def _write(self, path: Path, member: _Member, source: IO[bytes]) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            while chunk := source.read(_CHUNK):
                self._room -= len(chunk)
                if self._room < 0:
                    raise Refused(f"the archive unpacks to more than {self._limit:,} bytes, too much for its size")
                file.write(chunk)
            os.fchmod(file.fileno(), 0o555 if member.executable else 0o444)


def _shown(name: str) -> str:
    return one_line(name[:200])
