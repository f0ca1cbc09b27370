"""The alert of a ping that is down, in words."""

from __future__ import annotations

from datetime import datetime, timedelta

from horae.domain.alerts.alert import AlertAction, Finding, Severity, Subject, identity
from horae.domain.explain.explanation import moment, span
from horae.domain.pings.ping import PingRecord

RULES: tuple[str, ...] = ("ping_late", "ping_failed", "ping_overrun")


def down_finding(ping: PingRecord, now: datetime) -> Finding:
    """For a ping that is down, as of now."""
    reason = ping.standing.reason or "failed"
    title, why, todo = {"late": _late, "failed": _failed, "overrun": _overrun}[reason](ping, now)
    severity: Severity = "warning" if reason == "overrun" else "critical"
    return Finding(
        rule=f"ping_{reason}",
        severity=severity,
        subject=Subject("ping", ping.id, ping.spec.name),
        title=title,
        why=why,
        action=AlertAction(todo, f"/pings/{ping.id}"),
        since=ping.standing.since,
        project_id=ping.project_id,
        tags=ping.spec.tags,
    )


def identities(ping: PingRecord) -> list[str]:
    """The identities of all alerts that a ping may have."""
    return [identity(ping.project_id, rule, "ping", ping.id) for rule in RULES]


def _late(ping: PingRecord, now: datetime) -> tuple[str, str, str]:
    standing = ping.standing
    due = standing.expected_at
    expected = "" if due is None else f"It was expected at {moment(due)}, with a grace of {_grace(ping)}. "
    heard = (
        "No signal has ever arrived."
        if standing.last_ping_at is None
        else f"The last signal arrived at {moment(standing.last_ping_at)}."
    )
    todo = (
        "Check that the job calls the ping's URL"
        if standing.last_ping_at is None
        else "Check on its machine whether the job ran, and whether it can reach Horae"
    )
    return f"{ping.spec.name} has not reported in time", expected + heard, todo


def _failed(ping: PingRecord, now: datetime) -> tuple[str, str, str]:
    standing = ping.standing
    code = "" if standing.last_exit_code is None else f"It ended with exit code {standing.last_exit_code}. "
    last = standing.last_success_at
    before = "It has never succeeded." if last is None else f"It last succeeded at {moment(last)}."
    return (
        f"{ping.spec.name} reported a failure",
        f"{code}{before}",
        "Read the output it sent, fix the cause, then run the job again",
    )


def _overrun(ping: PingRecord, now: datetime) -> tuple[str, str, str]:
    begun = min((start.at for start in ping.standing.starts), default=now)
    return (
        f"{ping.spec.name} is taking too long",
        f"It started at {moment(begun)} and may take {span(ping.spec.longest)}.",
        "Check on its machine whether the job hangs, or allow it more time",
    )


def _grace(ping: PingRecord) -> str:
    return span(timedelta(seconds=ping.spec.grace))
