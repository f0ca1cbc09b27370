"""The rules by which notices become messages, without a database."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from horae.domain.notify.channel import ChannelSpec, QuietHours
from horae.domain.notify.message import EMPTY, LINES, Message, Notice, trial
from horae.domain.notify.notice import NoticeKind, Severity
from horae.domain.notify.routing import (
    LONGEST_PAUSE,
    MOST_PENDING,
    TRIES,
    RoutingPlan,
    RoutingState,
    Told,
    concerns,
    drained,
    matches,
    pause_after,
    plan,
    quiet_pause,
    quiet_until,
)

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
ALERT, CLEARED, FAILURE = NoticeKind.ALERT, NoticeKind.CLEARED, NoticeKind.FAILURE
DEAD, RECOVERY, BUDGET = NoticeKind.DEAD_LETTER, NoticeKind.RECOVERY, NoticeKind.BUDGET


def spec(kind: str = "slack", **fields: Any) -> ChannelSpec:
    return ChannelSpec.model_validate({"target": {"kind": kind}, **fields})


def notice(kind: NoticeKind = ALERT, key: str = "a", id: str = "1", **fields: Any) -> Notice:
    given: dict[str, Any] = {
        "project_id": "p",
        "severity": Severity.WARNING,
        "subject_kind": "job",
        "subject_id": "j",
        "subject_name": "nightly-report",
        "title": "",
        "text": None,
        "path": None,
        "cause": None,
        "tags": ("finance",),
        "at": NOW,
    }
    return Notice(id=id, kind=kind, key=key, **{**given, **fields})


def planned(channel: ChannelSpec, *notices: Notice, **state: Any) -> RoutingPlan:
    return plan("ops", channel, notices, RoutingState(**state), NOW)


def said(kind: NoticeKind, ago: float = 60, cause: str | None = None, id: str = "d") -> Told:
    return Told(id, kind, cause, NOW - timedelta(seconds=ago))


# ---- who gets it


@pytest.mark.parametrize(
    ("events", "heard"),
    [
        (["failure"], {FAILURE, DEAD}),
        (["dead_letter"], {DEAD}),
        (["recovery"], {RECOVERY}),
        (["alert"], {ALERT, CLEARED}),
        (["budget"], {BUDGET, CLEARED}),
    ],
)
def test_events(events: list[str], heard: set[NoticeKind]):
    channel = spec(events=events)
    assert {kind for kind in NoticeKind if matches("ops", channel, notice(kind))} == heard


@pytest.mark.parametrize(
    ("fields", "about", "heard"),
    [
        ({"severity": "warning"}, {}, True),
        ({"severity": "critical"}, {}, False),
        ({"severity": "critical"}, {"kind": CLEARED, "severity": Severity.INFO}, True),  # it ends what was critical
        ({"tags": ["finance", "x"]}, {}, True),
        ({"tags": ["x"]}, {}, False),
        ({"tags": ["x"]}, {"channels": ("ops",)}, True),
        ({"jobs": ["nightly-*"]}, {}, True),
        ({"jobs": ["*-report"]}, {}, True),
        ({"jobs": ["n*tly*rep*t"]}, {}, True),
        ({"jobs": ["*tly*tly*"]}, {}, False),
        ({"jobs": ["nightly-report*report"]}, {}, False),
        ({"jobs": ["nightly-re*report"]}, {}, False),
        ({"jobs": ["**"]}, {}, True),
        ({"jobs": ["night"]}, {}, False),
        ({"jobs": ["nightly.report"]}, {}, False),
        ({"jobs": ["*"]}, {"subject_kind": "queue"}, False),
        ({"named_only": True}, {}, False),
        ({"named_only": True}, {"channels": ("ops",)}, True),
        ({"named_only": True}, {"channels": ("others",)}, False),
        ({"events": ["recovery"]}, {"channels": ("ops",)}, False),
    ],
)
def test_rules(fields: dict[str, Any], about: dict[str, Any], heard: bool):
    assert matches("ops", spec(**fields), notice(**about)) is heard


def test_no_pattern_takes_long():
    """A regular expression of six `*` would take an hour for this name, on the scheduler's event loop."""
    begun = time.thread_time()
    assert not matches("ops", spec(jobs=["*a" * 99 + "b"]), notice(subject_name="a" * 200))
    assert time.thread_time() - begun < 1


# ---- repeats


def test_repeats_are_suppressed_until_repeat_after():
    told = {"a": [said(FAILURE, 3_599, "x")]}
    assert planned(spec(), notice(FAILURE, cause="x"), told=told).repeats == {"d": 1}
    assert planned(spec(repeat_after=3_000), notice(FAILURE, cause="x"), told=told).single
    assert planned(spec(), notice(FAILURE, cause="y"), told=told).single, "another cause is news"
    assert planned(spec(repeat_after=0), notice(FAILURE, cause="x"), told=told).single


def test_after_a_recovery_a_failure_is_news():
    told = {"a": [said(FAILURE, 60, "x"), said(RECOVERY, 30)]}
    assert planned(spec(), notice(FAILURE, cause="x"), told=told).single


def test_within_one_batch():
    found = planned(spec(), *(notice(FAILURE, id=str(n), cause="x") for n in range(4)))
    assert ([one.id for one in found.single], found.repeats) == (["0"], {"0": 3})


@pytest.mark.parametrize(
    ("events", "told", "heard"),
    [
        (["failure", "recovery"], [said(FAILURE)], True),
        (["failure", "recovery"], [], False),
        (["failure", "recovery"], [said(FAILURE), said(RECOVERY, 30)], False),
        (["recovery"], [], True),
        (["alert", "recovery"], [], True),
    ],
)
def test_recoveries_go_to_channels_that_got_the_failure(events: list[str], told: list[Told], heard: bool):
    assert bool(planned(spec(events=events), notice(RECOVERY), told={"a": told}).single) is heard


@pytest.mark.parametrize("fields", [{"tags": ["other"]}, {"jobs": ["other"]}, {"named_only": True}])
def test_cleared_alerts_pass_the_rules_if_the_opening_was_sent(fields: dict[str, Any]):
    """The job may have been deleted or edited since, and so may the rules: the incident would stay open forever."""
    channel = spec("pagerduty", **fields)
    assert concerns("ops", channel, notice(CLEARED))
    assert planned(channel, notice(CLEARED), told={"a": [said(ALERT)]}).single
    assert not planned(channel, notice(CLEARED)).single
    assert not concerns("ops", channel, notice(ALERT))


def test_on_call_services_get_the_end_at_once():
    quiet = {"windows": [{"start": "00:00", "end": "23:00"}], "allow": None}
    told = {key: [said(ALERT)] for key in "ab"}
    found = planned(spec("pagerduty", quiet=quiet), notice(CLEARED, "a"), notice(CLEARED, "b"), told=told)
    assert ([one.key for one in found.single], found.collected) == (["a", "b"], [])
    assert planned(spec("pagerduty"), notice(CLEARED)).single, "the log of what was sent may have expired"
    assert not planned(spec("pagerduty", severity="critical"), notice(CLEARED)).single
    assert not planned(spec("pagerduty", events=["alert", "recovery"]), notice(RECOVERY)).single


def test_notices_for_a_congested_channel_are_collected():
    found = planned(spec(per_hour=3_600), *(notice(id=str(n), key=str(n)) for n in range(5)), pending=MOST_PENDING - 2)
    assert ([one.id for one in found.single], len(found.collected)) == (["0", "1"], 3)
    assert found.due_at is not None
    assert found.due_at > NOW


def test_opened_and_cleared_in_one_batch():
    found = planned(spec(), notice(ALERT, id="1"), notice(CLEARED, id="2"), notice(CLEARED, id="3"))
    assert [one.id for one in found.single] == ["1", "2"]


# ---- digests, rates, quiet hours


def test_a_digest_has_one_line_for_each_incident():
    found = planned(spec(digest=60), notice(id="1"), notice(CLEARED, id="2"), notice(key="b", id="3"))
    assert found.digest is not None
    assert found.due_at == NOW + timedelta(seconds=60)
    assert [(line.key, line.kind, line.count) for line in found.digest.lines] == [
        ("a", "cleared", 2),
        ("b", "alert", 1),
    ]
    assert found.digest.title == "2 alerts, 1 alert cleared"


def test_a_digest_stays_small_and_counts_everything():
    many = [notice(key=str(n), id=str(n)) for n in range(10_000)]
    found = planned(spec(digest=60), *many)
    assert found.digest is not None
    assert len(found.digest.lines) == LINES
    assert (found.digest.total, found.digest.more) == (10_000, 10_000 - LINES)
    again = Message.from_json(found.digest.to_json())
    assert (again.total, again.title) == (10_000, "10,000 alerts")


def test_beyond_the_rate_they_are_collected():
    found = planned(spec(per_hour=2), *(notice(key=str(n), id=str(n)) for n in range(5)))
    assert (len(found.single), len(found.collected), found.level) == (2, 3, 3.0)
    assert found.due_at == NOW + timedelta(minutes=30)
    assert drained(3.0, NOW, NOW + timedelta(hours=1), 2) == 1.0
    assert drained(3.0, NOW, NOW + timedelta(days=1), 2) == drained(3.0, None, NOW, 2) == 0.0


def test_an_incident_that_was_paged_is_resolved_regardless_of_the_rate():
    found = planned(spec("pagerduty", per_hour=1), notice(CLEARED), told={"a": [said(ALERT)]}, level=5.0)
    assert len(found.single) == 1


@pytest.mark.parametrize("rule", [{"digest": 3_600}, {"per_hour": 1}])
def test_a_digest_that_would_be_due_in_quiet_hours_waits_for_their_end(rule: dict[str, Any]):
    channel = spec(quiet={"windows": [{"start": "12:30", "end": "18:00"}]}, **rule)
    found = planned(channel, notice(key="a"), level=1.0)
    assert found.due_at == NOW + timedelta(hours=6)
    found = planned(channel, notice(key="a", severity=Severity.CRITICAL), level=1.0)
    assert found.due_at == NOW + timedelta(hours=1)


def test_retries_wait_for_the_end_of_quiet_hours():
    channel = spec(quiet={"windows": [{"start": "12:30", "end": "18:00"}]})
    message = EMPTY.with_notices([notice()])
    assert quiet_pause(60.0, channel, message, NOW) == 60.0
    assert quiet_pause(3_000.0, channel, message, NOW) == 6 * 3_600
    assert quiet_pause(3_000.0, spec(), message, NOW) == 3_000.0
    critical = EMPTY.with_notices([notice(severity=Severity.CRITICAL)])
    assert quiet_pause(3_000.0, channel, critical, NOW) == 3_000.0
    assert quiet_pause(3_000.0, channel, trial("ops", NOW), NOW) == 3_000.0
    pager = spec("pagerduty", quiet={"windows": [{"start": "12:30", "end": "18:00"}]})
    assert quiet_pause(3_000.0, pager, EMPTY.with_notices([notice(CLEARED)]), NOW) == 3_000.0  # it wakes no one


def test_quiet_hours_hold_back_all_but_the_critical():
    channel = spec(quiet={"windows": [{"start": "11:00", "end": "13:00"}], "timezone": "UTC"})
    found = planned(channel, notice(), notice(key="b", id="2", severity=Severity.CRITICAL))
    assert ([one.key for one in found.collected], [one.key for one in found.single]) == (["a"], ["b"])
    assert found.due_at == NOW + timedelta(hours=1)
    none = spec(quiet={"windows": [{"start": "11:00", "end": "13:00"}], "allow": None})
    assert len(planned(none, notice(severity=Severity.CRITICAL)).collected) == 1


def test_an_end_updates_the_digest_with_its_opening():
    waiting = EMPTY.with_notices([notice()])
    found = planned(spec(), notice(CLEARED, id="2"), digest=waiting)
    assert found.digest is not None
    assert (found.due_at, found.digest.lines[0].kind) == (None, "cleared")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("windows", "now", "until"),
    [
        ([("22:00", "07:00", None)], "2026-11-16T23:00+01:00", "2026-11-17T07:00+01:00"),
        ([("22:00", "07:00", None)], "2026-11-17T06:59+01:00", "2026-11-17T07:00+01:00"),
        ([("22:00", "07:00", None)], "2026-11-17T07:00+01:00", None),
        # Friday night and the weekend, one after the other without a gap.
        (
            [("18:00", "24:00", ["FRI"]), ("00:00", "24:00", ["SAT", "SUN"])],
            "2026-11-20T19:00+01:00", "2026-11-23T00:00+01:00",
        ),
        # The clock goes forward: the end is at 07:00 by the new time, an hour sooner.
        ([("22:00", "07:00", None)], "2026-03-28T23:00+01:00", "2026-03-29T07:00+02:00"),
        # And back: an hour longer.
        ([("22:00", "07:00", None)], "2026-10-24T23:00+02:00", "2026-10-25T07:00+01:00"),
        # The end is in the hour that does not exist.
        ([("22:00", "02:30", None)], "2026-03-28T23:00+01:00", "2026-03-29T03:00+02:00"),
    ],
)  # fmt: skip
def test_the_end_of_quiet_hours_by_the_wall_clock(windows: list[Any], now: str, until: str | None):
    quiet = QuietHours.model_validate(
        {
            "windows": [
                {"start": start, "end": end, **({"days": days} if days else {})} for start, end, days in windows
            ],
            "timezone": "Europe/Berlin",
        }
    )
    assert quiet_until(quiet, at(now).astimezone(UTC)) == (None if until is None else at(until))


# ---- trying again


def test_pauses_grow_to_an_hour_and_end():
    pauses = [pause_after(tries, 0.5) for tries in range(1, TRIES)]
    assert [pauses[0], pauses[1], pauses[2]] == [10.0, 20.0, 40.0]
    assert max(one for one in pauses if one is not None) == LONGEST_PAUSE
    assert pause_after(TRIES, 0.5) is None
    assert sum(one for one in pauses if one is not None) > 15 * 3_600


def test_retry_after_is_bounded():
    assert pause_after(1, 0.5, asked=120.0) == 120.0
    assert pause_after(1, 0.5, asked=1.0) == 10.0
    assert pause_after(1, 0.5, asked=1e9) == LONGEST_PAUSE


@pytest.mark.parametrize(
    "damage", [{"count": "x"}, {"count": None}, {"key": {"a": 1}}, {"title": 7}, {"text": []}, {"subject": "job"}]
)
def test_a_damaged_line_is_found_when_it_is_read(damage: dict[str, Any]):
    """Later would be too late: it would fail in the transaction that routes the notices of all projects."""
    stored = EMPTY.with_notices([notice()]).to_json()
    assert Message.from_json(stored).lines
    stored["lines"][0] |= damage
    with pytest.raises(TypeError):
        Message.from_json(stored)
