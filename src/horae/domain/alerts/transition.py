"""When an alert opens, stays open and clears. Flap damping: an alert clears only after its rule has held for a while,
and for longer if it reopened soon after it had cleared."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from horae.domain.alerts.alert import Finding
from horae.domain.alerts.turns import in_turn

HOLD = timedelta(minutes=1)  # how long a rule must hold before its alert clears
LONGEST_HOLD = timedelta(minutes=30)
FLAPS_WITHIN = timedelta(hours=1)  # an alert that reopens this soon flaps
SEEN_EVERY = timedelta(minutes=1)  # how often an open alert is updated, at most
MOST_SEEN = 1_000  # open alerts that one evaluation updates


@dataclass(frozen=True, slots=True)
class StandingAlert:
    """The part of an open alert that transitions need. `quiet_since`: since when its rule has held again."""

    id: str
    project_id: str | None
    identity: str
    last_seen_at: datetime
    quiet_since: datetime | None
    flaps: int
    silenced_until: datetime | None
    notified_at: datetime | None


@dataclass(frozen=True, slots=True)
class Before:
    """The alert of the same identity that cleared last."""

    cleared_at: datetime
    flaps: int
    silenced_until: datetime | None


@dataclass(frozen=True, slots=True)
class Changes:
    """What one evaluation does to alerts; `seen` are (alert, finding)."""

    opening: list[Finding] = field(default_factory=list)
    seen: list[tuple[str, Finding]] = field(default_factory=list)
    quiet: list[str] = field(default_factory=list)
    clearing: list[str] = field(default_factory=list)
    notifying: list[str] = field(default_factory=list)  # their silence is over, and no notice has been sent


def transitions(standing: Collection[StandingAlert], findings: Iterable[Finding], now: datetime) -> Changes:
    found: dict[str, Finding] = {}
    for finding in findings:
        found.setdefault(finding.identity, finding)
    changes = Changes()
    stale: list[StandingAlert] = []
    current: dict[str, Finding] = {}
    for alert in standing:
        finding_now = found.pop(alert.identity, None)
        if finding_now is None:
            _recover(changes, alert, now)
            continue
        if alert.quiet_since is not None:
            changes.seen.append((alert.id, finding_now))
        elif now - alert.last_seen_at >= SEEN_EVERY:
            stale.append(alert)
            current[alert.id] = finding_now
        if alert.notified_at is None and not silenced(alert.silenced_until, now):
            changes.notifying.append(alert.id)
    longest = in_turn(sorted(stale, key=lambda alert: alert.last_seen_at))[:MOST_SEEN]
    changes.seen.extend((alert.id, current[alert.id]) for alert in longest)
    changes.opening.extend(in_turn(found.values()))
    return changes


def _recover(changes: Changes, alert: StandingAlert, now: datetime) -> None:
    if alert.quiet_since is None:
        changes.quiet.append(alert.id)
    elif now - alert.quiet_since >= hold(alert.flaps):
        changes.clearing.append(alert.id)


def hold(flaps: int) -> timedelta:
    """How long its rule must hold before an alert clears that has reopened so many times."""
    return min(HOLD * (1 << min(flaps, 10)), LONGEST_HOLD)


def flaps_of(before: Before | None, now: datetime) -> int:
    """How many times in a row an alert that opens now has reopened soon after it had cleared."""
    return 0 if before is None or now - before.cleared_at > FLAPS_WITHIN else before.flaps + 1


def silence_of(before: Before | None, now: datetime) -> datetime | None:
    """A silence outlives its alert: if the alert reopens during it, it stays silenced."""
    return before.silenced_until if before is not None and silenced(before.silenced_until, now) else None


def silenced(until: datetime | None, now: datetime) -> bool:
    return until is not None and until > now
