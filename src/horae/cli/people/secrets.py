"""`horae secrets`: write-only values that jobs use."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from horae.cli.cluster.processes import on_database
from horae.cli.connection import connect
from horae.cli.terminal import completing
from horae.cli.terminal.asking import Yes, confirm
from horae.cli.terminal.printing import AsJson, ago, print_items, print_json, say, table
from horae.cli.terminal.refreshing import watched
from horae.cli.terminal.suggesting import named
from horae.clock import SystemClock
from horae.domain.errors import InvalidInput
from horae.domain.secrets.secret import check_name, check_value

app = typer.Typer(help="Secrets: write-only values that jobs use.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Letters, digits and _.", autocompletion=completing.secrets)]


@app.command("list")
@watched
def list_secrets(as_json: AsJson = False) -> None:
    """List the names of all secrets."""
    with connect() as client:
        found = list(client.secrets.list())
    if as_json:
        print_items(found)
        return
    now = SystemClock().now()
    table(
        ("name", "changed", "changed by", "created", "created by"),
        (
            (
                secret["name"],
                ago(secret["updated_at"], now),
                secret["updated_by"],
                ago(secret["created_at"], now),
                secret["created_by"],
            )
            for secret in found
        ),
        "No secrets. Create one: horae secrets set TOKEN",
    )


@app.command("set")
def set_secret(
    name: Name,
    source: Annotated[
        str | None, typer.Argument(metavar="[-]", help="- reads the value from standard input.", show_default=False)
    ] = None,
    from_file: Annotated[
        Path | None, typer.Option("--from-file", metavar="FILE", help="Read the value from a file, unchanged.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create a secret or replace its value. Prompts for the value, since others could see an argument."""
    check_name(name)
    if source not in (None, "-"):
        raise InvalidInput(
            "", "do not pass the value as an argument, where others could see it: leave it out, or use -"
        )
    value = check_value(_value(name, from_file, piped=source == "-"))
    with connect() as client:
        saved = client.secrets.set(name, value)
    if as_json:
        print_json(saved)
    else:
        say(f"Saved the secret {name}. Jobs use it as {{{{ secrets.{name} }}}}.")


@app.command("delete")
def delete(
    name: Name,
    force: Annotated[bool, typer.Option("--force", help="Even if jobs use it: their next runs will fail.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete a secret that no job uses."""
    confirm(f"Delete the secret {name}", yes)
    with connect() as client, named("secret", name, client.secrets.list):
        client.secrets.delete(name, force=force)
    if as_json:
        print_json({"name": name, "deleted": True})
    else:
        say(f"Deleted the secret {name}.")


@app.command("rotate")
def rotate(as_json: AsJson = False) -> None:
    """Re-encrypt all secrets, including those of second factors and channels and the URLs of pings and badges, with the
    current HORAE_SECRET_KEY, directly on the database."""
    settings = on_database()
    settings.need_secret_key()
    from horae import wiring

    done, cannot = wiring.rotate_secrets(settings)
    if as_json:
        print_json({"sealed": done, "cannot_open": cannot})
    else:
        say(f"Re-encrypted {done} {'secret' if done == 1 else 'secrets'} with the current key.")
        for secret in cannot:
            say(f"Left as it was, since neither key opens it: {secret}")
    if cannot:
        raise typer.Exit(1)


def _value(name: str, file: Path | None, *, piped: bool) -> str:
    if file is not None:
        if piped:
            raise InvalidInput("--from-file", "cannot be combined with -")
        try:
            return _text(file.read_bytes())
        except OSError as error:
            raise InvalidInput("--from-file", f"cannot be read: {error.strerror}") from None
    if piped:
        # `echo` and editors append a line break that is not part of the value.
        return _text(sys.stdin.buffer.read()).removesuffix("\n").removesuffix("\r")
    if not sys.stdin.isatty():
        raise InvalidInput("", "no terminal to ask for the value: use - to read it from standard input")
    value: str = typer.prompt(f"Value of {name}", hide_input=True, confirmation_prompt=True, err=True)
    return value


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise InvalidInput("value", "must be UTF-8 text; encode it first, for example with base64") from None
