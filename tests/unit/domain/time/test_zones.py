from __future__ import annotations

from datetime import UTC, datetime, timedelta
from importlib import resources
from io import BytesIO
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from horae.domain.time import zones
from horae.domain.time.zones import segment_at, segments, zone, zone_name, zone_names


@pytest.mark.parametrize("name", ["UTC", "Europe/Berlin", "America/Argentina/Ushuaia", "Etc/GMT+5", "EST5EDT", "GB"])
def test_names(name):
    assert zone_name(name) == name
    assert zone(name).key == name


@pytest.mark.parametrize(
    "name",
    ["", " ", "Mars/Olympus", "localtime", "posixrules", "Factory", "leapseconds", "tzdata.zi", "Europe", "America",
     "America/Argentina", "/Europe/Berlin", "Europe/Berlin/", "../Europe/Berlin", "Europe/../Europe/Berlin", "./UTC",
     "/etc/passwd", "..", ".", "posix/Europe/Berlin", "right/UTC", "Europe\\Berlin", "Europe/Berlin\x00", "UTC\n",
     "+01:00", "UTC+1", "Ｅurope/Berlin", "\ud800", "A" * 1_000_000, "Europe/Berlin" * 10_000],
)  # fmt: skip
def test_unknown_time_zones_are_refused(name):
    with pytest.raises(ValueError, match="is not a known time zone"):
        zone_name(name)
    with pytest.raises(ValueError, match="is not a known time zone"):
        zone(name)


@pytest.mark.parametrize(("name", "meant"), [("europe/berlin", "Europe/Berlin"), ("utc", "UTC"), ("gMt", "GMT")])
def test_the_right_case_is_hinted_at(name, meant):
    with pytest.raises(ValueError, match=f"write {meant}"):
        zone_name(name)


def test_segments_of_a_common_year():
    winter, summer, autumn = segments("Europe/Berlin", 2026)
    assert (winter.offset, summer.offset, autumn.offset) == (3_600, 7_200, 3_600)
    assert (winter.gap, summer.gap, autumn.gap) == (0, 3_600, 0)
    assert datetime.fromtimestamp(summer.start, UTC) == datetime(2026, 3, 29, 1, tzinfo=UTC)
    assert datetime.fromtimestamp(autumn.start, UTC) == datetime(2026, 10, 25, 1, tzinfo=UTC)
    assert autumn.seen - (autumn.start + autumn.offset) == 3_600
    assert (summer.end + summer.offset) - summer.again == 3_600
    assert segment_at("Europe/Berlin", summer.start) is summer
    assert segment_at("Europe/Berlin", summer.start - 1) is winter


def test_segments_cover_every_year_without_holes():
    for name in ("Europe/Berlin", "Pacific/Apia", "Africa/Casablanca", "Asia/Kolkata"):
        parts = [part for year in range(1970, 2101) for part in segments(name, year)]
        for earlier, later in pairwise(parts):
            assert earlier.end == later.start
            assert later.gap == max(0, later.offset - earlier.offset)
        assert datetime.fromtimestamp(parts[-1].end, UTC).year == 2101


def test_no_zone_changes_more_often_than_is_probed_for():
    """Every second day would show a change that the search for segments misses."""
    step = timedelta(days=2)
    for name in sorted(zone_names()):
        place, at = zone(name), datetime(2000, 1, 1, tzinfo=UTC)
        since, offset = at - timedelta(days=30), at.astimezone(place).utcoffset()
        while at.year < 2040:
            at += step
            now = at.astimezone(place).utcoffset()
            if now != offset:
                assert at - since > timedelta(seconds=zones._PROBE), f"{name} changed twice around {at}"
                since, offset = at, now


def test_rules_come_from_the_package_and_not_from_the_host():
    tzdata = pytest.importorskip("tzdata")
    expected = resources.files(tzdata).joinpath("zoneinfo", "Africa", "Casablanca").read_bytes()
    with BytesIO(expected) as file:
        packaged = ZoneInfo.from_file(file)
    at = datetime(2000, 1, 1, tzinfo=UTC)
    for _ in range(1_200):
        at += timedelta(days=30)
        assert at.astimezone(zone("Africa/Casablanca")).utcoffset() == at.astimezone(packaged).utcoffset()
