"""`horae users`: accounts. `create` also works directly on the database, to set up a cluster; so does
`reset-second-factor`, for the last admin."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from horae.cli.cluster.processes import on_database
from horae.cli.connection import connect, on_the_database
from horae.cli.people.leaving import RevokeKeys, say_left
from horae.cli.people.login import ask_password
from horae.cli.terminal import completing
from horae.cli.terminal.asking import Yes, confirm
from horae.cli.terminal.printing import AsJson, ago, print_items, print_json, say, table
from horae.cli.terminal.refreshing import watched
from horae.cli.terminal.suggesting import named
from horae.clock import SystemClock
from horae.domain.people.account import username
from horae.domain.people.password import check_password

app = typer.Typer(help="Users, for admins.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="A user's name or id.", autocompletion=completing.users)]


@app.command("list")
@watched
def list_users(as_json: AsJson = False) -> None:
    """List users by name."""
    with connect() as client:
        found = list(client.users.list())
    if as_json:
        print_items(found)
        return
    now = SystemClock().now()
    table(
        ("name", "admin", "active", "second factor", "last login", "created", "created by"),
        (
            (
                user["username"],
                "yes" if user["is_admin"] else "",
                "yes" if user["is_active"] else "no",
                "yes" if user.get("second_factor") else "",
                ago(user["last_login_at"], now),
                ago(user["created_at"], now),
                user["created_by"],
            )
            for user in found
        ),
        "No users. Create the first one: horae users create NAME --admin",
    )


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name to sign in with.")],
    admin: Annotated[bool, typer.Option("--admin", help="An admin of the whole installation.")] = False,
    as_json: AsJson = False,
) -> None:
    """Create a user. Prompts for the password, or reads it from a pipe. Works directly on the database if
    HORAE_DATABASE_URL is set."""
    folded = username(name)
    password = check_password(ask_password(f"Password for {folded}", twice=True), folded)
    settings = on_database()
    if on_the_database(settings):
        from horae import wiring

        made: dict[str, Any] = wiring.create_user(settings, username=folded, password=password, admin=admin)
    else:
        with connect() as client:
            made = client.users.create(folded, password, is_admin=admin)
    if as_json:
        print_json(made)
    else:
        say(f"Created the {'admin' if admin else 'user'} {folded}. To sign in: horae login --username {folded}")


@app.command("promote")
def promote(name: Name, as_json: AsJson = False) -> None:
    """Make a user an admin of the installation."""
    _change(name, "is now an admin", as_json, is_admin=True)


@app.command("demote")
def demote(name: Name, revoke_keys: RevokeKeys = False, as_json: AsJson = False) -> None:
    """Remove admin from a user. Invitations they created as admin are withdrawn."""
    _change(name, "is no longer an admin", as_json, is_admin=False, revoke_keys=revoke_keys)


@app.command("activate")
def activate(name: Name, as_json: AsJson = False) -> None:
    """Let a deactivated user sign in again."""
    _change(name, "can sign in again", as_json, is_active=True)


@app.command("deactivate")
def deactivate(name: Name, revoke_keys: RevokeKeys = False, as_json: AsJson = False) -> None:
    """Deactivate a user. Their sessions end, and their open invitations are withdrawn."""
    words = "is deactivated, and their sessions have ended"
    _change(name, words, as_json, is_active=False, revoke_keys=revoke_keys)


@app.command("password")
def password(name: Name, as_json: AsJson = False) -> None:
    """Set a user's password. Prompts for it; their sessions end."""
    new = ask_password(f"New password for {name}", twice=True)
    _change(name, "has a new password, and their sessions have ended", as_json, password=new)


@app.command("reset-second-factor")
def reset_second_factor(name: Name, yes: Yes = False, as_json: AsJson = False) -> None:
    """Reset the second factor of a user who lost it. Their sessions end. Works directly on the database if
    HORAE_DATABASE_URL is set."""
    confirm(f"Reset the second factor of {name}", yes)
    settings = on_database()
    if on_the_database(settings):
        from horae import wiring

        wiring.reset_second_factor(settings, username=name.lower())
    else:
        with connect() as client, named("user", name, client.users.list, "username"):
            client.users.reset_second_factor(name)
    if as_json:
        print_json({"name": name, "second_factor": False})
    else:
        say(f"Reset. {name} can now sign in with the password alone; their sessions have ended.")


@app.command("delete")
def delete(name: Name, revoke_keys: RevokeKeys = False, yes: Yes = False, as_json: AsJson = False) -> None:
    """Delete a user with their memberships and open invitations. To keep the name from being taken, deactivate
    them instead."""
    confirm(f"Delete the user {name}", yes)
    with connect() as client, named("user", name, client.users.list, "username"):
        left = client.users.delete(name, revoke_keys=revoke_keys)
    if as_json:
        print_json({"name": name, "deleted": True, **left})
    else:
        say(f"Deleted the user {name}.")
        say_left(left)


def _change(name: str, words: str, as_json: bool, **changes: Any) -> None:
    with connect() as client, named("user", name, client.users.list, "username"):
        changed = client.users.change(name, **changes)
    if as_json:
        print_json(changed)
    else:
        say(f"{changed['username']} {words}.")
        say_left(changed)
