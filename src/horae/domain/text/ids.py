"""The format of ids. Jobs are found by id or name, and the id comes first."""

from __future__ import annotations

import re
from datetime import UTC, datetime

NIL = "00000000-0000-0000-0000-000000000000"  # before every id, and the id of nothing
ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_ID = re.compile(ID, re.ASCII)
_LAST = 253_402_300_799_000  # milliseconds: the last second of the year 9999


def made_at(id: str) -> datetime:
    """When an id was created, by the clock of the process that created it: a UUIDv7 begins with the milliseconds."""
    return datetime.fromtimestamp(min(int(id[:8] + id[9:13], 16), _LAST) / 1000, UTC)


def is_id(text: str) -> bool:
    """Whether it can be an id at all: PostgreSQL refuses to compare an id with anything else."""
    return _ID.fullmatch(text) is not None
