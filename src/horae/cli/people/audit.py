"""`horae audit`: who did what, and when."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from horae.cli.connection import connect
from horae.cli.terminal import instants
from horae.cli.terminal.printing import AsJson, ago, print_items, table
from horae.cli.terminal.refreshing import watched
from horae.clock import SystemClock

Json = dict[str, Any]


def register(app: typer.Typer) -> None:
    app.command("audit")(watched(audit))


def audit(
    actor: Annotated[str | None, typer.Option(help="Only actions by this user or key, such as key:deploy.")] = None,
    action: Annotated[str | None, typer.Option(help="Only this action, such as job.edit.")] = None,
    kind: Annotated[str | None, typer.Option(help="Kind of the subject: job, run, secret, …")] = None,
    subject: Annotated[str | None, typer.Option(help="The id or name of the subject.")] = None,
    since: Annotated[
        str | None, typer.Option(metavar="INSTANT", help="At or after this time; 2h is two hours ago.")
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="INSTANT", help="Before.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many, newest first.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List the audit trail, newest first."""
    filters: Json = {"actor": actor, "action": action, "kind": kind, "subject": subject}
    filters |= {"since": instants.ago("--since", since), "until": instants.ago("--until", until)}
    with connect() as client:
        found = list(client.audit(limit=limit, **filters))
    if as_json:
        print_items(found)
        return
    now = SystemClock().now()
    table(
        ("when", "who", "what", "subject", "changes", "from"),
        (
            (
                ago(one["at"], now),
                one["actor"],
                one["action"],
                one["subject"]["name"] or one["subject"]["id"],
                "; ".join(_words(change) for change in one["changes"]),
                one["address"],
            )
            for one in found
        ),
        "Nothing.",
        spare=("from",),
    )


def _words(change: Json) -> str:
    old, new = (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in _pair(change))
    return f"{change['path']}: {new}" if change["old"] is None else f"{change['path']}: {old} → {new}"


def _pair(change: Json) -> tuple[Any, Any]:
    return change["old"], change["new"]
