"""The states of pings: expected reports, signals and missed deadlines."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from horae.domain.pings import rules
from horae.domain.pings.expectation import next_expected
from horae.domain.pings.ping import PingStanding, PingState, Signal
from horae.domain.pings.spec import PingSpec, read_stored, stored_text

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
SUCCESS, FAIL, START = Signal("success"), Signal("fail", 3), Signal("start")


def spec(**fields: Any) -> PingSpec:
    return PingSpec(**{"name": "backup", "schedule": {"cron": "0 * * * *"}, "grace": "10m", **fields})


def hear(one: PingSpec, standing: PingStanding, *signals: tuple[Signal, datetime]) -> PingStanding:
    for signal, at in signals:
        standing = rules.heard(one, standing, signal, at).standing
    return standing


def states(one: PingSpec, standing: PingStanding, *at: datetime) -> list[str]:
    return [rules.state_of(one, standing, now).value for now in at]


def test_a_success_is_followed_by_up_late_and_down():
    one = spec()
    standing = hear(one, rules.begin(one, NOON), (SUCCESS, NOON + 5 * MINUTE))
    assert standing.expected_at == NOON + HOUR
    assert rules.deadline(one, standing) == NOON + HOUR + 10 * MINUTE
    at = (NOON + 30 * MINUTE, NOON + HOUR, NOON + HOUR + 9 * MINUTE, NOON + HOUR + 10 * MINUTE)
    assert states(one, standing, *at) == ["up", "late", "late", "down"]
    down = rules.overdue(one, standing, at[-1])
    assert (down.status, down.reason, rules.deadline(one, down)) == ("down", "late", None)
    assert hear(one, down, (SUCCESS, NOON + 3 * HOUR)).status == "up"


def test_a_new_ping_has_time_to_be_set_up():
    one = spec(schedule={"every": "1m"}, grace="1m")
    standing = rules.begin(one, NOON)
    assert standing.expected_at == NOON + MINUTE
    assert states(one, standing, NOON + 30 * MINUTE, NOON + HOUR) == ["new", "down"]
    daily = spec(schedule={"cron": "0 3 * * *"})
    assert rules.deadline(daily, rules.begin(daily, NOON)) == NOON + 15 * HOUR + 10 * MINUTE


def test_a_failure_is_down_at_once_and_a_success_is_up():
    one = spec()
    failed = hear(one, rules.begin(one, NOON), (FAIL, NOON + MINUTE))
    assert (failed.status, failed.reason, failed.last_exit_code) == ("down", "failed", 3)
    assert states(one, failed, NOON + 2 * MINUTE) == ["down"]
    again = hear(one, failed, (FAIL, NOON + 2 * MINUTE))
    assert again.since == failed.since
    mended = hear(one, again, (SUCCESS, NOON + 3 * MINUTE))
    assert (mended.status, mended.reason, mended.since) == ("up", None, NOON + 3 * MINUTE)


def test_a_start_suspends_the_schedule_until_it_takes_too_long():
    one = spec(grace="10m", timeout="5h")
    up = hear(one, rules.begin(one, NOON), (SUCCESS, NOON))
    started = hear(one, up, (START, NOON + HOUR))
    assert states(one, started, NOON + 3 * HOUR, NOON + 6 * HOUR) == ["started", "down"]
    assert rules.overdue(one, started, NOON + 6 * HOUR).reason == "overrun"
    ended = rules.heard(one, started, SUCCESS, NOON + 3 * HOUR)
    assert ended.duration_ms == 2 * 3_600_000
    assert (ended.standing.starts, ended.standing.expected_at) == ((), NOON + 4 * HOUR)


def test_without_a_timeout_a_run_may_take_as_long_as_the_grace():
    one = spec(schedule={"manual": True}, grace="10m")
    started = hear(one, rules.begin(one, NOON), (START, NOON))
    assert rules.deadline(one, started) == NOON + 10 * MINUTE


def test_overlapping_runs_are_distinguished_by_rid():
    one = spec(timeout="1h")
    first, second = (Signal("start", rid=rid) for rid in "ab")
    both = hear(one, rules.begin(one, NOON), (first, NOON), (second, NOON + 5 * MINUTE))
    ended = rules.heard(one, both, Signal("success", rid="b"), NOON + 7 * MINUTE)
    assert ended.duration_ms == 120_000
    assert [start.rid for start in ended.standing.starts] == ["a"]
    assert states(one, ended.standing, NOON + 59 * MINUTE, NOON + HOUR) == ["started", "down"]
    assert rules.heard(one, both, SUCCESS, NOON + 9 * MINUTE).standing.starts == ()  # it knows nothing of ids
    assert len(rules.heard(one, both, Signal("fail", rid="z"), NOON + 9 * MINUTE).standing.starts) == 2


def test_the_number_of_runs_under_way_is_bounded():
    one = spec()
    standing = rules.begin(one, NOON)
    for number in range(100):
        standing = hear(one, standing, (Signal("start", rid=str(number)), NOON + number * MINUTE))
    assert [start.rid for start in standing.starts] == [str(number) for number in range(80, 100)]


def test_a_clock_that_runs_back_takes_no_negative_time():
    one = spec()
    started = hear(one, rules.begin(one, NOON), (START, NOON))
    assert rules.heard(one, started, SUCCESS, NOON - HOUR).duration_ms == 0


@pytest.mark.parametrize(
    ("schedule", "report", "expected"),
    [
        ({"cron": "0 * * * *"}, NOON + MINUTE, NOON + HOUR),
        ({"cron": "0 * * * *"}, NOON + HOUR - timedelta(seconds=3), NOON + 2 * HOUR),  # its clock is ahead of ours
        ({"cron": "0 * * * *"}, NOON + HOUR - 2 * MINUTE, NOON + HOUR),
        ({"cron": "* * * * *"}, NOON - timedelta(seconds=3), NOON + MINUTE),
        ({"cron": "* * * * *"}, NOON - timedelta(seconds=30), NOON),
        ({"every": "15m"}, NOON + MINUTE, NOON + 16 * MINUTE),
        ({"every": "15m", "start_at": "2026-11-16T00:00:00Z"}, NOON + MINUTE, NOON + 15 * MINUTE),
        ({"at": "2026-11-16T12:30:00Z"}, NOON, NOON + 30 * MINUTE),
        ({"at": "2026-11-16T12:30:00Z"}, NOON + 31 * MINUTE, None),
        ({"cron": "0 * * * *", "end_at": "2026-11-16T12:30:00Z"}, NOON, None),
        ({"manual": True}, NOON, None),
        # 02:30 does not exist in Berlin on this day, and is made up for at 03:00 summer time
        (
            {"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
            datetime(2027, 3, 27, 2, tzinfo=UTC),
            datetime(2027, 3, 28, 1, tzinfo=UTC),
        ),
    ],
)
def test_the_next_report_is_expected_by_the_schedule(
    schedule: dict[str, Any], report: datetime, expected: datetime | None
):
    assert next_expected(spec(schedule=schedule).schedule, report) == expected


def test_a_run_that_reported_its_start_stands_for_the_occurrence_at_which_it_began():
    cron = spec().schedule
    ended = NOON + HOUR - timedelta(seconds=10)  # of an hourly job that takes an hour
    assert next_expected(cron, ended, started=NOON + timedelta(seconds=2)) == NOON + HOUR
    early = NOON + HOUR - timedelta(seconds=4)
    assert next_expected(cron, early + timedelta(seconds=1), started=early) == NOON + 2 * HOUR


def test_nothing_is_expected_in_a_blackout():
    shut = [{"start": "2026-11-16T13:00:00Z", "end": "2026-11-16T15:00:00Z"}]
    one = spec(schedule={"cron": "0 * * * *", "blackouts": shut})
    assert next_expected(one.schedule, NOON + MINUTE) == NOON + 3 * HOUR


def test_a_paused_ping_records_signals_and_expects_nothing():
    one = spec()
    up = hear(one, rules.begin(one, NOON), (SUCCESS, NOON))
    paused = rules.paused(up, NOON + 5 * HOUR)
    assert rules.deadline(one, paused) == NOON + 5 * HOUR
    assert states(one, paused, NOON + 4 * HOUR, NOON + 5 * HOUR) == ["paused", "up"]
    failed = hear(one, paused, (FAIL, NOON + HOUR))
    assert states(one, failed, NOON + 2 * HOUR) == ["paused"]
    resumed = rules.overdue(one, failed, NOON + 5 * HOUR)
    assert (resumed.status, resumed.paused, resumed.expected_at) == ("up", False, NOON + 6 * HOUR)


def test_an_edit_demands_nothing_of_the_past():
    weekly, daily = spec(schedule={"every": "7d"}), spec(schedule={"every": "1d"})
    up = hear(weekly, rules.begin(weekly, NOON), (SUCCESS, NOON))
    late = NOON + timedelta(days=3)
    assert rules.edited(weekly, daily, up, late).expected_at == late + timedelta(days=1)
    assert rules.edited(weekly, daily, up, NOON + HOUR).expected_at == NOON + timedelta(days=1)
    assert rules.edited(weekly, spec(schedule={"every": "7d"}, grace=1), up, late) == up


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"schedule": {"after": {"job": "x"}}}, "Horae does not start this job"),
        ({"schedule": {"every": "1h", "jitter": 5}}, "use grace"),
        ({"schedule": {"every": "1h", "max_runs": 5}}, "use end_at"),
        ({"grace": 0}, "greater than or equal"),
        ({"timeout": "2000d"}, "less than or equal"),
        ({"name": "a\nb"}, "control characters"),
        ({"colour": "red"}, "not permitted"),
    ],
)
def test_schedules_that_cannot_be_monitored_are_refused(fields: dict[str, Any], message: str):
    with pytest.raises(ValidationError, match=message):
        spec(**fields)


def test_definitions_are_stored_without_defaults_and_keep_what_is_unknown():
    one = spec(tags=("db",))
    text = stored_text(one)
    assert text == '{"grace":600.0,"schedule":{"cron":"0 * * * *"},"tags":["db"]}'
    assert read_stored("backup", text) == one
    newer = read_stored("backup", '{"colour":"red","schedule":{"every":"1h","mood":"calm"}}')
    assert newer.fault is None
    assert '"colour":"red"' in stored_text(newer)
    assert '"mood":"calm"' in stored_text(newer)


@pytest.mark.parametrize("text", ["", "[1]", '{"grace', '{"schedule": {"moon": "full"}}', '{"grace": "soon"}', "null"])
def test_a_ping_that_cannot_be_read_expects_nothing_and_still_records_signals(text: str):
    broken = read_stored("backup", text)
    assert broken.fault
    standing = hear(broken, rules.begin(broken, NOON), (SUCCESS, NOON), (FAIL, NOON + MINUTE))
    assert states(broken, standing, NOON + HOUR) == ["down"]
    assert rules.resumed(broken, standing, NOON).expected_at is None


def test_an_unknown_status_of_a_newer_version_counts_as_up():
    one = spec()
    odd = replace(rules.begin(one, NOON), status="muted")  # type: ignore[arg-type]
    assert rules.state_of(one, odd, NOON) is PingState.UP
