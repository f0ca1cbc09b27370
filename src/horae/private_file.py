"""Atomically written files that only their owner can read."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Replaces the file as a whole; raises OSError and leaves what was there."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        create_private(temporary, text)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def create_private(path: Path, text: str) -> None:
    """Raises FileExistsError if it exists already."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
