"""A golden table of the days on which clocks are moved: written down by hand, from the zones' history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from pydantic import TypeAdapter

from horae.domain.time.calendar import Calendar, calendar_of
from horae.domain.time.schedule import Schedule
from horae.domain.time.zones import zone

SCHEDULE: TypeAdapter[Schedule] = TypeAdapter(Schedule)
ANCHOR = datetime(2000, 1, 1, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@dataclass(frozen=True)
class Place:
    """In a zone: a local time that does not exist and when that gap ends (UTC); a local time that comes twice, and
    its two instants (UTC)."""

    zone: str
    missing: str
    gap_end: str
    repeated: str
    first: str
    second: str


# In UTC but for the two local times:
#                   missing (local)  the gap's end    repeated (local) first            second
TABLE = """
Europe/Berlin       2023-03-26T02:30 2023-03-26T01:00 2023-10-29T02:30 2023-10-29T00:30 2023-10-29T01:30
Europe/London       2023-03-26T01:30 2023-03-26T01:00 2023-10-29T01:30 2023-10-29T00:30 2023-10-29T01:30
# Ireland's winter time counts as the exception.
Europe/Dublin       2023-03-26T01:30 2023-03-26T01:00 2023-10-29T01:30 2023-10-29T00:30 2023-10-29T01:30
America/New_York    2023-03-12T02:30 2023-03-12T07:00 2023-11-05T01:30 2023-11-05T05:30 2023-11-05T06:30
America/Los_Angeles 2023-03-12T02:30 2023-03-12T10:00 2023-11-05T01:30 2023-11-05T08:30 2023-11-05T09:30
# One minute past midnight: the repeated hour begins on the day before.
America/St_Johns    2008-03-09T00:30 2008-03-09T03:31 2008-11-01T23:30 2008-11-02T02:00 2008-11-02T03:00
# Midnight itself does not exist, or comes twice.
America/Sao_Paulo   2018-11-04T00:30 2018-11-04T03:00 2018-02-17T23:30 2018-02-18T01:30 2018-02-18T02:30
America/Havana      2023-03-12T00:30 2023-03-12T05:00 2023-11-05T00:30 2023-11-05T04:30 2023-11-05T05:30
America/Asuncion    2023-10-01T00:30 2023-10-01T04:00 2023-03-25T23:30 2023-03-26T02:30 2023-03-26T03:30
Australia/Sydney    2023-10-01T02:30 2023-09-30T16:00 2023-04-02T02:30 2023-04-01T15:30 2023-04-01T16:30
# Half an hour only.
Australia/Lord_Howe 2023-10-01T02:15 2023-09-30T15:30 2023-04-02T01:45 2023-04-01T14:45 2023-04-01T15:15
# Offsets of three quarters of an hour.
Pacific/Chatham     2023-09-24T03:00 2023-09-23T14:00 2023-04-02T03:00 2023-04-01T13:15 2023-04-01T14:15
Pacific/Auckland    2023-09-24T02:30 2023-09-23T14:00 2023-04-02T02:30 2023-04-01T13:30 2023-04-01T14:30
# Two hours at once.
Antarctica/Troll    2023-03-26T02:00 2023-03-26T01:00 2023-10-29T02:00 2023-10-29T00:00 2023-10-29T02:00
# Daylight saving came back in 2023.
Africa/Cairo        2023-04-28T00:30 2023-04-27T22:00 2023-10-26T23:30 2023-10-26T20:30 2023-10-26T21:30
# Back for Ramadan, then forward again.
Africa/Casablanca   2023-04-23T02:30 2023-04-23T02:00 2023-03-19T02:30 2023-03-19T01:30 2023-03-19T02:30
# Given up in 2022.
Asia/Tehran         2021-03-22T00:30 2021-03-21T20:30 2021-09-21T23:30 2021-09-21T19:00 2021-09-21T20:00
Asia/Jerusalem      2023-03-24T02:30 2023-03-24T00:00 2023-10-29T01:30 2023-10-28T22:30 2023-10-28T23:30
Asia/Beirut         2022-03-27T00:30 2022-03-26T22:00 2022-10-29T23:30 2022-10-29T20:30 2022-10-29T21:30
# Summer time for good since 2016, after an autumn that came two weeks late.
Europe/Istanbul     2016-03-27T03:30 2016-03-27T01:00 2015-11-08T03:30 2015-11-08T00:30 2015-11-08T01:30
Europe/Moscow       2011-03-27T02:30 2011-03-26T23:00 2010-10-31T02:30 2010-10-30T22:30 2010-10-30T23:30
# New offsets, half an hour apart, no daylight saving at all.
Asia/Pyongyang      2018-05-04T23:45 2018-05-04T15:00 2015-08-14T23:45 2015-08-14T14:45 2015-08-14T15:15
America/Caracas     2016-05-01T02:45 2016-05-01T07:00 2007-12-09T02:45 2007-12-09T06:45 2007-12-09T07:15
# A whole day was left out.
Pacific/Apia        2011-12-30T09:00 2011-12-30T10:00 2012-04-01T03:30 2012-03-31T13:30 2012-03-31T14:30
"""
PLACES = [Place(*line.split()) for line in TABLE.splitlines() if line and not line.startswith("#")]
EVEN = ["UTC", "Asia/Kolkata", "America/Phoenix", "Africa/Lagos", "Asia/Kathmandu", "Etc/GMT+12"]

places = pytest.mark.parametrize("place", PLACES, ids=lambda place: place.zone)
gaps = pytest.mark.parametrize("gap", ["run_after", "skip"])
folds = pytest.mark.parametrize("fold", ["first", "second", "both"])


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _calendar(place: Place, **schedule: object) -> Calendar:
    return calendar_of(SCHEDULE.validate_python({"timezone": place.zone, **schedule}), ANCHOR)


def _around(calendar: Calendar, at: datetime, reach: timedelta = 5 * HOUR) -> list[datetime]:
    found = list(calendar.between(at - reach, at + reach))
    assert calendar.count(at - reach, at + reach) == len(found)
    return found


def _daily(local: str) -> str:
    at = datetime.fromisoformat(local)
    return f"{at.minute} {at.hour} * * *"


def _every(start: datetime, step: timedelta, end: datetime) -> list[datetime]:
    found = []
    while start <= end:
        found.append(start)
        start += step
    return found


@places
@gaps
@folds
def test_fixed_time_in_a_gap(place, gap, fold):
    calendar, end = _calendar(place, cron=_daily(place.missing), dst_gap=gap, dst_fold=fold), _utc(place.gap_end)
    assert _around(calendar, end) == ([end] if gap == "run_after" else [])
    assert list(calendar.gaps(end - 5 * HOUR, end + 5 * HOUR)) == ([] if gap == "run_after" else [end])
    assert calendar.moved(end) == (gap == "run_after")


@places
@gaps
def test_several_times_in_one_gap_become_one(place, gap):
    at = datetime.fromisoformat(place.missing)
    expression = f"{at.minute},{at.minute + 1},{at.minute + 2} {at.hour} * * *"
    assert _around(_calendar(place, cron=expression, dst_gap=gap), _utc(place.gap_end)) == (
        [_utc(place.gap_end)] if gap == "run_after" else []
    )


@places
@gaps
def test_the_gaps_end_is_not_taken_twice(place, gap):
    """A time that falls into the gap and one at its end: one occurrence, and nothing to leave a row for."""
    end = _utc(place.gap_end)
    after = end.astimezone(zone(place.zone))
    at = datetime.fromisoformat(place.missing)
    expression = f"{at.minute},{after.minute} {at.hour},{after.hour} {after.day},{at.day} * *"
    calendar = _calendar(place, cron=expression, dst_gap=gap)
    assert _around(calendar, end, MINUTE) == [end]
    assert list(calendar.gaps(end - MINUTE, end + MINUTE)) == []
    assert not calendar.moved(end)


@places
@gaps
@folds
def test_fixed_time_that_comes_twice(place, gap, fold):
    first, second = _utc(place.first), _utc(place.second)
    calendar = _calendar(place, cron=_daily(place.repeated), dst_gap=gap, dst_fold=fold)
    expected = {"first": [first], "second": [second], "both": [first, second]}[fold]
    assert _around(calendar, first) == expected
    assert list(calendar.gaps(first - 5 * HOUR, first + 5 * HOUR)) == []


@places
@gaps
@folds
@pytest.mark.parametrize("expression", ["*/15 * * * *", "0 */15 * * * *"])
def test_wildcards_follow_real_time(place, gap, fold, expression):
    for text in (place.gap_end, place.first):
        at = _utc(text).replace(minute=0)
        calendar = _calendar(place, cron=expression, dst_gap=gap, dst_fold=fold)
        assert _around(calendar, at) == _every(at - 5 * HOUR + 15 * MINUTE, 15 * MINUTE, at + 5 * HOUR)
        assert list(calendar.gaps(at - 5 * HOUR, at + 5 * HOUR)) == []


@places
@gaps
@folds
def test_intervals_follow_real_time(place, gap, fold):
    for text in (place.gap_end, place.first):
        at = _utc(text)
        calendar = _calendar(place, every="40m", start_at=at - 4 * HOUR, dst_gap=gap, dst_fold=fold)
        assert _around(calendar, at) == _every(at - 4 * HOUR, 40 * MINUTE, at + 5 * HOUR)


@places
def test_a_wild_hour_is_a_wildcard_and_leaves_the_missing_hour_out(place):
    """`30 * * * *` starts no field with a star but the hour: still a wildcard, as in Debian."""
    end = _utc(place.gap_end)
    at = datetime.fromisoformat(place.missing)
    calendar = _calendar(place, cron=f"{at.minute} * * * *", dst_gap="run_after")
    for found in _around(calendar, end):
        assert found.astimezone(zone(place.zone)).minute == at.minute
        assert not calendar.moved(found)


@pytest.mark.parametrize("name", EVEN)
@gaps
@folds
def test_zones_that_never_change(name, gap, fold):
    schedule = {"cron": "30 2 * * *", "timezone": name, "dst_gap": gap, "dst_fold": fold}
    calendar = calendar_of(SCHEDULE.validate_python(schedule), ANCHOR)
    start, end = datetime(2023, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)
    found = list(calendar.between(start, end))
    assert len(found) == 365
    assert {later - earlier for earlier, later in pairwise(found)} == {timedelta(days=1)}
    assert list(calendar.gaps(start, end)) == []


def test_a_year_has_one_occurrence_a_day():
    """Even when clocks change, 02:30 comes 365 times in 2023; with `both` once more, with `skip` once less."""
    start, end = _utc("2022-12-31 12:00"), _utc("2023-12-31 12:00")
    for gap, fold, expected in (("run_after", "first", 365), ("run_after", "both", 366), ("skip", "second", 364)):
        schedule = {"cron": "30 2 * * *", "timezone": "Europe/Berlin", "dst_gap": gap, "dst_fold": fold}
        assert calendar_of(SCHEDULE.validate_python(schedule), ANCHOR).count(start, end) == expected


def test_seconds_are_fixed_time_too():
    """Unlike in cronsim: what counts is the minute and the hour."""
    place = PLACES[0]
    calendar = _calendar(place, cron="*/20 30 2 * * *")
    end, first = _utc(place.gap_end), _utc(place.first)
    assert _around(calendar, end) == [end]
    assert _around(calendar, first) == [first, first + MINUTE / 3, first + 2 * MINUTE / 3]
