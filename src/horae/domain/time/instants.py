"""Instants: how they may be written, which are allowed, and as whole seconds for calendar arithmetic."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
LATEST = datetime(2100, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)

FIRST_SECOND = 0
"""Calendars begin in 1970: simulated clocks often start there."""
LAST_SECOND = int(LATEST.timestamp())
"""No occurrence lies beyond the last accepted instant."""
TICK = timedelta(microseconds=1)

_WRITTEN = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)([Zz]|[+-]\d\d:?\d\d)?", re.ASCII)


def parse_instant(text: str) -> datetime:
    """An RFC 3339 instant; the offset is required, because a time without one is a guess."""
    match = _WRITTEN.fullmatch(text) if len(text) <= 40 else None
    if match is None:
        raise ValueError("must be an instant such as 2026-12-01T09:00:00+01:00")
    day, time, offset = match.groups()
    if offset is None:
        raise ValueError("needs an offset from UTC, such as Z or +01:00")
    try:
        return allowed_instant(datetime.fromisoformat(f"{day}T{time}{offset.upper()}"))
    except (ValueError, OverflowError) as error:
        if isinstance(error, _OutOfBounds):
            raise
        raise ValueError("is not a date and time that exists") from None


class _OutOfBounds(ValueError):
    pass


def allowed_instant(value: datetime) -> datetime:
    """The same instant in UTC, if it has an offset and lies within the years 2000 to 2100."""
    if value.utcoffset() is None:
        raise ValueError("needs an offset from UTC, such as Z or +01:00")
    try:
        value = value.astimezone(UTC)
    except OverflowError:
        raise _OutOfBounds("must be between the years 2000 and 2100") from None
    if not EARLIEST <= value <= LATEST:
        raise _OutOfBounds("must be between the years 2000 and 2100")
    return value


def _read(value: Any) -> Any:
    if isinstance(value, str):
        return parse_instant(value)
    if isinstance(value, datetime):
        return allowed_instant(value)
    raise ValueError("must be an instant such as 2026-12-01T09:00:00+01:00")


Instant = Annotated[datetime, BeforeValidator(_read), WithJsonSchema({"type": "string", "format": "date-time"})]


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)


def seconds_of(instant: datetime) -> int:
    """Whole seconds since 1970, rounded down. Integers: floats lose microseconds and comparisons."""
    return (instant - _EPOCH) // _SECOND


def instant_of(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
