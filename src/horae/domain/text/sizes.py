"""Sizes as people write them, the same in definitions and settings: "64KiB", "1.5GB", 1024 and "1024" (bytes)."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

_UNITS = {
    "": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
}  # fmt: skip
_SIZE = re.compile(rf"(\d{{1,15}}(?:\.\d{{1,6}})?) ?({'|'.join(_UNITS)})", re.ASCII)


def bytes_in(text: str) -> int:
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError("must be a size such as 64KiB, 1.5GB or 512MiB, or a number of bytes")
    return int(Fraction(match[1]) * _UNITS[match[2]])


def read_bytes(value: Any) -> Any:
    """For fields of definitions, which are stored as numbers."""
    return bytes_in(value) if isinstance(value, str) else value
