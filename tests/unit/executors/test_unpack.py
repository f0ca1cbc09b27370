"""Hostile archives (zip slip, links, zip bombs): nothing is written outside of the folder; errors are one sentence."""

import io
import os
import stat
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from horae.executors.artifacts.unpack import Caps, unpack
from horae.executors.failure import Refused


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    made = tmp_path / "folder"
    made.mkdir()
    return made


def tar_of(*members: tuple[str, Any]) -> bytes:
    """Text is a file; `("symlink", target)`, `("hardlink", target)` and `("kind", b"…")` are what they say."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, what in members:
            info = tarfile.TarInfo(name)
            content: io.BytesIO | None = None
            if isinstance(what, tuple):
                kinds: dict[str, bytes] = {"symlink": tarfile.SYMTYPE, "hardlink": tarfile.LNKTYPE}
                info.type = kinds[what[0]] if what[0] in kinds else what[1]
                info.linkname = what[1] if what[0] in kinds else ""
            else:
                info.size, content = len(what), io.BytesIO(what.encode())
                info.mode = 0o4777
            archive.addfile(info, content)
    return buffer.getvalue()


def zip_of(*members: tuple[str, str], mode: int = 0o644) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in members:
            info = zipfile.ZipInfo(name)
            info.external_attr, info.compress_type = mode << 16, zipfile.ZIP_DEFLATED
            archive.writestr(info, text)
    return buffer.getvalue()


def put(folder: Path, content: bytes, caps: Caps | None = None) -> None:
    archive = folder.parent / "archive"
    archive.write_bytes(content)
    unpack(archive, folder, caps or Caps())


def test_files_folders_and_links_inside(folder):
    members = [
        ("./", ("kind", tarfile.DIRTYPE)),
        ("a/b/file", "text"),
        ("a/link", ("symlink", "b/file")),
        ("up", ("symlink", "a/../a/b")),
        ("same", ("hardlink", "a/b/file")),
        ("a/b/file", "newer"),
    ]
    put(folder, tar_of(*members))
    assert (folder / "a/link").read_text() == "newer"
    assert (folder / "up/file").read_text() == "newer"
    assert (folder / "same").read_text() == "text"
    assert stat.S_IMODE((folder / "a/b/file").stat().st_mode) == 0o555, "no right to write, no set-user-id"
    assert stat.S_IMODE((folder / "a/b").stat().st_mode) == 0o555


def test_a_link_of_a_zip(folder):
    put(folder, zip_of(("link", "file"), mode=stat.S_IFLNK | 0o777))
    assert (folder / "link").readlink() == Path("file")


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/x", "a/..", "..", "a\\..\\x", "\\\\host\\x", "x" * 2_000])
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_paths_that_lead_out(folder, name, kind):
    content = zip_of((name, "x")) if kind == "zip" else tar_of((name, "x"))
    with pytest.raises(Refused, match="leads out of it"):
        put(folder, content)
    assert list((folder.parent / "outside").iterdir()) == []


@pytest.mark.parametrize(
    ("members", "complaint"),
    [
        ([("l", ("symlink", "/etc/passwd"))], "a link that leads out of it: l"),
        ([("l", ("symlink", "../outside"))], "a link that leads out of it: l"),
        ([("d", ("symlink", ".")), ("l", ("symlink", "d/../outside"))], "a link that leads out of it: l"),
        ([("a", ("symlink", "b")), ("b", ("symlink", "../outside"))], "a link that leads out of it"),
        ([("l", ("symlink", "../outside")), ("l/x", "x")], "through something that is not a folder"),
        ([("l", ("symlink", ".")), ("l/x", "x")], "through something that is not a folder"),
        ([("f", "x"), ("f/x", "x")], "through something that is not a folder"),
        ([("a/b", "x"), ("a", "x")], "a folder and a file with the same name"),
        ([("h", ("hardlink", "../outside/x"))], "leads out of it"),
        ([("h", ("hardlink", "absent"))], "a link to a file that is not in it"),
        ([("l", ("symlink", "/etc/passwd")), ("h", ("hardlink", "l"))], "a link to a file that is not in it"),
        ([("dev", ("kind", tarfile.CHRTYPE))], "contains a device or pipe: dev"),
        ([("pipe", ("kind", tarfile.FIFOTYPE))], "contains a device or pipe: pipe"),
    ],
)
def test_links_devices_and_disguises(folder, members, complaint):
    with pytest.raises(Refused, match=complaint):
        put(folder, tar_of(*members))
    assert list((folder.parent / "outside").iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04broken", zip_of(("a", "x" * 99))[:60], b"\x1f\x8b\x08"])
def test_files_that_are_not_archives_are_refused(folder, content):
    with pytest.raises(Refused, match=r"^the archive (is neither|cannot be unpacked)"):
        put(folder, content)


def test_a_flipped_bit_is_noticed(folder):
    content = bytearray(zip_of(("a", os.urandom(999).hex())))
    content[200] ^= 1
    with pytest.raises(Refused, match="cannot be unpacked"):
        put(folder, bytes(content))


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_bomb(folder, kind):
    zeros = "0" * 40_000_000
    content = zip_of(("zeros", zeros)) if kind == "zip" else tar_of(("zeros", zeros))
    with pytest.raises(Refused, match=r"unpacks to more than [\d,]+ bytes"):
        put(folder, content)
    assert sum(path.stat().st_size for path in folder.iterdir()) < 20_000_000


def test_too_much_and_too_many(folder):
    with pytest.raises(Refused, match="unpacks to more than 10 bytes"):
        put(folder, tar_of(("a", "12345"), ("b", "123456")), Caps(size=10))
    with pytest.raises(Refused, match="has more than 2 members"):
        put(folder, tar_of(("c", ""), ("d", ""), ("e", "")), Caps(members=2))


def test_an_encrypted_zip(folder):
    content = bytearray(zip_of(("a", "x")))
    central = content.index(b"PK\x01\x02")
    content[6] |= 1
    content[central + 8] |= 1
    with pytest.raises(Refused, match="encrypted"):
        put(folder, bytes(content))
