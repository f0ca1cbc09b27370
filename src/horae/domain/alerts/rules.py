"""All rules that the scheduler evaluates: from facts to findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from horae.domain.alerts import installation_rules as installation
from horae.domain.alerts import job_rules as job
from horae.domain.alerts.alert import Finding
from horae.domain.alerts.facts import WatchFacts

Rule = Callable[[WatchFacts], Iterator[Finding]]

PROCESS_RULES = ("database", "claims_failing", "loop_failing")
_EVALUATED: dict[Rule, tuple[str, ...]] = {
    installation.no_worker: ("no_worker",),
    installation.not_fired: ("not_fired",),
    installation.failing_loops: PROCESS_RULES,
    installation.disk: ("disk",),
    installation.partitions: ("partitions",),
    installation.nobody_can_take: ("nobody_can_take",),
    installation.queued: ("queued",),
    installation.failure_rate: ("failure_rate",),
    installation.dead_letters: ("dead_letters",),
    job.failing: ("failing",),
    job.late: ("late",),
    job.stuck: ("stuck",),
    job.secret_missing: ("secret_missing",),
    job.watched: ("took_too_long", "too_short", "not_done", "no_success", "missed", "failure_budget"),
}
RULES = tuple(name for names in _EVALUATED.values() for name in names)
NO_SCHEDULER = "no_scheduler"  # which `serve` evaluates


def evaluate(facts: WatchFacts) -> list[Finding]:
    return [finding for rule in _EVALUATED for finding in rule(facts)]
