"""Random cron expressions, and an implementation of cron that shares nothing with Horae's: it looks at every minute."""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from horae.domain.time.zones import zone as rules

ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/St_Johns",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",
    "Pacific/Chatham",
    "Pacific/Apia",
    "Africa/Casablanca",
    "Asia/Kolkata",
    "Asia/Gaza",
    "Europe/Istanbul",
)
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")


def _terms(low: int, high: int, names: tuple[str, ...] = ()) -> st.SearchStrategy[str]:
    numbers = st.integers(low, high)
    steps = st.integers(1, high - low + 1)
    ranges = st.tuples(numbers, numbers).map(sorted)
    # Of two or more: for cronsim `3-3/5` means `3/5`, for Debian it means `3`.
    wide = ranges.filter(lambda pair: pair[0] < pair[1])
    forms = [
        numbers.map(str),
        ranges.map(lambda pair: f"{pair[0]}-{pair[1]}"),
        st.tuples(wide, steps).map(lambda given: f"{given[0][0]}-{given[0][1]}/{given[1]}"),
        st.tuples(numbers, steps).map(lambda given: f"{given[0]}/{given[1]}"),
        steps.map(lambda step: f"*/{step}"),
    ]
    if names:
        forms.append(st.sampled_from(names))
    return st.one_of(forms)


def fields(low: int, high: int, names: tuple[str, ...] = (), extra: tuple[str, ...] = ()) -> st.SearchStrategy[str]:
    terms = _terms(low, high, names)
    if extra:
        terms = terms | st.sampled_from(extra)
    lists = st.lists(terms, min_size=1, max_size=4).map(",".join)
    return st.just("*") | terms | lists


NTH = tuple(f"{day}#{n}" for day in (*_DAYS, "0", "3", "7") for n in range(1, 6))
LAST = tuple(f"{day}L" for day in range(8))

five_fields = st.builds(
    "{} {} {} {} {}".format,
    fields(0, 59),
    fields(0, 23),
    fields(1, 31, extra=("L", "LW")),
    fields(1, 12, _MONTHS),
    fields(0, 7, _DAYS, extra=(*NTH, *LAST)),
)
six_fields = st.builds("{} {}".format, fields(0, 59), five_fields)
# Some that come often enough to be counted one by one.
busy = st.builds("{} {} * * {}".format, fields(0, 59), fields(0, 23), fields(0, 7, _DAYS))


def _values(text: str, low: int, high: int, names: tuple[str, ...] = (), first: int = 0) -> set[int]:
    found: set[int] = set()
    for term in text.split(","):
        if term in ("L", "LW", *NTH, *LAST):
            continue
        for number, name in enumerate(names, start=first):
            term = term.replace(name, str(number))
        base, _, step = term.partition("/")
        start, _, end = base.partition("-")
        if base == "*":
            lower, upper = low, high
        elif end:
            lower, upper = int(start), int(end)
        else:
            lower, upper = int(start), high if step else int(start)
        found.update(n for n in range(low, high + 1) if lower <= n <= upper and (n - lower) % int(step or 1) == 0)
    return found


class Slow:
    """Whether a wall clock time matches, from the text of the expression."""

    def __init__(self, expression: str) -> None:
        texts = expression.upper().split()
        if len(texts) == 5:
            texts.insert(0, "0")
        self.texts = texts
        self.seconds = _values(texts[0], 0, 59)
        self.minutes = _values(texts[1], 0, 59)
        self.hours = _values(texts[2], 0, 23)
        self.days = _values(texts[3], 1, 31)
        self.months = _values(texts[4], 1, 12, _MONTHS, 1)
        self.weekdays = {number % 7 for number in _values(texts[5], 0, 7, _DAYS)}
        self.fixed = texts[1][0] != "*" and texts[2][0] != "*"

    def time(self, at: datetime) -> bool:
        return at.second in self.seconds and at.minute in self.minutes and at.hour in self.hours

    def day(self, day: date) -> bool:
        if day.month not in self.months:
            return False
        by_date, by_weekday = self._by_date(day), self._by_weekday(day)
        if self.texts[3][0] == "*" or self.texts[5][0] == "*":
            return by_date and by_weekday
        return by_date or by_weekday

    def matches(self, at: datetime) -> bool:
        return self.time(at) and self.day(at.date())

    def _by_date(self, day: date) -> bool:
        last = calendar.monthrange(day.year, day.month)[1]
        terms = self.texts[3].split(",")
        weekday = date(day.year, day.month, last)
        while weekday.weekday() > 4:
            weekday -= timedelta(days=1)
        return day.day in self.days or ("L" in terms and day.day == last) or ("LW" in terms and day == weekday)

    def _by_weekday(self, day: date) -> bool:
        weekday = day.isoweekday() % 7
        if weekday in self.weekdays:
            return True
        for term in self.texts[5].split(","):
            if "#" in term:
                name, nth = term.split("#")
                number = _DAYS.index(name) if name in _DAYS else int(name) % 7
                if number == weekday and (day.day - 1) // 7 + 1 == int(nth):
                    return True
            elif term.endswith("L") and int(term[:-1]) % 7 == weekday and (day + timedelta(days=7)).month != day.month:
                return True
        return False


def slow_occurrences(
    expression: str, zone: str, after: datetime, until: datetime, gap: str = "run_after", fold: str = "first"
) -> list[datetime]:
    """What docs/jobs.md says, minute by minute, for expressions of five fields."""
    slow, place = Slow(expression), rules(zone)
    if not slow.fixed:
        return [at for at in _minutes(after, until) if slow.matches(at.astimezone(place))]
    found = set()
    # Two days more on each side: a gap's end and a repeated hour may lie on another day than the time itself.
    start = (after.astimezone(place) - timedelta(days=2)).replace(tzinfo=None)
    end = (until.astimezone(place) + timedelta(days=2)).replace(tzinfo=None)
    for local in _minutes(start, end):
        if slow.time(local) and slow.day(local.date()):
            found.update(_instants(local, place, gap, fold))
    return sorted(at for at in found if after < at <= until)


def _minutes(after: datetime, until: datetime) -> Iterator[datetime]:
    at = after.replace(second=0, microsecond=0)
    while at <= until:
        if at > after:
            yield at
        at += timedelta(minutes=1)


def _instants(local: datetime, place: ZoneInfo, gap: str, fold: str) -> list[datetime]:
    one, two = (local.replace(tzinfo=place, fold=n).astimezone(UTC) for n in (0, 1))
    if one.astimezone(place).replace(tzinfo=None) != local:
        # In a gap: walk out of it. (By fold 0 the offset from before the gap counts, which ends up behind it.)
        if gap == "skip":
            return []
        outside = local
        while outside.replace(tzinfo=place).astimezone(UTC).astimezone(place).replace(tzinfo=None) != outside:
            outside += timedelta(minutes=1)
        return [outside.replace(tzinfo=place).astimezone(UTC)]
    if one == two:
        return [one]
    return {"first": [one], "second": [two], "both": [one, two]}[fold]
