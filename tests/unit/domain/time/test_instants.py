from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from pydantic import TypeAdapter

from horae.domain.time.instants import Instant, instant_of, parse_instant, seconds_of
from tests.unit.domain.refused import refused


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-12-01T09:00:00+01:00", datetime(2026, 12, 1, 8, tzinfo=UTC)),
        ("2026-12-01T08:00:00Z", datetime(2026, 12, 1, 8, tzinfo=UTC)),
        ("2026-12-01t08:00:00z", datetime(2026, 12, 1, 8, tzinfo=UTC)),
        ("2026-12-01 08:00Z", datetime(2026, 12, 1, 8, tzinfo=UTC)),
        ("2026-12-01T08:00:00.123456Z", datetime(2026, 12, 1, 8, 0, 0, 123456, tzinfo=UTC)),
        ("2026-12-01T08:00:00.123456789Z", datetime(2026, 12, 1, 8, 0, 0, 123456, tzinfo=UTC)),
        ("2026-12-01T08:00:00-0330", datetime(2026, 12, 1, 11, 30, tzinfo=UTC)),
        ("2000-01-01T00:00:00Z", datetime(2000, 1, 1, tzinfo=UTC)),
        ("2100-12-31T23:59:59.999999Z", datetime(2100, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)),
        ("2028-02-29T00:00:00Z", datetime(2028, 2, 29, tzinfo=UTC)),
    ],
)
def test_forms(text, expected):
    found = parse_instant(text)
    assert found == expected
    assert found.tzinfo is UTC


_FORM = "must be an instant such as 2026-12-01T09:00:00+01:00"
_OFFSET = "needs an offset from UTC, such as Z or +01:00"
_YEARS = "must be between the years 2000 and 2100"
_EXISTS = "is not a date and time that exists"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", _FORM),
        ("tomorrow", _FORM),
        ("2026-12-01", _FORM),
        ("09:00", _FORM),
        ("20261201T090000Z", _FORM),
        ("2026-W49-2T09:00:00Z", _FORM),
        ("2026-12-01T09:00:00 Z", _FORM),
        ("2026-12-01T09:00:00Z\n", _FORM),
        ("٢٠٢٦-12-01T09:00:00Z", _FORM),
        ("2026-12-01T09:00:00+01:00:30", _FORM),
        ("+2026-12-01T09:00:00Z", _FORM),
        ("12026-12-01T09:00:00Z", _FORM),
        ("2026-12-01T09:00:00Z" + "0" * 100_000, _FORM),
        ("2026-12-01T09:00:00", _OFFSET),
        ("2026-12-01T09:00", _OFFSET),
        (datetime(2026, 12, 1), _OFFSET),  # noqa: DTZ001
        ("1999-12-31T23:59:59Z", _YEARS),
        ("2101-01-01T00:00:00Z", _YEARS),
        ("2100-12-31T23:59:59-01:00", _YEARS),
        ("0001-01-01T00:00:00+23:59", _YEARS),
        ("9999-12-31T23:59:59-23:59", _YEARS),
        (datetime.max.replace(tzinfo=timezone(timedelta(hours=-1))), _YEARS),
        ("2026-13-01T09:00:00Z", _EXISTS),
        ("2026-02-30T09:00:00Z", _EXISTS),
        ("2027-02-29T09:00:00Z", _EXISTS),
        ("2026-12-01T24:00:00Z", _EXISTS),
        ("2026-12-01T09:60:00Z", _EXISTS),
        ("2026-12-31T23:59:60Z", _EXISTS),
        ("2026-12-01T09:00:00+24:00", _EXISTS),
        ("0000-12-01T09:00:00Z", _EXISTS),
        (1_790_000_000, _FORM),
        (1.5, _FORM),
        (True, _FORM),
        (None, _FORM),
        ([], _FORM),
    ],
)
def test_refused(given, message):
    assert refused(Instant, given) == ("", message)


def test_round_trip():
    adapter: TypeAdapter[datetime] = TypeAdapter(Instant)
    for text in ("2026-12-01T08:00:00Z", "2026-12-01T08:00:00.100000Z"):
        assert adapter.dump_python(adapter.validate_python(text), mode="json") == text


def test_seconds_round_down():
    at = datetime(2026, 12, 1, 8, 0, 0, 999_999, tzinfo=UTC)
    assert instant_of(seconds_of(at)) == at.replace(microsecond=0)
    assert seconds_of(datetime(1969, 12, 31, 23, 59, 59, 500_000, tzinfo=UTC)) == -1
