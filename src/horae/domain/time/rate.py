"""Firing rate of a schedule, for the quota of fires."""

from __future__ import annotations

import math

from horae.domain.time.cron import parse_cron
from horae.domain.time.schedule import CronSchedule, EverySchedule, Schedule

_HOUR = 3_600


def per_hour(schedule: Schedule) -> int:
    """How many occurrences a recurring schedule has in its busiest hour. Not on average: a schedule that fires every
    second, but only in January, would hardly count."""
    if isinstance(schedule, EverySchedule):
        return max(math.ceil(_HOUR / schedule.interval.total_seconds()), 1)
    if isinstance(schedule, CronSchedule):
        cron = parse_cron(schedule.expression)
        return len(cron.minutes) * len(cron.seconds)
    return 0
