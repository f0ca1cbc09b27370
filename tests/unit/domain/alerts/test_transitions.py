"""What an evaluation writes of alerts that stay open is bounded; projects take turns."""

from datetime import UTC, datetime, timedelta

from horae.domain.alerts.alert import AlertAction, Finding, Subject
from horae.domain.alerts.transition import MOST_SEEN, SEEN_EVERY, StandingAlert, transitions

NOW = datetime(2026, 11, 16, tzinfo=UTC)


def finding(project: str, number: int) -> Finding:
    subject = Subject("job", f"{project}-{number}", "report")
    return Finding("failing", "critical", subject, "report failed", "w", AlertAction("look", "/"), NOW, project)


def standing(one: Finding, seen: timedelta, quiet: bool = False) -> StandingAlert:
    quiet_since = NOW if quiet else None
    return StandingAlert(one.subject.id, one.project_id, one.identity, NOW - seen, quiet_since, 0, None, NOW)


def test_open_alerts_are_updated_in_batches_oldest_first() -> None:
    flood = [finding("a", number) for number in range(3 * MOST_SEEN)]
    alone = finding("b", 1)
    old = [standing(one, SEEN_EVERY * (2 + place)) for place, one in enumerate(flood)]
    recent = standing(finding("c", 1), SEEN_EVERY / 2)
    changes = transitions([*old, recent, standing(alone, SEEN_EVERY)], [*flood, finding("c", 1), alone], NOW)
    seen = [alert_id for alert_id, _ in changes.seen]
    assert len(seen) == MOST_SEEN
    assert seen[:2] == [flood[-1].subject.id, alone.subject.id]  # the one that was written longest ago, and its turn
    assert (changes.opening, changes.quiet, changes.clearing) == ([], [], [])


def test_all_alerts_that_reopen_while_quiet_are_written() -> None:
    flood = [finding("a", number) for number in range(2 * MOST_SEEN)]
    changes = transitions([standing(one, timedelta(0), quiet=True) for one in flood], flood, NOW)
    assert len(changes.seen) == len(flood)


def test_projects_take_turns_when_alerts_open() -> None:
    found = [finding("a", number) for number in range(3)] + [finding("b", 1)]
    assert [one.project_id for one in transitions([], found, NOW).opening] == ["a", "b", "a", "a"]
