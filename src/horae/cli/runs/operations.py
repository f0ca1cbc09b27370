"""`horae operations`: long-running operations with progress, such as backfills."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.connection import connect
from horae.cli.terminal import completing
from horae.cli.terminal.asking import Yes, confirm
from horae.cli.terminal.printing import AsJson, ago, details, print_items, print_json, say, status, table
from horae.cli.terminal.progress import progress
from horae.cli.terminal.refreshing import watched
from horae.clock import SystemClock

if TYPE_CHECKING:
    from horae.sdk.client import Client

app = typer.Typer(help="Long-running operations, such as backfills: list, show, cancel.", no_args_is_help=True)

Json = dict[str, Any]
OperationArg = Annotated[
    str, typer.Argument(metavar="ID", help="The operation's id.", autocompletion=completing.operations)
]
POLL = 0.5  # seconds between two polls while waiting


@app.command("list")
@watched
def list_operations(
    limit: Annotated[int, typer.Option(min=1, help="How many, newest first.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List operations, newest first."""
    with connect() as client:
        found = list(client.operations.list(limit=limit))
    if as_json:
        print_items(found)
        return
    now = SystemClock().now()
    table(
        ("id", "kind", "status", "done", "started", "by", "job"),
        (
            (
                one["id"],
                one["kind"],
                status(one["state"]),
                f"{one['done']}/{one['total']}",
                ago(one["created_at"], now),
                one["created_by"],
                one["job_id"],
            )
            for one in found
        ),
        "No operations.",
        spare=("job", "by"),
    )


@app.command("show")
def show(
    operation: OperationArg,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until it has ended; exit 1 unless it is done.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show one operation."""
    with connect() as client:
        found: Json = client.operations.get(operation)
        if wait:
            found = wait_for(client, found, quiet=as_json)
    if as_json:
        print_json(found)
    else:
        details([("state", status(found["state"])), *((k, v) for k, v in found.items() if k != "state")])
    if wait and found["state"] != "done":
        raise typer.Exit(1)


@app.command("cancel")
def cancel(operation: OperationArg, yes: Yes = False, as_json: AsJson = False) -> None:
    """Cancel an operation: stop queueing runs, and cancel those in progress."""
    with connect() as client:
        found = client.operations.get(operation)
        confirm(f"Cancel the {found['kind']} {operation}, {found['done']} of {found['total']} done", yes)
        found = client.operations.cancel(operation)
    if as_json:
        print_json(found)
    else:
        say(f"Cancelled after {found['done']} of {found['total']}.")


def wait_for(client: Client, operation: Json, *, quiet: bool = False) -> Json:
    """Shows progress until it has ended."""
    pause = threading.Event()
    try:
        with progress(operation["kind"], operation["total"], quiet=quiet) as advance:
            advance(operation["done"])
            while operation["state"] == "running":
                pause.wait(POLL)
                operation = client.operations.get(operation["id"])
                advance(operation["done"])
    except KeyboardInterrupt:
        say(f"It continues in the background; to stop it: horae operations cancel {operation['id']}")
        raise
    return operation
