"""Monthly partitions by UUIDv7: an id begins with the milliseconds at which it was made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

SKEW = timedelta(hours=1)  # ids have the clock of the process that generated them, other columns that of the database
AHEAD = 3  # how many months after the current one have partitions
_MONTH = re.compile(r"_(\d{4})_(\d\d)$")


def partition_ddl(table: str, now: datetime) -> list[str]:
    """Creates the partitions from the present month on."""
    return [
        f"CREATE TABLE IF NOT EXISTS {table}_{first:%Y_%m} PARTITION OF {table} "
        f"FOR VALUES FROM ('{smallest_id(first)}') TO ('{smallest_id(after)}')"
        for first, after in months(now)
    ]


def month_of(partition: str) -> tuple[datetime, datetime] | None:
    """Where the month of a partition begins and ends, by its name; the default one has none."""
    found = _MONTH.search(partition)
    return month(datetime(int(found[1]), int(found[2]), 1, tzinfo=UTC)) if found else None


def months(now: datetime) -> Iterator[tuple[datetime, datetime]]:
    for _ in range(AHEAD + 1):
        first, now = month(now)
        yield first, now


def month(at: datetime) -> tuple[datetime, datetime]:
    first = at.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return first, first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)


def smallest_id(instant: datetime) -> str:
    """The smallest UUIDv7 that could be made at an instant."""
    millis = max(int(instant.timestamp() * 1000), 0)
    return f"{millis >> 16:08x}-{millis & 0xFFFF:04x}-0000-0000-000000000000"
