"""Sentences about schedules."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from horae.domain.time.schedule import Schedule
from horae.domain.time.schedule_words import in_words
from tests.unit.domain.time.expressions import five_fields, six_fields

SCHEDULE: TypeAdapter[Schedule] = TypeAdapter(Schedule)
WEEKEND = {"days": ["SAT", "SUN"], "start": "00:00", "end": "24:00"}
CHRISTMAS = {"start": "2026-12-24T00:00:00Z", "end": "2026-12-27T00:00:00Z"}
IN_DECEMBER = "from 24 December 2026 at 00:00 to 27 December 2026 at 00:00"


@pytest.mark.parametrize(
    ("cron", "words"),
    [
        ("0 9 * * MON-FRI", "At 09:00 on weekdays, Europe/Berlin"),
        ("*/15 * * * *", "Every 15 minutes"),
        ("* * * * *", "Every minute"),
        ("0 * * * *", "Every hour"),
        ("@hourly", "Every hour"),
        ("5 * * * *", "At 5 minutes past every hour"),
        ("1 * * * *", "At 1 minute past every hour"),
        ("0 */2 * * *", "Every 2 hours, Europe/Berlin"),
        ("15 */2 * * *", "Every 2 hours, at 15 minutes past the hour, Europe/Berlin"),
        ("*/10 9-17 * * MON-FRI", "Every 10 minutes from 09:00 to 17:59 on weekdays, Europe/Berlin"),
        ("0 9-17 * * *", "Every hour from 09:00 to 17:00, Europe/Berlin"),
        ("30 9-17 * * *", "Every hour from 09:30 to 17:30, Europe/Berlin"),
        ("0 9,12,17 * * *", "At 09:00, 12:00 and 17:00 every day, Europe/Berlin"),
        ("0,30 9 * * *", "At 09:00 and 09:30 every day, Europe/Berlin"),
        ("@daily", "At 00:00 every day, Europe/Berlin"),
        ("@weekly", "At 00:00 on Sundays, Europe/Berlin"),
        ("@monthly", "At 00:00 on the 1st of the month, Europe/Berlin"),
        ("@yearly", "At 00:00 on the 1st of January, Europe/Berlin"),
        ("0 0 L * *", "At 00:00 on the last day of the month, Europe/Berlin"),
        ("0 0 LW * *", "At 00:00 on the last weekday of the month, Europe/Berlin"),
        ("0 0 1,15,L * *", "At 00:00 on the 1st and 15th and the last day of the month, Europe/Berlin"),
        ("0 9 * * MON#1", "At 09:00 on the first Monday of the month, Europe/Berlin"),
        ("0 9 * * 5L", "At 09:00 on the last Friday of the month, Europe/Berlin"),
        ("0 9 * 3 MON#2", "At 09:00 on the second Monday of March, Europe/Berlin"),
        ("0 0 13 * FRI", "At 00:00 on the 13th of the month and on Fridays, Europe/Berlin"),
        ("0 0 */2 * MON", "At 00:00 on Mondays, if also on every 2nd day of the month, Europe/Berlin"),
        ("0 6 * 6-8 SAT,SUN", "At 06:00 on weekends from June to August, Europe/Berlin"),
        ("0 22 * 1,7 *", "At 22:00 every day in January and July, Europe/Berlin"),
        ("0 0 29 2 *", "At 00:00 on the 29th of February, Europe/Berlin"),
        ("0 9 * * TUE,THU,SUN", "At 09:00 on Tuesdays, Thursdays and Sundays, Europe/Berlin"),
        ("0 0 1-20 * *", "At 00:00 on the days 1–20 of the month, Europe/Berlin"),
        ("*/5 8 * * *", "Every 5 minutes from 08:00 to 08:59, Europe/Berlin"),
        ("*/5 8,10 * * *", "Every 5 minutes of the hours 8 and 10, Europe/Berlin"),
        ("*/20 */2 * * *", "Every 20 minutes of every 2nd hour, Europe/Berlin"),
        ("*/7 * * * *", "At the minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour"),
        ("0 */5 * * *", "At 00:00, 05:00, 10:00, 15:00 and 20:00 every day, Europe/Berlin"),
        ("*/10 * * * * *", "Every 10 seconds"),
        ("* * * * * *", "Every second"),
        ("15 30 9 * * *", "At 09:30:15 every day, Europe/Berlin"),
        ("5,35 * * * * *", "At the seconds 5 and 35 of every minute"),
        ("30 * 9 * * *", "Every minute from 09:00 to 09:59, at second 30, Europe/Berlin"),
        ("*/5 * * * MON", "Every 5 minutes on Mondays, Europe/Berlin"),
    ],
)
def test_cron(cron, words):
    assert in_words(SCHEDULE.validate_python({"cron": cron, "timezone": "Europe/Berlin"})) == words


@pytest.mark.parametrize(
    ("every", "words"),
    [
        (1, "Every second"),
        (60, "Every minute"),
        ("15m", "Every 15 minutes"),
        ("1h", "Every hour"),
        ("PT1H30M", "Every 90 minutes"),
        ("1d", "Every 24 hours"),
        ("2d", "Every 2 days"),
        ("3h1s", "Every 3 hours and 1 second"),
        (3_661, "Every 1 hour, 1 minute and 1 second"),
        (1.5, "Every 1.5 seconds"),
        ({"weeks": 1}, "Every 7 days"),
    ],
)
def test_every(every, words):
    assert in_words(SCHEDULE.validate_python({"every": every})) == words


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"manual": True}, "Only when triggered"),
        ({"after": {"job": "load"}}, "When load succeeds"),
        ({"after": {"job": "load", "on": "failure"}}, "When load fails"),
        ({"after": {"job": "load", "on": "any"}}, "When load ends"),
        (
            {"at": "2026-12-01T09:00:00+01:00", "timezone": "Europe/Berlin"},
            "Once, on 1 December 2026 at 09:00, Europe/Berlin",
        ),
        (
            {"every": "15m", "start_at": "2026-12-01T09:00:00Z", "end_at": "2026-12-31T00:00:30Z"},
            "Every 15 minutes, from 1 December 2026 at 09:00, until 31 December 2026 at 00:00:30, UTC",
        ),
        (
            {"cron": "0 9 * * *", "max_runs": 5, "jitter": 90, "blackouts": [{"start": "12:00", "end": "13:00"}]},
            "At 09:00 every day, UTC, at most 5 times, spread over 90 seconds, except from 12:00 to 13:00 every day",
        ),
        (
            {"every": "1h", "timezone": "Europe/Berlin", "blackouts": [WEEKEND]},
            "Every hour, except on weekends, Europe/Berlin",
        ),
        (
            {"every": "1h", "max_runs": 9, "blackouts": [WEEKEND, CHRISTMAS]},
            f"Every hour, at most 9 times, except on weekends and {IN_DECEMBER}, UTC",
        ),
        (
            {"every": "1h", "end_at": "2026-12-31T00:00:00Z", "blackouts": [CHRISTMAS]},
            f"Every hour, until 31 December 2026 at 00:00, UTC, except {IN_DECEMBER}",
        ),
        (
            {"every": "1h", "blackouts": [{"days": ["SUN", "TUE"], "start": "22:00", "end": "06:00"}]},
            "Every hour, except from 22:00 to 06:00 on Tuesdays and Sundays, UTC",
        ),
        ({"every": "1h", "blackouts": [WEEKEND] * 3}, "Every hour, except in 3 blackouts"),
        ({"every": 60, "max_runs": 1, "jitter": 0.5}, "Every minute, only once, spread over 0.5 seconds"),
    ],
)
def test_others(form, words):
    assert in_words(SCHEDULE.validate_python(form)) == words


@settings(max_examples=300)
@given(five_fields | six_fields | st.builds("{} {} * * *".format, st.integers(0, 59), st.integers(0, 23)))
def test_there_are_words_for_every_expression(cron):
    try:
        schedule = SCHEDULE.validate_python({"cron": cron})
    except ValidationError:
        return
    words = in_words(schedule)
    assert words.startswith(("At ", "Every "))
    assert "  " not in words
    assert not words.endswith((" ", ","))


def test_after_schedules_name_their_exceptions():
    sundays = {"days": ["SUN"], "start": "22:00", "end": "06:00"}
    form = {"after": {"job": "load"}, "timezone": "Europe/Berlin", "blackouts": [sundays], "jitter": 60}
    text = in_words(SCHEDULE.validate_python(form))
    assert text.startswith("When load succeeds, spread over 1 minute, except ")
    assert text.endswith("Europe/Berlin")
