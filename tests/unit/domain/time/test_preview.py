"""Previews of schedules in their own time zone, with notes about daylight saving and blackouts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import TypeAdapter

from horae.domain.time.preview import Upcoming, first_preview, preview
from horae.domain.time.schedule import Schedule

SCHEDULE: TypeAdapter[Schedule] = TypeAdapter(Schedule)
SPRING = datetime(2026, 3, 28, tzinfo=UTC)  # on the 29th the clocks of Berlin go forward
AUTUMN = datetime(2026, 10, 24, tzinfo=UTC)  # on the 25th they go back
DAY = timedelta(days=1)

_GAP = "its local time does not exist on this day (clocks go forward): it runs right after the gap"
_LEFT_OUT = (
    "the previous one is skipped: its local time does not exist on that day (clocks go forward; dst_gap is skip)"
)
_FIRST = "this local time occurs twice on this day (clocks go back): this is the first time"
_SECOND = "this local time occurs twice on this day (clocks go back): this is the second time"


def _preview(schedule: dict[str, Any], after: datetime, count: int = 3, fired: int = 0) -> list[Upcoming]:
    form = {"timezone": "Europe/Berlin", **schedule}
    return preview(SCHEDULE.validate_python(form), after, after, count, fired)


def _said(found: list[Upcoming]) -> list[tuple[str, str | None]]:
    assert all(one.local.astimezone(UTC) == one.at for one in found)
    return [(f"{one.local:%d %H:%M%z}", one.note) for one in found]


def test_a_time_in_the_gap():
    assert _said(_preview({"cron": "30 2 * * *"}, SPRING)) == [
        ("28 02:30+0100", None),
        ("29 03:00+0200", _GAP),
        ("30 02:30+0200", None),
    ]


def test_a_skipped_gap_is_not_listed():
    found = _preview({"cron": "30 2 * * *", "dst_gap": "skip"}, SPRING)
    assert _said(found) == [("28 02:30+0100", None), ("30 02:30+0200", _LEFT_OUT), ("31 02:30+0200", None)]
    blackout = {"start": "2026-03-30T00:00:00Z", "end": "2026-03-30T12:00:00Z"}
    (hidden,) = _preview({"cron": "30 2 * * *", "dst_gap": "skip", "blackouts": [blackout]}, SPRING + DAY, 1)
    assert hidden.note == "falls in a blackout and will be skipped"
    assert _preview({"cron": "30 2 * * *", "dst_gap": "skip"}, SPRING + 2 * DAY, 1)[0].note is None, "it was before"


def test_an_instant_that_has_passed_is_due_as_soon_as_it_is_saved():
    form = SCHEDULE.validate_python({"at": SPRING})
    (one,) = first_preview(form, SPRING + DAY, 5)
    assert (one.at, (one.note or "")[:12]) == (SPRING, "in the past:")
    assert [(one.at, one.note) for one in first_preview(form, SPRING, 5)] == [(SPRING, None)]
    assert first_preview(form, SPRING + DAY, 5, through=SPRING) == [], "the job has fired beyond it"
    hourly = SCHEDULE.validate_python({"every": "1h"})
    assert [one.at for one in first_preview(hourly, SPRING, 2)] == [SPRING, SPRING + DAY / 24], "the first is at once"


def test_a_time_that_comes_twice():
    assert _said(_preview({"cron": "30 2 * * *", "dst_fold": "both"}, AUTUMN, 4)) == [
        ("24 02:30+0200", None),
        ("25 02:30+0200", _FIRST),
        ("25 02:30+0100", _SECOND),
        ("26 02:30+0100", None),
    ]
    assert _said(_preview({"cron": "30 2 * * *", "dst_fold": "second"}, AUTUMN, 2))[1] == ("25 02:30+0100", _SECOND)


def test_intervals_shift():
    assert _said(_preview({"every": "24h", "start_at": SPRING - timedelta(hours=14)}, SPRING)) == [
        ("28 11:00+0100", None),
        ("29 12:00+0200", "the clocks went forward by 1 hour since the previous one"),
        ("30 12:00+0200", None),
    ]
    assert _said(_preview({"cron": "0 */12 * * *"}, AUTUMN + timedelta(hours=23)))[:2] == [
        ("25 12:00+0100", "the clocks went back by 1 hour since the previous one"),
        ("26 00:00+0100", None),
    ]


def test_the_first_one_is_compared_with_the_one_before():
    after = SPRING + timedelta(hours=24)
    found = _preview({"every": "24h", "start_at": SPRING - timedelta(hours=14)}, after, 1)
    assert found[0].note == "the clocks went forward by 1 hour since the previous one"


def test_blackouts_are_noted():
    found = _preview({"cron": "0 */6 * * *", "blackouts": [{"start": "11:00", "end": "13:00"}]}, AUTUMN, 4)
    assert [(one.local.hour, one.note) for one in found] == [
        (6, None),
        (12, "falls in a blackout and will be skipped"),
        (18, None),
        (0, None),
    ]


@pytest.mark.parametrize(("max_runs", "fired", "expected"), [(2, 0, 2), (2, 1, 1), (2, 2, 0), (2, 5, 0), (9, 0, 3)])
def test_no_more_than_are_left(max_runs, fired, expected):
    assert len(_preview({"every": 60, "max_runs": max_runs}, SPRING, 3, fired)) == expected


def test_ends():
    assert len(_preview({"at": SPRING + timedelta(days=1)}, SPRING)) == 1
    assert _preview({"at": SPRING}, SPRING) == []
    assert len(_preview({"cron": "0 * * * *", "end_at": SPRING + timedelta(hours=2)}, SPRING, 99)) == 2


@pytest.mark.parametrize("form", [{"manual": True}, {"after": {"job": "load"}}])
def test_manual_and_after_schedules_have_no_occurrences(form):
    assert preview(SCHEDULE.validate_python(form), SPRING, SPRING, 5) == []


def test_a_thousand():
    found = _preview({"cron": "*/5 * * * *"}, SPRING, 1_000)
    assert len(found) == 1_000
    assert found[-1].at == SPRING + 1_000 * timedelta(minutes=5)
