"""The first version of Horae that may share a database with this tree, unpacked from git to be run beside it."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from horae.domain.jobs.stored import FIRST_VERSION

ROOT = Path(__file__).resolve().parent.parent


def first_version_is_here() -> bool:
    """A clone may be shallow, or no clone at all."""
    asked = ["git", "-C", str(ROOT), "cat-file", "-e", f"{FIRST_VERSION}:src/horae"]
    return shutil.which("git") is not None and not subprocess.run(asked, capture_output=True, check=False).returncode


def unpack_first_version(folder: Path) -> Path:
    """Its `src`, in this folder. The dependencies are those of this tree: put it first on PYTHONPATH."""
    if not first_version_is_here():
        pytest.skip(f"NOT RUN: commit {FIRST_VERSION} is not in the history of this clone")
    found = subprocess.run(
        ["git", "-C", str(ROOT), "archive", "--format=tar", FIRST_VERSION, "src/horae"],
        capture_output=True,
        check=True,
    )
    with tarfile.open(fileobj=io.BytesIO(found.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"
