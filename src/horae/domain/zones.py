"""Time zones by name, the same on every host."""

from __future__ import annotations

from functools import cache
from zoneinfo import ZoneInfo, available_timezones


@cache
def _names() -> frozenset[str]:
    return frozenset(available_timezones()) - {"localtime", "posixrules", "Factory"}


def zone_name(name: str) -> str:
    if name not in _names():
        raise ValueError("is not a known time zone; give a name such as Europe/Berlin")
    return name


@cache
def zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)
