"""Instants as people write them: `2026-12-01T09:00:00+01:00`, `now`, or a time from now such as `2h`."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import overload

from horae.clock import SystemClock
from horae.domain.errors import InvalidInput
from horae.domain.time.durations import parse_duration


@overload
def ago(option: str, text: str) -> str: ...
@overload
def ago(option: str, text: None) -> None: ...
def ago(option: str, text: str | None) -> str | None:
    """In the past: `2h` is two hours ago."""
    return None if text is None else _instant(option, text, -1)


def ahead(option: str, text: str | None) -> str | None:
    """In the future: `2h` is in two hours."""
    return None if text is None else _instant(option, text, 1)


def _instant(option: str, text: str, direction: int) -> str:
    try:
        if not text[-1:].isdigit():  # 20261201 is a date, not a number of seconds
            with suppress(ValueError):
                span = timedelta(0) if text == "now" else parse_duration(text)
                return (SystemClock().now() + direction * span).isoformat()
        found = datetime.fromisoformat(text)
        if found.tzinfo is not None:
            return found.astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        raise InvalidInput(option, "must be an instant such as 2026-12-01T09:00:00+01:00, now, or 2h") from None
    raise InvalidInput(option, f"has no offset: write {found.isoformat()}Z for UTC, or {found.isoformat()}+01:00")
