from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from horae.domain.time.blackouts import WEEKDAYS, Blackout, closed_until, closures, cover_the_week
from horae.domain.time.zones import zone as rules
from tests.unit.domain.refused import refused
from tests.unit.domain.time.expressions import ZONES

BLACKOUT: TypeAdapter[Blackout] = TypeAdapter(Blackout)
CHRISTMAS = {"start": "2026-12-24T00:00:00+01:00", "end": "2026-12-27T00:00:00+01:00"}


@pytest.mark.parametrize(
    "form",
    [
        CHRISTMAS,
        {"days": ["SAT", "SUN"], "start": "00:00", "end": "24:00"},
        {"days": ["fri"], "start": "22:00", "end": "06:00"},
        {"start": "12:00", "end": "13:00"},
    ],
)
def test_round_trip(form):
    blackout = BLACKOUT.validate_python(form)
    assert BLACKOUT.validate_python(BLACKOUT.dump_python(blackout, mode="json")) == blackout
    assert BLACKOUT.validate_json(BLACKOUT.dump_json(blackout)) == blackout


_CLOCK = "must be a time of day such as 22:00"


@pytest.mark.parametrize(
    ("form", "field", "message"),
    [
        ({}, "start", "Field required"),
        ({"start": "22:00"}, "end", "Field required"),
        ({**CHRISTMAS, "end": CHRISTMAS["start"]}, "end", "must come after start"),
        ({**CHRISTMAS, "end": "2026-12-01T00:00:00Z"}, "end", "must come after start"),
        ({**CHRISTMAS, "end": "2026-12-31T00:00:00"}, "end", "needs an offset from UTC, such as Z or +01:00"),
        ({**CHRISTMAS, "zone": "UTC"}, "zone", "Extra inputs are not permitted"),
        ({"start": "22:00", "end": "22:00"}, "end", "must differ from start; a whole day is 00:00 to 24:00"),
        ({"start": "24:00", "end": "06:00"}, "end", "must differ from start; a whole day is 00:00 to 24:00"),
        ({"start": "25:00", "end": "06:00"}, "start", _CLOCK),
        ({"start": "9:00", "end": "10:00"}, "start", _CLOCK),
        ({"start": "09:60", "end": "10:00"}, "start", _CLOCK),
        ({"start": "٠٩:00", "end": "10:00"}, "start", _CLOCK),
        (
            {"days": [], "start": "09:00", "end": "10:00"},
            "days",
            "Tuple should have at least 1 item after validation, not 0",
        ),
        ({"days": ["MONDAY"], "start": "09:00", "end": "10:00"}, "days.0", None),
        ({"days": [1], "start": "09:00", "end": "10:00"}, "days.0", None),
        ({"days": "MON", "start": "09:00", "end": "10:00"}, "days", None),
        ("SAT", "", "must be an object with start and end: two instants, or two times of day and the days"),
        (None, "", "must be an object with start and end: two instants, or two times of day and the days"),
        ([], "", "must be an object with start and end: two instants, or two times of day and the days"),
    ],
)
def test_refused(form, field, message):
    found = refused(Blackout, form)
    assert found == (field, message or found[1])


clock = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.sampled_from([0, 1, 30, 59]))
windows = st.builds(
    lambda days, start, end: {"days": days, "start": start, "end": end},
    st.lists(st.sampled_from(WEEKDAYS), min_size=1, max_size=3, unique=True),
    clock,
    clock | st.just("24:00"),
).filter(lambda form: form["start"] != form["end"])
ranges = st.builds(
    lambda start, hours: {"start": start, "end": start + timedelta(hours=hours)},
    st.integers(0, 60 * 24).map(lambda hours: datetime(2026, 9, 15, tzinfo=UTC) + timedelta(hours=hours)),
    st.integers(1, 400),
)


def _inside(form: dict, at: datetime, place: ZoneInfo) -> bool:
    if isinstance(form["start"], datetime):
        return form["start"] <= at < form["end"]
    local = at.astimezone(place)
    clock = f"{local:%H:%M}"
    today, yesterday = (WEEKDAYS[(local - timedelta(days=n)).weekday()] for n in (0, 1))
    if form["start"] < form["end"]:
        return today in form["days"] and form["start"] <= clock < form["end"]
    return (today in form["days"] and clock >= form["start"]) or (yesterday in form["days"] and clock < form["end"])


@settings(max_examples=150)
@given(st.lists(windows | ranges, min_size=1, max_size=4), st.sampled_from(ZONES), st.integers(0, 60 * 24), st.data())
def test_wall_clocks_decide(forms, zone, hours, data):
    """Through the changes of the clocks too: a window in the repeated hour closes twice."""
    blackouts = [BLACKOUT.validate_python(form) for form in forms]
    after = datetime(2026, 9, 15, tzinfo=UTC) + timedelta(hours=hours)
    until = after + timedelta(hours=data.draw(st.integers(0, 24 * 14)))
    found = closures(blackouts, zone, after, until)
    assert found == sorted(found)
    assert all(end < start for (_, end), (start, _) in itertools.pairwise(found))
    place, at = rules(zone), after
    while at <= until:
        expected = any(_inside(form, at, place) for form in forms)
        end = closed_until(blackouts, zone, at)
        assert (end is not None) == expected
        assert end is None or end > at
        if at > after:
            assert any(start <= at < end for start, end in found) == expected
        at += timedelta(minutes=59)


def test_the_whole_week():
    def covers(*forms):
        return cover_the_week([BLACKOUT.validate_python(form) for form in forms])

    assert not covers()
    assert not covers(CHRISTMAS)
    assert covers({"start": "00:00", "end": "24:00"})
    assert covers({"start": "12:00", "end": "00:00"}, {"start": "00:00", "end": "12:00"})
    assert covers({"start": "12:00", "end": "06:00"}, {"start": "05:00", "end": "12:30"})
    assert not covers({"start": "12:00", "end": "11:59"})
    assert not covers({"days": list(WEEKDAYS[:6]), "start": "00:00", "end": "24:00"})
    assert covers(
        {"days": list(WEEKDAYS[:6]), "start": "00:00", "end": "24:00"},
        {"days": ["SUN"], "start": "00:00", "end": "24:00"},
    )
