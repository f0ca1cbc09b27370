"""`horae keys`: API keys. `create` also works directly on the database: setting up a cluster needs a first key."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from horae.cli.cluster.processes import on_database
from horae.cli.connection import connect, on_the_database
from horae.cli.terminal import completing
from horae.cli.terminal.asking import Yes, confirm
from horae.cli.terminal.expiry import Expires, instant_of
from horae.cli.terminal.printing import AsJson, ago, print_items, print_json, say, table
from horae.cli.terminal.refreshing import watched
from horae.cli.terminal.suggesting import named
from horae.clock import SystemClock
from horae.domain.errors import InvalidInput, NotFound
from horae.domain.people.account import title
from horae.domain.people.roles import ROLES

app = typer.Typer(help="API keys.", no_args_is_help=True)


@app.command("list")
@watched
def list_keys(
    maker: Annotated[
        str | None, typer.Option(help="Only keys created by this user.", autocompletion=completing.users)
    ] = None,
    all_projects: Annotated[bool, typer.Option("--all-projects", help="Include all projects; admins only.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the API keys of the project, newest first; the keys themselves are never shown."""
    with connect() as client:
        found = list(client.keys.list(maker=maker, all_projects=all_projects))
    if as_json:
        print_items(found)
        return
    now = SystemClock().now()
    table(
        ("id", "name", "role", "project", "prefix", "last used", "expires", "created", "created by", "maker"),
        (
            (
                key["id"],
                key["name"],
                key["role"],
                key["project"],
                key["prefix"],
                ago(key["last_used_at"], now),
                ago(key["expires_at"], now),
                ago(key["created_at"], now),
                key["created_by"],
                key["maker"],
            )
            for key in found
        ),
        "No keys. Create one: horae keys create NAME --role viewer",
        spare=("maker", "project", "created by", "created", "prefix"),
    )


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the key is for.")],
    role: Annotated[
        str, typer.Option(help="viewer, operator, editor, owner or admin.", autocompletion=completing.roles)
    ] = "viewer",
    expires: Expires = None,
    as_json: AsJson = False,
) -> None:
    """Create an API key and print it. It is shown only once. Works directly on the database if HORAE_DATABASE_URL is
    set."""
    if role not in ROLES:
        raise typer.BadParameter(f"is not a role; choose one of {', '.join(ROLES)}", param_hint="--role")
    try:
        title(name)
    except InvalidInput as error:
        raise typer.BadParameter(str(error.args[0]), param_hint="NAME") from None
    until = instant_of(expires)
    settings = on_database()
    if on_the_database(settings):
        from horae import wiring

        made: dict[str, Any] = wiring.create_key(settings, name=name, role=role, expires_at=until)
    else:
        with connect() as client:
            made = client.keys.create(name, role, expires_at=until)
    if as_json:
        print_json({"id": made["id"], "token": made["token"]})
        return
    say(f"This is the key {name!r} ({role}). It is not shown again:")
    print(made["token"])


@app.command("revoke")
def revoke(
    key: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="A key's id, or its name if no other has it.", autocompletion=completing.keys
        ),
    ],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Revoke a key: it stops working within seconds."""
    with connect() as client:
        found = [one for one in client.keys.list() if key in (one["id"], one["name"])]
        if len(found) > 1:
            raise InvalidInput("ID", f"{len(found)} keys have this name: use an id from `horae keys list`")
        chosen = found[0]["id"] if found else key
        with named("key", key, client.keys.list):
            if not found:
                raise NotFound("there is no such key")
            confirm(f"Revoke the key {key}", yes)
            client.keys.revoke(chosen)
    if as_json:
        print_json({"id": chosen, "revoked": True})
    else:
        say(f"Revoked the key {key}.")
