"""`horae keys`: API keys, made straight on the database (the first steps on a cluster need one)."""

from __future__ import annotations

from typing import Annotated

import typer

from horae import config
from horae.cli.printing import AsJson, print_json, say

app = typer.Typer(help="API keys.", no_args_is_help=True)


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(help="What the key is for.")],
    role: Annotated[str, typer.Option(help="viewer, operator, editor, owner or admin.")] = "viewer",
    as_json: AsJson = False,
) -> None:
    """Make an API key and print it. It is shown this once."""
    from horae import wiring

    made = wiring.create_key(config.load(), name=name, role=role)
    if as_json:
        print_json(made)
        return
    say(f"This is the key {name!r} ({role}). It is not shown again:")
    print(made["token"])
