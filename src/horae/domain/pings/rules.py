"""The rules of pings: how a signal, its absence, a pause or an edit changes the state of a ping. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from horae.domain.pings.expectation import first_expected, next_expected
from horae.domain.pings.ping import MOST_STARTS, Heard, PingStanding, PingState, Reason, Signal, Start, Status
from horae.domain.pings.spec import PingSpec

SETUP = timedelta(hours=1)  # the minimum time until the first signal of a new ping


def begin(spec: PingSpec, now: datetime) -> PingStanding:
    return PingStanding("new", now, expected_at=first_expected(spec.schedule, now))


def deadline(spec: PingSpec, standing: PingStanding) -> datetime | None:
    """When the scheduler must check it: by then it is down unless a signal arrived, or its pause is over."""
    if standing.paused:
        return standing.paused_until
    if standing.status == "down":
        return None
    if standing.starts:  # it is running: only its duration counts
        return min(start.at for start in standing.starts) + spec.longest
    if standing.expected_at is None:
        return None
    late = standing.expected_at + timedelta(seconds=spec.grace)
    return max(late, standing.since + SETUP) if standing.status == "new" else late


def state_of(spec: PingSpec, standing: PingStanding, now: datetime) -> PingState:
    """The shown state: down from its deadline on, whether or not the scheduler has noticed yet."""
    if standing.paused and (standing.paused_until is None or standing.paused_until > now):
        return PingState.PAUSED
    ends = None if standing.paused else deadline(spec, standing)
    if standing.status == "down" or (ends is not None and ends <= now):
        return PingState.DOWN
    if standing.starts:
        return PingState.STARTED
    if standing.status == "new":
        return PingState.NEW
    late = standing.expected_at is not None and standing.expected_at <= now
    return PingState.LATE if late and not standing.paused else PingState.UP


def missing(standing: PingStanding) -> Reason:
    """Why a ping is down whose deadline has passed."""
    return "overrun" if standing.starts else "late"


def heard(
    spec: PingSpec, standing: PingStanding, signal: Signal, now: datetime, begun: datetime | None = None
) -> Heard:
    """`begun` is when the run with the signal's `rid` began, if that start is no longer among those in progress. A
    paused ping records every signal and expects none."""
    standing = replace(standing, last_ping_at=now)
    if signal.sign == "start":
        others = tuple(start for start in standing.starts if start.rid != signal.rid)
        return Heard(replace(standing, starts=(*others, Start(now, signal.rid))[-MOST_STARTS:]), None)
    start, rest = _ended(standing.starts, signal.rid)
    started = start.at if start is not None else begun
    duration = None if started is None else max(0, round((now - started).total_seconds() * 1_000))
    failed = signal.sign == "fail"
    status: Status = "down" if failed else "up"
    reason: Reason | None = "failed" if failed else None
    changed = (status, reason) != (standing.status, standing.reason)
    now_standing = replace(
        standing,
        status=status,
        reason=reason,
        since=now if changed else standing.since,
        starts=rest,
        expected_at=next_expected(spec.schedule, now, started=started),
        last_success_at=standing.last_success_at if failed else now,
        last_failure_at=now if failed else standing.last_failure_at,
        last_duration_ms=duration,
        last_exit_code=signal.exit_code,
    )
    return Heard(now_standing, duration)


def _ended(starts: tuple[Start, ...], rid: str | None) -> tuple[Start | None, tuple[Start, ...]]:
    """The run that an end belongs to, and those still in progress. An end without an id ends them all: it comes from
    jobs that do not overlap."""
    if rid is None:
        plain = tuple(start for start in starts if start.rid is None) or starts
        return (plain[-1] if plain else None), ()
    mine = next((start for start in starts if start.rid == rid), None)
    return mine, tuple(start for start in starts if start.rid != rid)


def overdue(spec: PingSpec, standing: PingStanding, now: datetime) -> PingStanding:
    """The state of a ping whose deadline has passed."""
    if standing.paused:
        return resumed(spec, standing, now)
    return replace(standing, status="down", reason=missing(standing), since=now)


def paused(standing: PingStanding, until: datetime | None) -> PingStanding:
    return replace(standing, paused=True, paused_until=until)


def resumed(spec: PingSpec, standing: PingStanding, now: datetime) -> PingStanding:
    """Starts over: what was missed meanwhile does not count."""
    status: Status = "up" if standing.last_success_at is not None else "new"
    return replace(
        standing,
        status=status,
        reason=None,
        since=now,
        paused=False,
        paused_until=None,
        starts=(),
        expected_at=first_expected(spec.schedule, now),
    )


def edited(old: PingSpec, new: PingSpec, standing: PingStanding, now: datetime) -> PingStanding:
    """A new schedule counts from the last report, but expects nothing that was due before the edit."""
    if old.schedule == new.schedule:
        return standing
    last = standing.last_ping_at
    expected = first_expected(new.schedule, now) if last is None else next_expected(new.schedule, last)
    if expected is not None and expected <= now:
        expected = first_expected(new.schedule, now)
    return replace(standing, expected_at=expected)
