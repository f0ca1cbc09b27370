"""`horae badges`: images that show how a job or a ping is doing."""

from __future__ import annotations

from typing import Annotated

import typer

from horae.cli.connection import connect
from horae.cli.terminal import completing
from horae.cli.terminal.asking import Yes, confirm
from horae.cli.terminal.printing import AsJson, ago, print_items, print_json, say, table
from horae.clock import SystemClock
from horae.domain.errors import InvalidInput

app = typer.Typer(help="Badges: images that show how a job or a ping is doing.", no_args_is_help=True)

Job = Annotated[str | None, typer.Option(metavar="JOB", help="Of this job.", autocompletion=completing.jobs)]
Ping = Annotated[str | None, typer.Option(metavar="PING", help="Of this ping.", autocompletion=completing.pings)]


@app.command("list")
def list_badges(job: Job = None, ping: Ping = None, as_json: AsJson = False) -> None:
    """List badges, with their URLs."""
    kind, subject = _subject(job, ping) if job or ping else (None, None)
    with connect() as client:
        found = list(client.badges.list(kind=kind, subject=subject))
    if as_json:
        print_items(found)
        return
    now = SystemClock().now()
    table(
        ("id", "of", "subject", "label", "made", "url"),
        (
            (one["id"], one["kind"], one["subject_id"], one["label"], ago(one["created_at"], now), one["url"])
            for one in found
        ),
        "No badges. Create one: horae badges create --job nightly-report",
    )


@app.command("create")
def create(
    job: Job = None,
    ping: Ping = None,
    label: Annotated[str | None, typer.Option(help="Text on the badge, instead of the name.")] = None,
    as_json: AsJson = False,
) -> None:
    """Create a badge and print its Markdown. Anyone who knows its URL sees the label and the state."""
    kind, subject = _subject(job, ping)
    with connect() as client:
        made = client.badges.create(kind=kind, subject=subject, label=label)
    if as_json:
        print_json(made)
    else:
        typer.echo(made["markdown"])


@app.command("delete")
def delete(
    badge: Annotated[str, typer.Argument(metavar="ID", help="The badge's id.")],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete a badge; its URL stops working within seconds."""
    confirm(f"Delete the badge {badge}", yes)
    with connect() as client:
        client.badges.delete(badge)
    if as_json:
        print_json({"id": badge, "deleted": True})
    else:
        say(f"Deleted the badge {badge}.")


def _subject(job: str | None, ping: str | None) -> tuple[str, str]:
    if job is not None and ping is None:
        return "job", job
    if ping is not None and job is None:
        return "ping", ping
    raise InvalidInput("", "name one job or one ping: --job NAME or --ping NAME")
