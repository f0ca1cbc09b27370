"""Days of cron expressions: in Celery and APScheduler the day of the month and the day of the week must both match; in
Horae, as in Debian's cron, either does, unless one of them begins with `*`."""

from __future__ import annotations

import re

_WEEKS = {"1-7": 1, "8-14": 2, "15-21": 3, "22-28": 4}
_DAY = re.compile(r"[0-7]|[A-Za-z]{3}")


class Inexpressible(ValueError):
    """Cron has no expression for these days."""

    def __init__(self) -> None:
        super().__init__("its day of month and its day of week must both match, which cron cannot express")


def both_days(days: str, weekdays: str) -> tuple[str, str]:
    """The two fields for what must match both: the Monday of the days 1-7 is MON#1. Raises Inexpressible."""
    if days.startswith("*") or weekdays.startswith("*"):
        return days, weekdays
    names, week = weekdays.split(","), _WEEKS.get(days)
    if week is None or not all(_DAY.fullmatch(name) for name in names):
        raise Inexpressible
    return "*", ",".join(f"{name}#{week}" for name in names)
