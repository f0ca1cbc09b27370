"""`horae queues`: their backlog and workers; pause, resume and reserve."""

from __future__ import annotations

from typing import Annotated

import typer

from horae.cli import completing
from horae.cli.connection import connect
from horae.cli.printing import AsJson, print_changed, print_json, status, table
from horae.cli.suggesting import named
from horae.cli.watching import watched

app = typer.Typer(help="Queues: list, pause, resume, reserve.", no_args_is_help=True)

QueueArg = Annotated[str, typer.Argument(metavar="QUEUE", help="Its name.", autocompletion=completing.queues)]


@app.command("list")
@watched
def list_queues(as_json: AsJson = False) -> None:
    """List queues by name, with their backlog and workers."""
    with connect() as client:
        found = list(client.queues.list())
    if as_json:
        print_json({"items": found, "next_cursor": None})
        return
    table(
        ("name", "status", "queued", "running", "workers", "reserved for", "paused by"),
        (
            (
                one["name"],
                status("paused" if one["paused"] else "healthy" if one["served"] else "unserved"),
                one["queued"],
                one["running"],
                one["workers"],
                ", ".join(one["projects"]) or ("others" if one["reserved"] else None),
                one["paused_by"],
            )
            for one in found
        ),
        "No queues.",
    )


@app.command("pause")
def pause(queue: QueueArg, as_json: AsJson = False) -> None:
    """Pause a queue for all projects: no more of its runs start. Running ones continue."""
    with connect() as client, named("queue", queue, client.queues.list):
        found = client.queues.pause(queue)
    print_changed(found, as_json, f"Paused the queue {queue!r}.")


@app.command("resume")
def resume(queue: QueueArg, as_json: AsJson = False) -> None:
    """Resume a paused queue."""
    with connect() as client, named("queue", queue, client.queues.list):
        found = client.queues.resume(queue)
    print_changed(found, as_json, f"Resumed the queue {queue!r}.")


@app.command("reserve")
def reserve(
    queue: Annotated[str, typer.Argument(metavar="QUEUE", help="Its name; it need not exist yet.")],
    projects: Annotated[str | None, typer.Option("--for", help="The projects, by their slugs: a,b.")] = None,
    everybody: Annotated[bool, typer.Option("--for-all", help="Open it to all projects again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Reserve a queue for the jobs of some projects. Workers started with `--projects` serve such queues."""
    slugs = [slug.strip() for slug in (projects or "").split(",") if slug.strip()]
    if everybody == bool(slugs):
        raise typer.BadParameter("give --for a,b or --for-all", param_hint="--for")
    with connect() as client:
        found = client.queues.reserve(queue, slugs)
    who = f"is reserved for {', '.join(found['projects'])}" if slugs else "is open to all projects"
    print_changed(found, as_json, f"The queue {queue!r} {who}.")
