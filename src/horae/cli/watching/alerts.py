"""`horae alerts`: list, acknowledge and silence alerts."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from horae.cli.connection import connect
from horae.cli.terminal.instants import ahead
from horae.cli.terminal.printing import AsJson, ago, details, print_changed, print_items, print_json, status, table
from horae.cli.terminal.refreshing import watched
from horae.clock import SystemClock

app = typer.Typer(help="Alerts: list, acknowledge, silence.", no_args_is_help=True)

AlertArg = Annotated[str, typer.Argument(metavar="ALERT", help="Its id.")]
_DEFAULT = "default"
Note = Annotated[str | None, typer.Option("--note", help="A note for others.")]


@app.command("list")
@watched
def list_alerts(
    everything: Annotated[bool, typer.Option("--all", help="Include alerts that have cleared.")] = False,
    severity: Annotated[str | None, typer.Option("--severity", help="critical, warning or info.")] = None,
    rule: Annotated[str | None, typer.Option("--rule", help="Only of this rule, such as failing.")] = None,
    job: Annotated[str | None, typer.Option("--job", help="Only about this job, by name or id.")] = None,
    project: Annotated[
        str | None, typer.Option("--of", help="Of this project, by its slug; * (admins): of all.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="At most so many.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List open alerts, newest first: what is wrong, since when, and what to do."""
    filters = {"severity": severity, "rule": rule, "job": job, "project": project}
    with connect() as client:
        found = list(client.alerts.list(limit=limit, state=None if everything else "open", **filters))
    if as_json:
        print_items(found)
        return
    now = SystemClock().now()
    table(
        ("id", "severity", "since", "what", "project", "care", "to do"),
        (
            (
                one["id"],
                status(one["severity"] if one["state"] == "open" else "cleared"),
                ago(one["since"], now),
                one["title"],
                one["project"],
                _care(one),
                one["action"]["text"],
            )
            for one in found
        ),
        "No alerts.",
        spare=("to do", "care", "project"),
    )


@app.command("show")
def show(alert: AlertArg, as_json: AsJson = False) -> None:
    """Show an alert: what, since when, why, and what to do."""
    with connect() as client:
        one = client.alerts.get(alert)
    if as_json:
        print_json(one)
        return
    details(
        [
            ("what", one["title"]),
            ("severity", status(one["severity"])),
            ("state", one["state"]),
            ("since", one["since"]),
            ("why", one["why"]),
            ("to do", one["action"]["text"]),
            ("project", one["project"]),
            ("care", _care(one)),
            ("note", one["note"]),
            ("cleared", one["cleared_at"]),
        ]
    )


@app.command("ack")
def ack(alert: AlertArg, note: Note = None, as_json: AsJson = False) -> None:
    """Acknowledge an open alert: others see who takes care of it."""
    with connect() as client:
        found = client.alerts.ack(alert, note=note)
    print_changed(found, as_json, f"Acknowledged: {found['title']}.")


@app.command("silence")
def silence(
    alert: AlertArg,
    lasting: Annotated[str | None, typer.Option("--for", help="For so long: 2h, 3d; 0 ends the silence.")] = None,
    until: Annotated[str | None, typer.Option("--until", help="Until this instant.")] = None,
    note: Note = None,
    as_json: AsJson = False,
) -> None:
    """Send no notices about an open alert for some time."""
    if (lasting is None) == (until is None):
        raise typer.BadParameter("give --for or --until", param_hint="--for")
    with connect() as client:
        found = client.alerts.silence(alert, lasting=lasting, until=ahead("--until", until), note=note)
    silent = found["silenced_until"]
    print_changed(
        found,
        as_json,
        f"Silenced until {silent}: {found['title']}." if silent else f"No longer silenced: {found['title']}.",
    )


@app.command("settings")
def settings(
    failing: Annotated[str | None, typer.Option("--failing", help="Failed runs of a job in a row.")] = None,
    late: Annotated[str | None, typer.Option("--late", help="How long a run may be due before it starts.")] = None,
    queued: Annotated[str | None, typer.Option("--queued", help="How long the oldest run of a queue may wait.")] = None,
    failure_rate: Annotated[str | None, typer.Option("--failure-rate", help="Per cent of runs that may fail.")] = None,
    dead_letters: Annotated[str | None, typer.Option("--dead-letters", help="New ones within an hour.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show the project's own thresholds, or set them: `default` restores the installation's, 0 turns a rule off."""
    given = {
        "failing": _number("--failing", failing),
        "late": late,
        "queued": queued,
        "failure_rate": _number("--failure-rate", failure_rate),
        "dead_letters": _number("--dead-letters", dead_letters),
    }
    said: dict[str, Any] = {
        name: None if value == _DEFAULT else value for name, value in given.items() if value is not None
    }
    with connect() as client:
        found = client.alerts.configure(**said) if said else client.alerts.settings()
    if as_json:
        print_json(found)
        return
    table(("threshold", "value"), ((name, "default" if value is None else value) for name, value in found.items()), "")


def _number(option: str, text: str | None) -> int | str | None:
    if text is None or text == _DEFAULT:
        return text
    if not text.isdecimal():
        raise typer.BadParameter("must be a whole number or default", param_hint=option)
    return int(text)


def _care(alert: dict[str, object]) -> str | None:
    by = alert["acknowledged_by"]
    silent = f"silenced until {alert['silenced_until']}" if alert["silenced_until"] else None
    return ", ".join(part for part in (f"acknowledged by {by}" if by else None, silent) if part) or None
