"""The forms of schedules, and what is said about wrong ones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from horae.domain.time.schedule import AfterSchedule, AtSchedule, CronSchedule, EverySchedule, ManualSchedule, Schedule
from tests.unit.domain.refused import refused
from tests.unit.domain.time.expressions import ZONES, five_fields, six_fields

SCHEDULE: TypeAdapter[Schedule] = TypeAdapter(Schedule)
WEEKEND = {"days": ["SAT", "SUN"], "start": "00:00", "end": "24:00"}


def read(form: Any) -> Any:
    return SCHEDULE.validate_python(form)


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        ({"cron": "0 9 * * MON-FRI", "timezone": "Europe/Berlin"}, CronSchedule),
        ({"cron": "*/5 0 9 * * *"}, CronSchedule),
        ({"cron": "@daily"}, CronSchedule),
        ({"cron": {"minute": "0", "hour": "*/2"}}, CronSchedule),
        ({"cron": {"minute": 0, "hour": 9, "day_of_week": "MON"}}, CronSchedule),
        ({"every": "15m"}, EverySchedule),
        ({"every": "PT1H30M"}, EverySchedule),
        ({"every": 90}, EverySchedule),
        ({"every": 1.5}, EverySchedule),
        ({"every": {"hours": 1}}, EverySchedule),
        ({"every": {"days": 1, "minutes": 30}}, EverySchedule),
        ({"at": "2026-12-01T09:00:00+01:00"}, AtSchedule),
        ({"at": "2001-12-01T09:00:00Z"}, AtSchedule),
        ({"manual": True}, ManualSchedule),
        ({"after": {"job": "load"}}, AfterSchedule),
        ({"after": {"job": "load", "on": "any"}}, AfterSchedule),
        (
            {
                "cron": "0 9 * * *",
                "timezone": "Pacific/Chatham",
                "start_at": "2026-01-01T00:00:00Z",
                "end_at": "2026-12-31T00:00:00Z",
                "max_runs": 5,
                "jitter": 30,
                "blackouts": [WEEKEND, {"start": "2026-05-01T00:00:00Z", "end": "2026-05-02T00:00:00Z"}],
                "dst_gap": "skip",
                "dst_fold": "both",
            },
            CronSchedule,
        ),
        ({"every": 60, "timezone": "Asia/Kolkata", "jitter": 59.5, "dst_gap": "skip"}, EverySchedule),
    ],
)
def test_forms_survive_being_stored(form, kind):
    schedule = read(form)
    assert isinstance(schedule, kind)
    stored = SCHEDULE.dump_python(schedule, mode="json")
    assert read(stored) == schedule
    assert SCHEDULE.validate_json(SCHEDULE.dump_json(schedule)) == schedule
    assert read(SCHEDULE.dump_python(schedule, mode="json", exclude_defaults=True)) == schedule
    assert read(schedule) == schedule
    assert hash(read(form)) == hash(schedule)
    for key, value in form.items():
        if key not in ("at", "start_at", "end_at", "blackouts"):
            expected = {"on": "success", **value} if key == "after" else value
            assert stored[key] == expected, "what was given is given back as it was"


@settings(max_examples=100)
@given(five_fields | six_fields, st.sampled_from(ZONES), st.integers(0, 59))
def test_random_crons_survive_being_stored(expression, zone, jitter):
    form = {"cron": expression, "timezone": zone, "jitter": jitter}
    try:
        schedule = read(form)
    except ValidationError:
        return
    assert read(SCHEDULE.dump_python(schedule, mode="json")) == schedule


@pytest.mark.parametrize(
    ("fields", "expression"),
    [
        ({"minute": "0", "hour": "*/2", "day": "*", "month": "*", "day_of_week": "*"}, "0 */2 * * *"),
        ({"minute": "*/5"}, "*/5 * * * *"),
        ({"hour": "*/2"}, "0 */2 * * *"),
        ({"hour": 9, "day_of_week": "MON-FRI"}, "0 9 * * MON-FRI"),
        ({"day": "L"}, "0 0 L * *"),
        ({"day_of_week": "MON"}, "0 0 * * MON"),
        ({"day_of_week": 7}, "0 0 * * 7"),
        ({"month": 6}, "0 0 1 6 *"),
        ({"month": "JUN", "day_of_week": "MON#1"}, "0 0 * JUN MON#1"),
        ({"second": "*/10"}, "*/10 * * * * *"),
        ({"second": 30, "hour": 9}, "30 * 9 * * *"),
        ({"minute": 15, "month": 1}, "15 * * 1 *"),
    ],
)
def test_fields_left_out(fields, expression):
    assert read({"cron": fields}).expression == expression


@pytest.mark.parametrize(
    ("every", "seconds"),
    [("15m", 900), ("PT1H30M", 5_400), (90, 90), ({"hours": 1, "seconds": 1}, 3_601), ({"weeks": 2}, 1_209_600)],
)
def test_intervals(every, seconds):
    assert read({"every": every}).interval == timedelta(seconds=seconds)


_ONE = "must be an object with exactly one of cron, every, at, manual and after"
_CRON = "must be a cron expression such as 0 9 * * MON-FRI, or its fields by name"
_DURATION = "must be a duration such as 15m, 1h30m, 250ms or PT1H30M, or a number of seconds"
_EVERY = 'must be a duration such as "15m" or "PT1H30M", a number of seconds, or {"hours": 1}'
_BOUNDS = "must be between 1 second and 10 years"
_INSTANT = "must be an instant such as 2026-12-01T09:00:00+01:00"
_ZONE = "is not a known time zone; give a name such as Europe/Berlin or UTC"
_BETWEEN = "must be between start_at and end_at"
_CLOCK = "must be a time of day such as 22:00"
_MOST = "Tuple should have at most 20 items after validation, not 21"
_ORDER = "must not come before start_at"
_INT = "Input should be a valid integer"
_NUMBER = "Input should be a valid number"
DAILY = {"cron": "0 9 * * *"}


@pytest.mark.parametrize(
    ("form", "field", "message"),
    [
        # which kind
        ({}, "", _ONE),
        ({"timezone": "UTC"}, "", _ONE),
        ({"cron": "* * * * *", "every": 5}, "", _ONE),
        ({"manual": True, "at": "2026-12-01T09:00:00Z"}, "", _ONE),
        ("0 9 * * *", "", _ONE),
        (None, "", _ONE),
        ([], "", _ONE),
        (5, "", _ONE),
        (True, "", _ONE),
        ({**DAILY, "tz": "UTC"}, "tz", "Extra inputs are not permitted"),
        ({"manual": True, "timezone": "UTC"}, "timezone", "Extra inputs are not permitted"),
        # cron
        ({"cron": ""}, "cron", "needs 5 fields, or 6 with leading seconds, and has 0"),
        ({"cron": "61 * * * *"}, "cron", "minute 61 is out of range 0–59 (at character 1)"),
        ({"cron": "0 0 31 2 *"}, "cron", "matches no date within 5 years"),
        ({"cron": "1," * 500}, "cron", "is longer than 256 characters"),
        ({"cron": "x" * 1_000_000}, "cron", "is longer than 256 characters"),
        ({"cron": 5}, "cron", _CRON),
        ({"cron": None}, "cron", _CRON),
        ({"cron": True}, "cron", _CRON),
        ({"cron": ["0", "9"]}, "cron", _CRON),
        ({"cron": {}}, "cron", "needs at least one field"),
        ({"cron": {"minute": "61"}}, "cron.minute", "minute 61 is out of range 0–59 (at character 1)"),
        ({"cron": {"hour": "1,24"}}, "cron.hour", "hour 24 is out of range 0–23 (at character 3)"),
        ({"cron": {"day": "L-3"}}, "cron.day", "day of month: L is not a number (at character 1)"),
        ({"cron": {"month": "*/13"}}, "cron.month", "month: step 13 is larger than 1–12 (at character 3)"),
        (
            {"cron": {"day_of_week": "MON#6"}},
            "cron.day_of_week",
            "day of week: # must be followed by 1 to 5 (at character 5)",
        ),
        ({"cron": {"second": "\t5"}}, "cron.second", "must contain only ASCII characters (at character 1)"),
        ({"cron": {"minute": "0 0"}}, "cron.minute", "must be one field, without whitespace"),
        ({"cron": {"minute": ""}}, "cron.minute", "must be one field, without whitespace"),
        ({"cron": {"minute": -1}}, "cron.minute", "minute: a value is missing (at character 1)"),
        ({"cron": {"day": 31, "month": 2}}, "cron", "matches no date within 5 years"),
        ({"cron": {"minute": True}}, "cron.minute", "must be a text such as */15, or a whole number"),
        ({"cron": {"minute": 1.5}}, "cron.minute", "must be a text such as */15, or a whole number"),
        ({"cron": {"minute": ["1"]}}, "cron.minute", "must be a text such as */15, or a whole number"),
        ({"cron": {"year": 2026}}, "cron.year", "Extra inputs are not permitted"),
        ({"cron": {"hour": "1," * 200 + "1"}}, "cron.hour", "is longer than 256 characters"),
        # time zones
        ({**DAILY, "timezone": "Mars/Olympus"}, "timezone", _ZONE),
        ({**DAILY, "timezone": "europe/berlin"}, "timezone", "is not a known time zone; write Europe/Berlin"),
        ({**DAILY, "timezone": "localtime"}, "timezone", _ZONE),
        ({**DAILY, "timezone": "../../etc/passwd"}, "timezone", _ZONE),
        ({**DAILY, "timezone": "x" * 1_000_000}, "timezone", _ZONE),
        ({**DAILY, "timezone": ""}, "timezone", _ZONE),
        ({**DAILY, "timezone": 1}, "timezone", "Input should be a valid string"),
        ({**DAILY, "timezone": None}, "timezone", "Input should be a valid string"),
        # every
        ({"every": ""}, "every", _DURATION),
        ({"every": "soon"}, "every", _DURATION),
        ({"every": 0}, "every", _BOUNDS),
        ({"every": 0.5}, "every", _BOUNDS),
        ({"every": -60}, "every", _BOUNDS),
        ({"every": 10**400}, "every", _BOUNDS),
        ({"every": 1e308}, "every", _BOUNDS),
        ({"every": float("nan")}, "every", _DURATION),
        ({"every": float("inf")}, "every", _DURATION),
        ({"every": True}, "every", _EVERY),
        ({"every": None}, "every", _EVERY),
        ({"every": []}, "every", _EVERY),
        ({"every": {}}, "every", _BOUNDS),
        ({"every": {"hours": 0}}, "every", _BOUNDS),
        ({"every": {"hours": -1}}, "every.hours", "Input should be greater than or equal to 0"),
        ({"every": {"hours": True}}, "every.hours", _INT),
        ({"every": {"hours": "1"}}, "every.hours", _INT),
        ({"every": {"hours": 1.5}}, "every.hours", _INT),
        ({"every": {"hours": 10**400}}, "every.hours", None),
        ({"every": {"years": 1}}, "every.years", "Extra inputs are not permitted"),
        ({"every": {"weeks": 1_000_000_000}}, "every", _BOUNDS),
        # at
        ({"at": "2026-12-01T09:00:00"}, "at", "needs an offset from UTC, such as Z or +01:00"),
        ({"at": "1999-12-01T09:00:00Z"}, "at", "must be between the years 2000 and 2100"),
        ({"at": "9999-12-31T23:59:59Z"}, "at", "must be between the years 2000 and 2100"),
        ({"at": 1_790_000_000}, "at", _INSTANT),
        ({"at": True}, "at", _INSTANT),
        ({"at": None}, "at", _INSTANT),
        ({"at": "2026-12-01T09:00:00Z", "start_at": "2026-12-02T00:00:00Z"}, "at", _BETWEEN),
        ({"at": "2026-12-01T09:00:00Z", "end_at": "2026-11-02T00:00:00Z"}, "at", _BETWEEN),
        # manual, after
        ({"manual": False}, "manual", "must be true"),
        ({"manual": 1}, "manual", "must be true"),
        ({"manual": "true"}, "manual", "must be true"),
        ({"manual": None}, "manual", "must be true"),
        ({"after": "load"}, "after", None),
        ({"after": {}}, "after.job", "Field required"),
        ({"after": {"job": ""}}, "after.job", "String should have at least 1 character"),
        ({"after": {"job": "a\x00"}}, "after.job", "must not contain the NUL character"),
        ({"after": {"job": "a\nb"}}, "after.job", "must not contain control characters"),
        ({"after": {"job": "x" * 201}}, "after.job", "String should have at most 200 characters"),
        ({"after": {"job": "load", "on": "done"}}, "after.on", "Input should be 'success', 'failure' or 'any'"),
        ({"after": {"job": 5}}, "after.job", "Input should be a valid string"),
        # options
        ({**DAILY, "end_at": "2026-01-01T00:00:00Z", "start_at": "2026-01-02T00:00:00Z"}, "end_at", _ORDER),
        ({**DAILY, "start_at": "2026-01-01"}, "start_at", _INSTANT),
        ({**DAILY, "end_at": "2126-01-01T00:00:00Z"}, "end_at", "must be between the years 2000 and 2100"),
        ({**DAILY, "max_runs": 0}, "max_runs", "Input should be greater than or equal to 1"),
        ({**DAILY, "max_runs": -1}, "max_runs", "Input should be greater than or equal to 1"),
        ({**DAILY, "max_runs": 1.5}, "max_runs", _INT),
        ({**DAILY, "max_runs": True}, "max_runs", _INT),
        ({**DAILY, "max_runs": "5"}, "max_runs", _INT),
        ({**DAILY, "max_runs": 10**30}, "max_runs", None),
        ({**DAILY, "jitter": -1}, "jitter", "Input should be greater than or equal to 0"),
        ({**DAILY, "jitter": 3_601}, "jitter", "Input should be less than or equal to 3600"),
        ({**DAILY, "jitter": float("nan")}, "jitter", "Input should be a finite number"),
        ({**DAILY, "jitter": float("inf")}, "jitter", "Input should be a finite number"),
        ({**DAILY, "jitter": True}, "jitter", _NUMBER),
        ({**DAILY, "jitter": "soon"}, "jitter", _DURATION),
        ({**DAILY, "jitter": None}, "jitter", _NUMBER),
        ({"every": 60, "jitter": 60}, "jitter", "must be less than the interval of 60 s"),
        ({"cron": "*/5 * * * *", "jitter": 300}, "jitter", "must be less than the interval of 300 s"),
        ({"cron": "0,1 9 * * *", "jitter": 60}, "jitter", "must be less than the interval of 60 s"),
        ({"cron": "59 23,0 * * *", "jitter": 3_600}, "jitter", "must be less than the interval of 3600 s"),
        ({**DAILY, "dst_gap": "later"}, "dst_gap", "Input should be 'run_after' or 'skip'"),
        ({**DAILY, "dst_fold": None}, "dst_fold", "Input should be 'first', 'second' or 'both'"),
        ({**DAILY, "blackouts": WEEKEND}, "blackouts", None),
        ({**DAILY, "blackouts": [WEEKEND] * 21}, "blackouts", _MOST),
        ({**DAILY, "blackouts": [{"start": "00:00", "end": "24:00"}]}, "blackouts", "leave no time to run"),
        ({**DAILY, "blackouts": [WEEKEND, {"start": "9am", "end": "10:00"}]}, "blackouts.1.start", _CLOCK),
        ({**DAILY, "blackouts": ["SAT"]}, "blackouts.0", None),
    ],
)  # fmt: skip
def test_refused(form, field, message):
    found = refused(Schedule, form)
    assert found == (field, message or found[1])


def test_nothing_depends_on_today():
    """A stored schedule is read back forever: what is long past is as valid as what is far off."""
    for year in (2000, 2099):
        read({"at": f"{year}-06-01T00:00:00Z"})
        read({"cron": "0 0 29 2 *", "start_at": f"{year}-06-01T00:00:00Z", "end_at": f"{year}-07-01T00:00:00Z"})
    assert read({"at": datetime(2000, 1, 1, tzinfo=UTC)}).at == datetime(2000, 1, 1, tzinfo=UTC)
