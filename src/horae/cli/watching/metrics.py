"""`horae metrics`: ready-made alert rules for Prometheus and a Grafana dashboard, and Horae's own time series."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from horae.cli.connection import connect
from horae.cli.terminal import completing
from horae.cli.terminal.instants import ago
from horae.cli.terminal.printing import AsJson, print_json, table, took
from horae.domain.cluster.metrics import FAMILIES

app = typer.Typer(help="Metrics: time series, and what Prometheus and Grafana need.", no_args_is_help=True)


@app.command("list")
def list_metrics(as_json: AsJson = False) -> None:
    """List the metrics that Horae's processes show."""
    if as_json:
        print_json([asdict(family) for family in FAMILIES])
        return
    shown = ((one.name, one.kind, ", ".join(one.labels), ", ".join(one.roles), one.help) for one in FAMILIES)
    table(("name", "type", "labels", "of", "what"), shown, "")


@app.command("rules")
def rules() -> None:
    """Print alert rules for Prometheus, as YAML."""
    import yaml

    from horae.watch.alert_rules import prometheus_rules

    typer.echo(yaml.safe_dump(prometheus_rules(), sort_keys=False, width=1_000, allow_unicode=True), nl=False)


@app.command("dashboard")
def dashboard() -> None:
    """Print a dashboard for Grafana, as JSON to import."""
    from horae.watch.dashboard import grafana_dashboard

    typer.echo(json.dumps(grafana_dashboard(), indent=2))


@app.command("series")
def series(
    since: Annotated[str, typer.Option(help="An instant, or how long ago.")] = "1h",
    until: Annotated[str | None, typer.Option(help="An instant, or how long ago; by default now.")] = None,
    step: Annotated[str | None, typer.Option(help="The time between two points, such as 5m, 6h or 1d.")] = None,
    queue: Annotated[
        str | None, typer.Option(help="Only of this queue.", autocompletion=completing.queues, metavar="QUEUE")
    ] = None,
    all_projects: Annotated[bool, typer.Option("--all-projects", help="The whole installation; admins only.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show how runs went and what waited, point by point."""
    with connect() as client:
        found = client.series(
            since=ago("--since", since),
            until=ago("--until", until),
            step=step,
            queue=queue,
            all_projects=all_projects or None,
        )
    if as_json:
        print_json(found)
        return
    columns = ("from", "succeeded", "failed", "cancelled", "skipped", "queued", "oldest", "running", "p50", "p99 late")
    table(columns, map(_row, found["points"]), "No points.", spare=("cancelled", "p50"))


def _row(point: dict[str, Any]) -> tuple[Any, ...]:
    """Unknown values are left empty."""
    ended, queued, running, late = (point[name] or {} for name in ("ended", "queued", "running", "lateness"))
    counts = (ended.get(status) for status in ("succeeded", "failed", "cancelled", "skipped"))
    live = (queued.get("max"), _took(queued.get("oldest_seconds")), running.get("max"))
    return (point["at"], *counts, *live, _took(late.get("p50")), _took(late.get("p99")))


def _took(seconds: float | None) -> str:
    return took(None if seconds is None else round(seconds * 1_000))
