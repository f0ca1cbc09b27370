"""`horae metrics`: what Prometheus and Grafana need to watch Horae, ready-made."""

from __future__ import annotations

import json
from dataclasses import asdict

import typer

from horae.cli.printing import AsJson, print_json, table
from horae.domain.cluster.metrics import FAMILIES

app = typer.Typer(help="What Prometheus and Grafana need to watch Horae.", no_args_is_help=True)


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
