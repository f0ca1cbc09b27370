"""A schedule as a sentence: "At 09:00 on weekdays, Europe/Berlin"."""

from __future__ import annotations

from datetime import datetime, timedelta

from horae.domain.time.blackouts import WEEKDAYS, BlackoutRange, WeeklyWindow
from horae.domain.time.cron import parse_cron
from horae.domain.time.cron_words import MONTHS, days_in_words, listed, times_in_words, weekdays_in_words
from horae.domain.time.schedule import AfterSchedule, AtSchedule, CronSchedule, EverySchedule, ManualSchedule, Schedule
from horae.domain.time.zones import zone

_ENDS = {"success": "succeeds", "failure": "fails", "any": "ends"}
_MOST_BLACKOUTS = 2  # that fit into a sentence
_Bounded = CronSchedule | EverySchedule | AtSchedule | AfterSchedule
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))


def in_words(schedule: Schedule) -> str:
    if isinstance(schedule, ManualSchedule):
        return "Only when triggered"
    if isinstance(schedule, AfterSchedule):
        said = [f"When {schedule.after.job} {_ENDS[schedule.after.on]}"]
    elif isinstance(schedule, CronSchedule):
        said = _cron(schedule)
    elif isinstance(schedule, EverySchedule):
        said = [f"Every {interval_in_words(schedule.interval)}"]
    else:
        said = [f"Once, on {_when(schedule.at, schedule.timezone)}", schedule.timezone]
    bounds, options, closed = _bounds(schedule), _options(schedule), _blackouts(schedule)
    # Times of day and dates are in the schedule's zone, which is named once.
    if bounds and schedule.timezone not in said:
        bounds.append(schedule.timezone)
    elif 0 < len(schedule.blackouts) <= _MOST_BLACKOUTS and schedule.timezone not in said:
        closed.append(schedule.timezone)
    return ", ".join([*said, *bounds, *options, *closed])


def _cron(schedule: CronSchedule) -> list[str]:
    cron = parse_cron(schedule.expression)
    day = days_in_words(cron)
    said = times_in_words(cron, day)
    # A schedule that runs around the clock, every day, is the same in every zone.
    return [said, schedule.timezone] if day or len(cron.hours) < 24 else [said]


def _bounds(schedule: _Bounded) -> list[str]:
    said = []
    if schedule.start_at is not None:
        said.append(f"from {_when(schedule.start_at, schedule.timezone)}")
    if schedule.end_at is not None:
        said.append(f"until {_when(schedule.end_at, schedule.timezone)}")
    return said


def _options(schedule: _Bounded) -> list[str]:
    said = []
    if not isinstance(schedule, AfterSchedule) and schedule.max_runs is not None:
        said.append("only once" if schedule.max_runs == 1 else f"at most {schedule.max_runs} times")
    if schedule.jitter:
        said.append(f"spread over {amount_in_words(timedelta(seconds=schedule.jitter))}")
    return said


def _blackouts(schedule: _Bounded) -> list[str]:
    if len(schedule.blackouts) > _MOST_BLACKOUTS:
        return [f"except in {len(schedule.blackouts)} blackouts"]
    said = [_blackout(blackout, schedule.timezone) for blackout in schedule.blackouts]
    return [f"except {listed(said)}"] if said else []


def _blackout(blackout: BlackoutRange | WeeklyWindow, timezone: str) -> str:
    if isinstance(blackout, BlackoutRange):
        return f"from {_when(blackout.start, timezone)} to {_when(blackout.end, timezone)}"
    hours = "" if (blackout.start, blackout.end) == ("00:00", "24:00") else f"from {blackout.start} to {blackout.end} "
    days = {(WEEKDAYS.index(day) + 1) % 7 for day in blackout.days}
    return hours + (f"on {weekdays_in_words(days)}" if len(days) < 7 else "every day")


def _when(instant: datetime, timezone: str) -> str:
    local = instant.astimezone(zone(timezone))
    seconds = f":{local.second:02}" if local.second else ""
    return f"{local.day} {MONTHS[local.month - 1]} {local.year} at {local:%H:%M}{seconds}"


def interval_in_words(interval: timedelta) -> str:
    """What follows "every": "15 minutes", or "hour" for a single one."""
    said = amount_in_words(interval)
    return said.removeprefix("1 ") if said.count(" ") == 1 else said


def amount_in_words(interval: timedelta) -> str:
    """In one unit if the number is at most 120. One day is "24 hours", since intervals ignore daylight saving."""
    seconds = interval.total_seconds()
    for unit, length in _UNITS:
        number = seconds / length
        if 1 <= number <= 120 and (number.is_integer() or unit == "second") and (number, unit) != (1, "day"):
            return _amount(number, unit)
    parts = []
    for unit, length in _UNITS:
        number = seconds if unit == "second" else seconds // length
        if number:
            parts.append(_amount(number, unit))
        seconds -= number * length
    return listed(parts)


def _amount(number: float, unit: str) -> str:
    return f"{number:g} {unit}{'' if number == 1 else 's'}"
