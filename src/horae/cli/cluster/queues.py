"""`horae queues`: their backlog and workers; pause, resume, reserve, and choose their engine."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from horae.cli.connection import connect
from horae.cli.terminal import completing
from horae.cli.terminal.printing import AsJson, print_changed, print_items, status, table
from horae.cli.terminal.refreshing import watched
from horae.cli.terminal.suggesting import named

app = typer.Typer(help="Queues: list, pause, resume, reserve, set.", no_args_is_help=True)

_ENGINES: dict[str, Any] = {"database": "database", "celery": "celery", "settings": None}
QueueArg = Annotated[str, typer.Argument(metavar="QUEUE", help="Its name.", autocompletion=completing.queues)]


@app.command("list")
@watched
def list_queues(as_json: AsJson = False) -> None:
    """List queues by name, with their backlog and workers."""
    with connect() as client:
        found = list(client.queues.list())
    if as_json:
        print_items(found)
        return
    table(
        ("name", "status", "queued", "running", "workers", "engine", "reserved for", "paused by"),
        (
            (
                one["name"],
                status("paused" if one["paused"] else "healthy" if one["served"] else "unserved"),
                one["queued"],
                one["running"],
                one["workers"],
                one["carried_by"] if one["engine"] else f"{one['carried_by']} (settings)",
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


@app.command("set")
def change(
    queue: QueueArg,
    engine: Annotated[
        str, typer.Option("--engine", help="Which carries its runs: database, celery, or settings for HORAE_ENGINES.")
    ],
    as_json: AsJson = False,
) -> None:
    """Choose the engine that carries a queue's runs. Processes follow within seconds."""
    if engine not in _ENGINES:
        raise typer.BadParameter("must be database, celery or settings", param_hint="--engine")
    with connect() as client, named("queue", queue, client.queues.list):
        found = client.queues.set(queue, engine=_ENGINES[engine])
    by = " (by the settings)" if found["engine"] is None else ""
    print_changed(found, as_json, f"The queue {queue!r} is carried by {found['carried_by']}{by}.")


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
