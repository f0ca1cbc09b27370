"""The first version of Horae that may share a database with this tree, unpacked from git to be run beside it."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

import pytest

from horae.domain.stored import FIRST_VERSION

ROOT = Path(__file__).resolve().parent.parent


def unpack_first_version(folder: Path) -> Path:
    """Its `src`, in this folder. The dependencies are those of this tree: put it first on PYTHONPATH."""
    found = subprocess.run(
        ["git", "-C", str(ROOT), "archive", "--format=tar", FIRST_VERSION, "src/horae"],
        capture_output=True,
        check=False,
    )
    if found.returncode:
        reason = found.stderr.decode().strip().splitlines()
        pytest.skip(f"NOT RUN: commit {FIRST_VERSION} is not in this clone ({reason[0] if reason else 'no git'})")
    with tarfile.open(fileobj=io.BytesIO(found.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"
