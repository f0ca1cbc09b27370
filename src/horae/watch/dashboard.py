"""A Grafana dashboard: rows of panels from the installation to its processes, each query built from the metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from horae.domain.cluster import metrics
from horae.watch.queries import quantile, rate, total

_WINDOW = "$__rate_interval"
_WIDTH, _HEIGHT = 24, 8
_ZERO = f"0 * max({metrics.SHARDS.name})"  # of an installation that is there: empty queues have no series


class Panel(NamedTuple):
    """`queries` are pairs of PromQL and its legend. `kind`: `timeseries` or `stat`."""

    title: str
    unit: str
    queries: tuple[tuple[str, str], ...]
    kind: str = "timeseries"
    width: int = 8
    stacked: bool = False


def _percentiles(family: metrics.Family, **labels: str) -> tuple[tuple[str, str], ...]:
    return tuple((quantile(family, share, _WINDOW, (), **labels), f"p{share * 100:g}") for share in (0.5, 0.95, 0.99))


def _mean(family: metrics.Family) -> str:
    return f"{rate(family, _WINDOW, suffix='_sum')} / {rate(family, _WINDOW, suffix='_count')}"


ROWS: dict[str, tuple[Panel, ...]] = {
    "Now": (
        Panel("Queued and due", "short", ((f"{total(metrics.QUEUE_DEPTH)} or {_ZERO}", ""),), "stat", 4),
        Panel("Oldest", "s", ((f"max({metrics.QUEUE_AGE.name}) or {_ZERO}", ""),), "stat", 4),
        Panel("Dead letters", "short", ((f"max({metrics.DEAD_LETTERS.name})", ""),), "stat", 4),
        Panel("Workers", "short", ((total(metrics.WORKERS, status="~idle|busy"), ""),), "stat", 4),
        Panel(
            "Slots busy",
            "percentunit",
            ((f"max({metrics.CLUSTER_BUSY.name}) / max({metrics.CLUSTER_SLOTS.name})", ""),),
            "stat",
            4,
        ),
        Panel("Shards without owner", "short", ((f"max({metrics.SHARDS.name}{{state='free'}})", ""),), "stat", 4),
    ),
    "Runs": (
        Panel("Runs ended", "ops", ((rate(metrics.RUNS, _WINDOW, ("status",)), "{{status}}"),), stacked=True),
        Panel("Skipped occurrences", "ops", ((rate(metrics.SKIPPED, _WINDOW, ("reason",)), "{{reason}}"),)),
        Panel("Retries", "ops", ((rate(metrics.RETRIES, _WINDOW), "retries"),)),
        Panel("Lateness", "s", _percentiles(metrics.LATENESS)),
        Panel(
            "Share that fails",
            "percentunit",
            ((f"{rate(metrics.RUNS, _WINDOW, status='failed')} / {rate(metrics.RUNS, _WINDOW)}", "failed"),),
        ),
        Panel("Average duration of attempts", "s", ((_mean(metrics.ATTEMPTS), "average"),)),
        Panel("Duration of attempts (p95)", "s", ((quantile(metrics.ATTEMPTS, 0.95, _WINDOW, ("kind",)), "{{kind}}"),)),
        Panel(
            "Attempts",
            "ops",
            ((rate(metrics.ATTEMPTS, _WINDOW, ("outcome",), "_count"), "{{outcome}}"),),
            stacked=True,
        ),
    ),
    "Queues and workers": (
        Panel("Depth", "short", ((f"max by (queue) ({metrics.QUEUE_DEPTH.name})", "{{queue}}"),)),
        Panel("Age of the oldest", "s", ((f"max by (queue) ({metrics.QUEUE_AGE.name})", "{{queue}}"),)),
        Panel(
            "Slots",
            "short",
            ((f"max({metrics.CLUSTER_SLOTS.name})", "slots"), (f"max({metrics.CLUSTER_BUSY.name})", "busy")),
        ),
        Panel("Claims", "ops", ((rate(metrics.CLAIMS, _WINDOW, ("result",)), "{{result}}"),)),
        Panel("Duration of claims", "s", _percentiles(metrics.CLAIM_SECONDS)),
        Panel("Published", "ops", ((rate(metrics.PUBLISHED, _WINDOW, ("reason",)), "{{reason}}"),), stacked=True),
        Panel("Claimed ahead", "short", ((f"sum by (instance) ({metrics.OWN_AHEAD.name})", "{{instance}}"),)),
    ),
    "Schedulers": (
        Panel("Fire lag", "s", _percentiles(metrics.FIRE_LAG)),
        Panel("Duration of ticks", "s", _percentiles(metrics.STEP_SECONDS, loop="fire")),
        Panel("Shards by scheduler", "short", ((metrics.OWN_SHARDS.name, "{{instance}}"),), stacked=True),
        Panel("Runs queued", "ops", ((rate(metrics.QUEUED, _WINDOW, ("trigger",)), "{{trigger}}"),), stacked=True),
    ),
    "Processes": (
        Panel("Statements", "s", _percentiles(metrics.STATEMENT_SECONDS)),
        Panel("Wait for a connection", "s", _percentiles(metrics.CONNECTION_WAIT)),
        Panel("Failing steps", "ops", ((rate(metrics.STEP_FAILURES, _WINDOW, ("loop",)), "{{loop}}"),)),
        Panel("Requests", "reqps", ((rate(metrics.REQUESTS, _WINDOW, ("status",)), "{{status}}"),), stacked=True),
        Panel("Duration of requests", "s", _percentiles(metrics.REQUEST_SECONDS)),
        Panel("Notifications", "ops", ((rate(metrics.DELIVERIES, _WINDOW, ("result",)), "{{result}}"),), stacked=True),
        Panel("Oldest undelivered notification", "s", ((f"max({metrics.NOTICES_AGE.name})", "age"),)),
        Panel("Refused at the door", "ops", ((rate(metrics.AUTH_FAILURES, _WINDOW, ("kind",)), "{{kind}}"),)),
    ),
}


def grafana_dashboard() -> dict[str, Any]:
    """The dashboard as Grafana imports it."""
    source = {
        "name": "source",
        "label": "Prometheus",
        "type": "datasource",
        "query": "prometheus",
    }
    return {
        "uid": "horae",
        "title": "Horae",
        "tags": ["horae"],
        "timezone": "browser",
        "schemaVersion": 39,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [source]},
        "panels": list(_panels()),
    }


def _panels() -> Iterator[dict[str, Any]]:
    number, y = 0, 0
    for title, panels in ROWS.items():
        number, x = number + 1, 0
        yield {"id": number, "type": "row", "title": title, "gridPos": {"x": 0, "y": y, "w": _WIDTH, "h": 1}}
        y += 1
        height = 4 if panels[0].kind == "stat" else _HEIGHT
        for panel in panels:
            if x + panel.width > _WIDTH:
                x, y = 0, y + height
            number += 1
            yield _panel(panel, number, {"x": x, "y": y, "w": panel.width, "h": height})
            x += panel.width
        y += height


def _panel(panel: Panel, number: int, place: dict[str, int]) -> dict[str, Any]:
    drawn = {"stacking": {"mode": "normal"}, "fillOpacity": 40} if panel.stacked else {"fillOpacity": 10}
    return {
        "id": number,
        "type": panel.kind,
        "title": panel.title,
        "gridPos": place,
        "datasource": {"type": "prometheus", "uid": "${source}"},
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0, "custom": drawn if panel.kind != "stat" else {}}},
        "targets": [
            {"refId": chr(ord("A") + place), "expr": query, "legendFormat": legend or "__auto"}
            for place, (query, legend) in enumerate(panel.queries)
        ],
    }
