"""Alert rules for Prometheus: what should page an operator, and what can wait until the morning."""

from __future__ import annotations

from typing import Any, NamedTuple

from horae.domain.cluster import metrics
from horae.watch.queries import quantile, rate, select, total


class AlertRule(NamedTuple):
    """`lasting`: how long the expression must hold. `remedy` is the one thing to do."""

    name: str
    expression: str
    lasting: str
    severity: str
    summary: str
    remedy: str


_ALIVE = total(metrics.WORKERS, status="~idle|busy")
_INSTALLATION = select(metrics.SHARDS, state="owned")  # which is there, and 0, even if nothing else is

ALERT_RULES = (
    AlertRule(
        "HoraeNoWorker",
        f"({_ALIVE} or 0 * max({_INSTALLATION})) == 0",
        "5m",
        "critical",
        "No worker takes runs",
        "Start workers (`horae worker`), or find out why they are draining or gone: `horae workers`.",
    ),
    AlertRule(
        "HoraeShardsWithoutScheduler",
        f"max({select(metrics.SHARDS, state='free')}) > 0",
        "1m",
        "critical",
        "{{ $value }} shards of the jobs belong to no scheduler: their schedules do not fire",
        "Start a scheduler (`horae scheduler`); `horae schedulers` shows who there is.",
    ),
    AlertRule(
        "HoraeUnseen",
        f"absent({metrics.SHARDS.name})",
        "5m",
        "critical",
        "Prometheus gets no figures of the installation, so the other alerts cannot fire",
        "Look at `serve` and its database, and whether Prometheus has the right HORAE_METRICS_TOKEN.",
    ),
    AlertRule(
        "HoraeNotReady",
        f"min by (instance) ({metrics.READY.name}) == 0 unless max by (instance) ({select(metrics.DRAINING)}) == 1",
        "2m",
        "critical",
        "{{ $labels.instance }} cannot reach its database, or keeps failing",
        "Its `/health/ready` says why, and so does its log; `horae doctor` checks the database.",
    ),
    AlertRule(
        "HoraeQueueWaits",
        f"max by (queue) ({metrics.QUEUE_AGE.name}) > 1800",
        "1m",
        "warning",
        "A run in the queue {{ $labels.queue }} has been due for {{ $value | humanizeDuration }}",
        "`horae why` with that run says what it waits for: more slots, a worker for the queue, or a paused queue.",
    ),
    AlertRule(
        "HoraeRunsFail",
        f"{rate(metrics.RUNS, '15m', status='failed')} / ({rate(metrics.RUNS, '15m')} > 0) > 0.1",
        "15m",
        "warning",
        "{{ $value | humanizePercentage }} of all runs fail",
        "`horae dead list` groups the failures by cause.",
    ),
    AlertRule(
        "HoraeDeadLettersGrow",
        f"delta(max({metrics.DEAD_LETTERS.name})[1h:5m]) > 0",
        "1h",
        "info",
        'Dead letters keep growing: {{ printf "%.0f" $value }} more within an hour',
        "Look at them with `horae dead list`; redrive or discard them.",
    ),
    AlertRule(
        "HoraeProcessInTrouble",
        f"max by (instance, loop) ({metrics.TROUBLED.name}) == 1",
        "1m",
        "critical",
        "{{ $labels.instance }} keeps failing in its {{ $labels.loop }} loop",
        "Read its log; `horae doctor` says what it fails to do.",
    ),
    AlertRule(
        "HoraeDatabaseSlow",
        f"{quantile(metrics.STATEMENT_SECONDS, 0.99, by=('instance',))} > 1",
        "10m",
        "warning",
        "One in a hundred statements of {{ $labels.instance }} takes longer than {{ $value | humanizeDuration }}",
        "Look at the database: locks, vacuum, disk.",
    ),
    AlertRule(
        "HoraeFiresLate",
        f"{quantile(metrics.FIRE_LAG, 0.99)} > 10",
        "5m",
        "warning",
        "Schedules fire {{ $value | humanizeDuration }} late",
        "Schedulers are overloaded or the database is slow: add schedulers, look at the database.",
    ),
    AlertRule(
        "HoraeRunsStartLate",
        f"{quantile(metrics.LATENESS, 0.99)} > 60",
        "15m",
        "info",
        "One in a hundred runs starts {{ $value | humanizeDuration }} after it was due",
        "Add slots or workers, or give urgent jobs a higher priority or their own queue.",
    ),
    AlertRule(
        "HoraeSlotsExhausted",
        f"max({metrics.CLUSTER_BUSY.name}) / max({metrics.CLUSTER_SLOTS.name}) > 0.95 "
        f"and {total(metrics.QUEUE_DEPTH)} > 0",
        "30m",
        "warning",
        "{{ $value | humanizePercentage }} of all slots are busy, and runs wait",
        "Add slots (`horae worker --slots`) or workers.",
    ),
    AlertRule(
        "HoraeSignInsRefused",
        f"{rate(metrics.AUTH_FAILURES)} > 5",
        "5m",
        "warning",
        "{{ $value | humanize }} sign-ins, keys or tokens are refused a second",
        "An attacker may be guessing: the log of `serve` has the addresses, `horae audit` the locked accounts.",
    ),
    AlertRule(
        "HoraeDeliveriesFail",
        f"{rate(metrics.DELIVERIES, '1h', ('kind',), result='failed')} > 0",
        "1m",
        "warning",
        "Notifications through {{ $labels.kind }} channels were given up within the last hour",
        "`horae channels list` shows the channels that fail, `horae channels deliveries` why.",
    ),
    AlertRule(
        "HoraeNotificationsWait",
        f"max({metrics.NOTICES_AGE.name}) > 900",
        "5m",
        "warning",
        "A notification has been undelivered for {{ $value | humanizeDuration }}",
        "`horae channels list` shows the channels that fail; without a scheduler nothing is sent.",
    ),
    AlertRule(
        "HoraeWakeupsLost",
        f"min by (instance) ({metrics.WAKEUPS_RELIABLE.name}) == 0 "
        f"and max by (instance) (max_over_time({metrics.WAKEUPS_RELIABLE.name}[1d])) == 1",
        "15m",
        "info",
        "Wake-ups no longer reach {{ $labels.instance }}: it polls, and runs start later",
        "Look at its log. A connection pooler in transaction mode carries none; Redis may be away (HORAE_WAKEUPS).",
    ),
)


def prometheus_rules() -> dict[str, Any]:
    """The rule file for Prometheus."""
    return {
        "groups": [
            {
                "name": "horae",
                "rules": [
                    {
                        "alert": rule.name,
                        "expr": rule.expression,
                        "for": rule.lasting,
                        "labels": {"severity": rule.severity},
                        "annotations": {"summary": rule.summary, "description": rule.remedy},
                    }
                    for rule in ALERT_RULES
                ],
            }
        ]
    }
