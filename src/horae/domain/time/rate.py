"""How often a schedule fires, for the quota of fires."""

from __future__ import annotations

import math

from horae.domain.time.cron import parse_cron
from horae.domain.time.schedule import CronSchedule, EverySchedule, Schedule

_HOUR = 3_600


def per_hour(schedule: Schedule) -> int:
    """How many occurrences a recurring schedule has in its busiest hour. Not on average: one that fires every second,
    but in January only, would hardly count."""
    if isinstance(schedule, EverySchedule):
        return max(math.ceil(_HOUR / schedule.interval.total_seconds()), 1)
    if isinstance(schedule, CronSchedule):
        cron = parse_cron(schedule.expression)
        return len(cron.minutes) * len(cron.seconds)
    return 0
