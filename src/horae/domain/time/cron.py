"""Cron expressions: the grammar, with errors that say where and why. The rules are those of Debian's cron plus
leading seconds, `L`, `LW`, `MON#1` and `5L`, as in cronsim; tests compare the two."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

LONGEST = 256
WORDS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
LAST_DAY = -1
LAST_WEEKDAY = -2

_DAY_NAMES = {"SUN": 0, "MON": 1, "TUE": 2, "WED": 3, "THU": 4, "FRI": 5, "SAT": 6}
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_MONTH_NAMES = {name: number for number, name in enumerate(_MONTHS, start=1)}
_DIGITS = re.compile(r"[0-9]+", re.ASCII)


class CronError(ValueError):
    """What is wrong, in words, and at which character of the expression."""

    def __init__(self, reason: str, character: int | None = None) -> None:
        super().__init__(reason if character is None else f"{reason} (at character {character + 1})")


@dataclass(frozen=True, slots=True)
class _Kind:
    """What one field may hold."""

    name: str
    low: int
    high: int
    names: dict[str, int]

    @property
    def key(self) -> str:
        """The name of the field."""
        return "day" if self.name == "day of month" else self.name.replace(" ", "_")

    def shown_range(self) -> str:
        return f"{self.low}–{self.high}"


_SECOND = _Kind("second", 0, 59, {})
_MINUTE = _Kind("minute", 0, 59, {})
_HOUR = _Kind("hour", 0, 23, {})
_DAY = _Kind("day of month", 1, 31, {})
_MONTH = _Kind("month", 1, 12, _MONTH_NAMES)
_WEEKDAY = _Kind("day of week", 0, 7, _DAY_NAMES)
_KINDS = (_SECOND, _MINUTE, _HOUR, _DAY, _MONTH, _WEEKDAY)


@dataclass(frozen=True, slots=True)
class Cron:
    """A parsed expression. Weekdays count from Sunday, 0 to 6; `nth` holds (weekday, which one of the month), 0
    for the last one. `fixed` and `both_days` follow the text, as in Debian: a field that starts with `*` is a wildcard,
    regardless of what follows."""

    seconds: tuple[int, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    nth: frozenset[tuple[int, int]]
    both_days: bool
    fixed: bool
    texts: tuple[str, ...]  # the six fields in capitals, for describing them in words


@lru_cache(maxsize=4_096)
def parse_cron(text: str) -> Cron:
    """Reads 5 fields, 6 with leading seconds, or an @word."""
    _check_characters(text)
    if text.strip().startswith("@"):
        return parse_cron(_word(text.strip()))
    fields = [(match.group().upper(), match.start()) for match in re.finditer(r"[^ ]+", text)]
    if len(fields) == 5:
        fields.insert(0, ("0", 0))
    if len(fields) != 6:
        raise CronError(f"needs 5 fields, or 6 with leading seconds, and has {len(fields)}")
    values = [_Field(kind, *field).parse() for kind, field in zip(_KINDS, fields, strict=True)]
    second, minute, hour, day, month, weekday = values
    texts = tuple(field for field, _ in fields)
    return Cron(
        seconds=tuple(sorted(second.numbers)),
        minutes=tuple(sorted(minute.numbers)),
        hours=tuple(sorted(hour.numbers)),
        days=frozenset(day.numbers),
        months=frozenset(month.numbers),
        weekdays=frozenset(number % 7 for number in weekday.numbers),
        nth=frozenset(weekday.nth),
        both_days=texts[3].startswith("*") or texts[5].startswith("*"),
        fixed=not texts[1].startswith("*") and not texts[2].startswith("*"),
        texts=texts,
    )


def check_field(name: str, text: str) -> None:
    """One named field, such as `day_of_week`: an error's position counts within it."""
    if not text or " " in text:  # a blank would split it into two fields
        raise CronError("must be one field, without whitespace")
    kind = next(kind for kind in _KINDS if kind.key == name)
    _check_characters(text)
    _Field(kind, text.upper(), 0).parse()


def _check_characters(text: str) -> None:
    if len(text) > LONGEST:
        raise CronError(f"is longer than {LONGEST} characters")
    for position, character in enumerate(text):
        if not " " <= character <= "~":
            raise CronError("must contain only ASCII characters", position)


def _word(text: str) -> str:
    found = WORDS.get(text.lower())
    if found is None:
        raise CronError(f"unknown keyword; the keywords are {', '.join(WORDS)}")
    return found


class _Values:
    def __init__(self) -> None:
        self.numbers: set[int] = set()
        self.nth: set[tuple[int, int]] = set()


class _Field:
    """One field of an expression: a list of terms."""

    def __init__(self, kind: _Kind, text: str, start: int) -> None:
        self._kind = kind
        self._text = text
        self._start = start
        self._values = _Values()

    def parse(self) -> _Values:
        position = self._start
        for term in self._text.split(","):
            self._term(term, position)
            position += len(term) + 1
        return self._values

    def _term(self, term: str, position: int) -> None:
        kind, values = self._kind, self._values
        if not term:
            raise CronError(f"{kind.name}: a value is missing", position)
        if kind is _DAY and term in ("L", "LW"):
            values.numbers.add(LAST_DAY if term == "L" else LAST_WEEKDAY)
        elif kind is _WEEKDAY and "#" in term:
            day, _, which = term.partition("#")
            if which not in tuple("12345"):
                raise CronError(f"{kind.name}: # must be followed by 1 to 5", position + len(day) + 1)
            values.nth.add((self._number(day, position) % 7, int(which)))
        elif kind is _WEEKDAY and len(term) > 1 and term.endswith("L"):
            values.nth.add((self._number(term[:-1], position) % 7, 0))
        else:
            values.numbers.update(self._range(term, position))

    def _range(self, term: str, position: int) -> range:
        kind = self._kind
        base, slash, step = term.partition("/")
        if base == "*":
            low, high = kind.low, kind.high
        else:
            first, dash, last = base.partition("-")
            low = self._number(first, position)
            # "5/15" means: from 5 on, every 15th.
            high = kind.high if slash else low
            if dash:
                high = self._number(last, position + len(first) + 1)
                if high < low:
                    raise CronError(self._backwards(base), position)
        return range(low, high + 1, self._step(step, position + len(base) + 1) if slash else 1)

    def _step(self, text: str, position: int) -> int:
        kind = self._kind
        if not _DIGITS.fullmatch(text):
            raise CronError(f"{kind.name}: / must be followed by a number", position)
        step = int(text)
        if step == 0:
            raise CronError(f"{kind.name}: the step must not be 0", position)
        if step > kind.high - kind.low + 1:
            # Debian takes `*/90` for minutes, and runs every hour, which is never what the author means.
            raise CronError(f"{kind.name}: step {_shown(text)} is larger than {kind.shown_range()}", position)
        return step

    def _number(self, text: str, position: int) -> int:
        kind = self._kind
        if text in kind.names:
            return kind.names[text]
        if not _DIGITS.fullmatch(text):
            what = f"{_shown(text)} is not a number" if text else "a value is missing"
            raise CronError(f"{kind.name}: {what}{' or name' if kind.names and text else ''}", position)
        if len(text) > 9 or not kind.low <= int(text) <= kind.high:
            raise CronError(f"{kind.name} {_shown(text)} is out of range {kind.shown_range()}", position)
        return int(text)

    def _backwards(self, base: str) -> str:
        hint = "; Sunday is also 7" if self._kind is _WEEKDAY and base.endswith(("-SUN", "-0")) else ""
        return f"{self._kind.name}: range {_shown(base)} runs backwards{hint}"


def _shown(text: str) -> str:
    return text if len(text) <= 20 else f"{text[:20]}…"
