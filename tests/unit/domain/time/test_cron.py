"""The grammar of cron expressions, and what is said about wrong ones."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horae.domain.time.cron import LAST_DAY, LAST_WEEKDAY, CronError, parse_cron
from horae.domain.time.pattern import Pattern, pattern_of, recurs
from tests.unit.domain.time.expressions import Slow, five_fields, six_fields


@settings(max_examples=300)
@given(five_fields | six_fields, st.booleans())
def test_fields_hold_what_they_say(expression, lower):
    cron, slow = parse_cron(expression.lower() if lower else expression), Slow(expression)
    assert cron.seconds == tuple(sorted(slow.seconds))
    assert cron.minutes == tuple(sorted(slow.minutes))
    assert cron.hours == tuple(sorted(slow.hours))
    assert {day for day in cron.days if day > 0} == slow.days
    assert cron.months == slow.months
    assert cron.weekdays == slow.weekdays
    assert cron.fixed == slow.fixed


@pytest.mark.parametrize(
    ("word", "expression"),
    [
        ("@hourly", "0 * * * *"),
        ("@daily", "0 0 * * *"),
        ("@midnight", "0 0 * * *"),
        ("@weekly", "0 0 * * 0"),
        ("@monthly", "0 0 1 * *"),
        ("@yearly", "0 0 1 1 *"),
        ("@annually", "0 0 1 1 *"),
        ("@DAILY", "0 0 * * *"),
        (" @daily ", "0 0 * * *"),
        ("  0  0   * * *  ", "0 0 * * *"),
    ],
)
def test_words_and_blanks(word, expression):
    assert parse_cron(word) == parse_cron(expression)


def test_special_days():
    assert parse_cron("0 0 L,LW,3 * *").days == {LAST_DAY, LAST_WEEKDAY, 3}
    assert parse_cron("0 0 * * MON#1,5L,FRIL,7#2").nth == {(1, 1), (5, 0), (0, 2)}
    assert parse_cron("0 0 * * 7").weekdays == {0}
    assert parse_cron("0 0 * * 5-7").weekdays == {5, 6, 0}
    assert parse_cron("3-3/5 * * * *").minutes == (3,)
    assert parse_cron("*/60 * * * *").minutes == (0,)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("", "needs 5 fields, or 6 with leading seconds, and has 0"),
        ("   ", "needs 5 fields, or 6 with leading seconds, and has 0"),
        ("* * * *", "needs 5 fields, or 6 with leading seconds, and has 4"),
        ("* * * * * * *", "needs 5 fields, or 6 with leading seconds, and has 7"),
        ("61 * * * *", "minute 61 is out of range 0–59 (at character 1)"),
        ("60 * * * *", "minute 60 is out of range 0–59 (at character 1)"),
        ("0 24 * * *", "hour 24 is out of range 0–23 (at character 3)"),
        ("0 0 0 * *", "day of month 0 is out of range 1–31 (at character 5)"),
        ("0 0 32 * *", "day of month 32 is out of range 1–31 (at character 5)"),
        ("0 0 1 13 *", "month 13 is out of range 1–12 (at character 7)"),
        ("0 0 1 0 *", "month 0 is out of range 1–12 (at character 7)"),
        ("0 0 * * 8", "day of week 8 is out of range 0–7 (at character 9)"),
        ("60 0 0 * * *", "second 60 is out of range 0–59 (at character 1)"),
        ("0 5,77 * * *", "hour 77 is out of range 0–23 (at character 5)"),
        ("*/0 * * * *", "minute: the step must not be 0 (at character 3)"),
        ("*/00 * * * *", "minute: the step must not be 0 (at character 3)"),
        ("*/61 * * * *", "minute: step 61 is larger than 0–59 (at character 3)"),
        ("*/ * * * *", "minute: / must be followed by a number (at character 3)"),
        ("*/2/2 * * * *", "minute: / must be followed by a number (at character 3)"),
        ("*/-5 * * * *", "minute: / must be followed by a number (at character 3)"),
        ("30-10 * * * *", "minute: range 30-10 runs backwards (at character 1)"),
        ("* * * * FRI-MON", "day of week: range FRI-MON runs backwards (at character 9)"),
        ("* * * * SAT-SUN", "day of week: range SAT-SUN runs backwards; Sunday is also 7 (at character 9)"),
        ("1,,2 * * * *", "minute: a value is missing (at character 3)"),
        (", * * * *", "minute: a value is missing (at character 1)"),
        ("1- * * * *", "minute: a value is missing (at character 3)"),
        ("-1 * * * *", "minute: a value is missing (at character 1)"),
        ("/5 * * * *", "minute: a value is missing (at character 1)"),
        ("+1 * * * *", "minute: +1 is not a number (at character 1)"),
        ("1.5 * * * *", "minute: 1.5 is not a number (at character 1)"),
        ("0x1 * * * *", "minute: 0X1 is not a number (at character 1)"),
        ("1_0 * * * *", "minute: 1_0 is not a number (at character 1)"),
        ("** * * * *", "minute: ** is not a number (at character 1)"),
        ("? * * * *", "minute: ? is not a number (at character 1)"),
        ("0 0 ? * *", "day of month: ? is not a number (at character 5)"),
        ("0 0 15W * *", "day of month: 15W is not a number (at character 5)"),
        ("0 0 L-3 * *", "day of month: L is not a number (at character 5)"),
        ("0 0 L/2 * *", "day of month: L is not a number (at character 5)"),
        ("0 0 * JAM *", "month: JAM is not a number or name (at character 7)"),
        ("0 0 * * MONDAY", "day of week: MONDAY is not a number or name (at character 9)"),
        ("0 0 * * L", "day of week: L is not a number or name (at character 9)"),
        ("0 0 * * MON#6", "day of week: # must be followed by 1 to 5 (at character 13)"),
        ("0 0 * * MON#0", "day of week: # must be followed by 1 to 5 (at character 13)"),
        ("0 0 * * MON#", "day of week: # must be followed by 1 to 5 (at character 13)"),
        ("0 0 * * #1", "day of week: a value is missing (at character 9)"),
        ("0 0 * * 9L", "day of week 9 is out of range 0–7 (at character 9)"),
        ("0 0 JAN * *", "day of month: JAN is not a number (at character 5)"),
        ("L * * * *", "minute: L is not a number (at character 1)"),
        ("٣ * * * *", "must contain only ASCII characters (at character 1)"),
        ("0 0 * * MON\u00a0", "must contain only ASCII characters (at character 12)"),
        ("0 0 * * *\n", "must contain only ASCII characters (at character 10)"),
        ("0\t0 * * *", "must contain only ASCII characters (at character 2)"),
        ("0 0 * * *\x00", "must contain only ASCII characters (at character 10)"),
        ("0 0 * * \ud800", "must contain only ASCII characters (at character 9)"),
        ("9" * 250 + " *", "needs 5 fields, or 6 with leading seconds, and has 2"),
        ("9" * 240 + " * * * *", "minute 99999999999999999999… is out of range 0–59 (at character 1)"),
        ("*/" + "9" * 240 + " * * * *", "minute: step 99999999999999999999… is larger than 0–59 (at character 3)"),
        ("1," * 200 + "1 * * * *", "is longer than 256 characters"),
        (
            "@reboot",
            "unknown keyword; the keywords are @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually",
        ),
        (
            "@every 5m",
            "unknown keyword; the keywords are @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually",
        ),
    ],
)
def test_errors_say_what_is_wrong(expression, reason):
    with pytest.raises(CronError) as caught:
        parse_cron(expression)
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    "expression",
    [
        "0 0 31 2 *",
        "0 0 30 2 *",
        "0 0 30,31 2 *",
        "0 0 31 4,6,9,11 *",
        "0 0 * 2 MON#5",
        "0 0 */31 2 0#2",
        "0 0 29 2 */7",
    ],
)
def test_expressions_that_do_not_match_within_five_years(expression):
    assert not recurs(pattern_of(expression))


@pytest.mark.parametrize(
    "expression",
    [
        "0 0 29 2 *",
        "0 0 31 * *",
        "0 0 L 2 *",
        "0 0 31 2 MON",
        "0 0 LW 2 *",
        "0 0 * * MON#5",
        "0 0 * 2 0L",
        "0 0 */30 * 1",
    ],
)
def test_expressions_that_match_within_five_years(expression):
    assert recurs(pattern_of(expression))


@settings(max_examples=200)
@given(five_fields | six_fields)
def test_the_shortest_step_is_the_shortest(expression):
    pattern = Pattern(parse_cron(expression))
    every_day = Pattern(parse_cron(" ".join([*pattern.cron.texts[:3], "* * *"])))
    found, time = [], 10**9
    for _ in range(200):
        found.append(every_day.next_from(time) or 0)
        time = found[-1] + 1
    steps = [later - earlier for earlier, later in itertools.pairwise(found)]
    assert pattern.shortest_step() <= min(steps)
    if pattern.per_day < 100:
        assert pattern.shortest_step() == min(steps)
