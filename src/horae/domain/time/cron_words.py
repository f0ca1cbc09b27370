"""The times and days of a cron expression in words."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from horae.domain.time.cron import LAST_DAY, LAST_WEEKDAY, Cron

_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_NTH = ("last", "first", "second", "third", "fourth", "fifth")
_MOST_TIMES = 6


def times_in_words(cron: Cron, day: str) -> str:
    """The times of the day, and then the days."""
    if len(cron.seconds) > 1:
        time = _seconds(cron)
    elif len(cron.minutes) > 1 and len(cron.minutes) * len(cron.hours) > _MOST_TIMES:
        time = _minutes(cron) + (f", at second {cron.seconds[0]}" if cron.seconds[0] else "")
    else:
        time = _hours(cron)
        if time.startswith("At") and not day.startswith("on") and "past" not in time:
            day = f"every day {day}"
    return f"{time} {day}".rstrip()


def _hours(cron: Cron) -> str:
    hours, minute, second = cron.hours, cron.minutes[0], cron.seconds[0]
    clock = f":{second:02}" if second else ""
    step = _even_step(cron.texts[2], hours, 24)
    if len(cron.minutes) > 1 or (not step and len(hours) <= _MOST_TIMES):
        return f"At {listed([f'{hour:02}:{minute:02}{clock}' for hour in hours for minute in cron.minutes])}"
    if not step and _unbroken(hours):
        return f"Every hour from {hours[0]:02}:{minute:02}{clock} to {hours[-1]:02}:{minute:02}{clock}"
    past = f"{minute} minute{'' if minute == 1 else 's'}" + (f" and {second} seconds" if second else "")
    if not step:
        return f"At {past} past the hours {_spans(hours)}"
    every = "hour" if step == 1 else f"{step} hours"
    if not minute and not second:
        return f"Every {every}"
    return f"At {past} past every hour" if step == 1 else f"Every {every}, at {past} past the hour"


def _seconds(cron: Cron) -> str:
    step = _even_step(cron.texts[0], cron.seconds, 60)
    if step:
        each = "Every second" if step == 1 else f"Every {step} seconds"
    else:
        each = f"At the seconds {_spans(cron.seconds)}"
    if len(cron.minutes) == 60:
        return f"{each}{'' if step else ' of every minute'}{_within(cron)}"
    return f"{each} of the minutes {_spans(cron.minutes)}{_within(cron) or ' of every hour'}"


def _minutes(cron: Cron) -> str:
    step = _even_step(cron.texts[1], cron.minutes, 60)
    if step:
        return ("Every minute" if step == 1 else f"Every {step} minutes") + _within(cron)
    return f"At the minutes {_spans(cron.minutes)}{_within(cron) or ' of every hour'}"


def _within(cron: Cron) -> str:
    hours = cron.hours
    if len(hours) == 24:
        return ""
    if _unbroken(hours):
        return f" from {hours[0]:02}:00 to {hours[-1]:02}:59"
    step = _even_step(cron.texts[2], hours, 24)
    return f" of every {_ordinal(step)} hour" if step else f" of the hours {_spans(hours)}"


def days_in_words(cron: Cron) -> str:
    """Empty if it is every day."""
    dates, weekdays, months = _dates(cron), _weekdays(cron), _months(cron)
    one_month = len(cron.months) == 1
    whole = f" of {months}" if one_month else " of the month"
    on_dates = dates and f"on {dates}{whole}"
    on_weekdays = weekdays and f"on {weekdays}{whole if cron.nth else ''}"
    if dates and weekdays:
        day = f"{on_weekdays}, if also {on_dates}" if cron.both_days else f"{on_dates} and {on_weekdays}"
    else:
        day = on_dates or on_weekdays
    if not months or (one_month and (dates or cron.nth)):
        return day
    return f"{day} {'from' if ' to ' in months else 'in'} {months}".lstrip()


def _dates(cron: Cron) -> str:
    numbers = sorted(day for day in cron.days if day > 0)
    if len(numbers) == 31:
        return ""
    text = cron.texts[3]
    if text.startswith("*/") and "," not in text:
        return f"every {_ordinal(int(text[2:]))} day"
    if len(numbers) > _MOST_TIMES:
        said = [f"the days {_spans(numbers)}"]
    else:
        said = [f"the {listed([_ordinal(day) for day in numbers])}"] if numbers else []
    if LAST_WEEKDAY in cron.days:
        said.append("the last weekday")
    if LAST_DAY in cron.days:
        said.append("the last day")
    return listed(said)


def _weekdays(cron: Cron) -> str:
    if len(cron.weekdays) == 7:
        return ""
    said = _plain_weekdays(cron.weekdays)
    said += [f"the {_NTH[which]} {_DAYS[day]}" for day, which in sorted(cron.nth, key=lambda nth: (nth[1] or 6, nth))]
    return listed(said)


def weekdays_in_words(days: Collection[int]) -> str:
    """Some days of the week, with Sunday as 0."""
    return listed(_plain_weekdays(days))


def _plain_weekdays(days: Collection[int]) -> list[str]:
    if set(days) == {1, 2, 3, 4, 5}:
        return ["weekdays"]
    if set(days) == {0, 6}:
        return ["weekends"]
    return [f"{_DAYS[day]}s" for day in sorted(days, key=lambda day: day or 7)]


def _months(cron: Cron) -> str:
    months = sorted(cron.months)
    if len(months) == 12:
        return ""
    if len(months) > 2 and _unbroken(months):
        return f"{MONTHS[months[0] - 1]} to {MONTHS[months[-1] - 1]}"
    return listed([MONTHS[month - 1] for month in months])


def _even_step(text: str, values: Collection[int], cycle: int) -> int:
    """The step of a wildcard that divides its cycle, 1 for a plain `*`; 0 if it would be uneven."""
    if not text.startswith("*") or "," in text or cycle % len(values) or (text != "*" and cycle % int(text[2:])):
        return 0
    return cycle // len(values)


def _unbroken(values: Sequence[int]) -> bool:
    return values[-1] - values[0] == len(values) - 1


def _spans(values: Sequence[int]) -> str:
    """As in 0, 5–9 and 12."""
    spans: list[list[int]] = []
    for value in values:
        if spans and value == spans[-1][-1] + 1:
            spans[-1].append(value)
        else:
            spans.append([value])
    return listed([str(span[0]) if len(span) == 1 else f"{span[0]}–{span[-1]}" for span in spans])


def listed(parts: Sequence[str]) -> str:
    """As in one, two and three."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _ordinal(number: int) -> str:
    ending = "th" if 11 <= number <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
