"""`horae drain`: a worker finishes its runs and takes no new ones."""

from __future__ import annotations

from typing import Annotated

import typer

from horae.cli.connection import connect
from horae.cli.terminal import completing
from horae.cli.terminal.printing import AsJson, print_json, say
from horae.cli.terminal.suggesting import named


def register(app: typer.Typer) -> None:
    app.command("drain")(drain)


def drain(
    worker: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="The worker's id; `horae workers` shows it.", autocompletion=completing.workers
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Let a worker end what it has, and take nothing more."""
    with connect() as client, named("worker", worker, client.workers, "id"):
        found = client.drain(worker)
    if as_json:
        print_json(found)
    else:
        say(f"Worker {found['name']} takes no new runs. It is finishing {found['busy']}.")
