"""`horae keys`: API keys, made straight on the database (the first steps on a cluster need one)."""

from __future__ import annotations

from typing import Annotated

import typer

from horae.cli.printing import AsJson, print_json, say
from horae.cli.processes import on_database
from horae.domain.roles import ROLES
from horae.domain.text import label

app = typer.Typer(help="API keys.", no_args_is_help=True)


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the key is for.")],
    role: Annotated[str, typer.Option(help="viewer, operator, editor, owner or admin.")] = "viewer",
    as_json: AsJson = False,
) -> None:
    """Make an API key and print it. It is shown this once."""
    if role not in ROLES:
        raise typer.BadParameter(f"is not a role; it is one of {', '.join(ROLES)}", param_hint="--role")
    try:
        label(name)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="NAME") from None
    if not 1 <= len(name) <= 200:
        raise typer.BadParameter("must have 1 to 200 characters", param_hint="NAME")
    settings = on_database()
    from horae import wiring

    made = wiring.create_key(settings, name=name, role=role)
    if as_json:
        print_json(made)
        return
    say(f"This is the key {name!r} ({role}). It is not shown again:")
    print(made["token"])
