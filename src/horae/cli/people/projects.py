"""`horae projects`: projects, their members, and invitation links."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Annotated

import typer

from horae.cli.connection import connect
from horae.cli.people.leaving import RevokeKeys, say_left
from horae.cli.terminal import completing
from horae.cli.terminal.asking import Yes, confirm
from horae.cli.terminal.expiry import Expires, instant_of
from horae.cli.terminal.printing import AsJson, ago, print_items, print_json, say, table
from horae.cli.terminal.refreshing import watched
from horae.cli.terminal.suggesting import named
from horae.clock import SystemClock
from horae.domain.people.roles import MEMBER_ROLES

if TYPE_CHECKING:
    from horae.sdk.client import Client

app = typer.Typer(help="Projects, their members and invitations.", no_args_is_help=True)

Project = Annotated[
    str, typer.Argument(metavar="PROJECT", help="A project's slug or id.", autocompletion=completing.projects)
]
User = Annotated[str, typer.Argument(metavar="USER", help="A user's name or id.", autocompletion=completing.users)]
Role = Annotated[str, typer.Option(help="viewer, operator, editor or owner.", autocompletion=completing.member_roles)]


@app.command("list")
@watched
def list_projects(as_json: AsJson = False) -> None:
    """List the projects you have access to."""
    with connect() as client:
        found = list(client.projects.list())
    if as_json:
        print_items(found)
        return
    now = SystemClock().now()
    rows = ((project["slug"], project["name"], ago(project["created_at"], now), project["id"]) for project in found)
    table(("slug", "name", "created", "id"), rows, "No projects: ask an owner for an invitation.")


@app.command("create")
def create(
    slug: Annotated[
        str,
        typer.Argument(
            metavar="SLUG", help="Identifies the project in URLs and programs: lowercase letters, digits, -."
        ),
    ],
    name: Annotated[str | None, typer.Option(help="What people read.")] = None,
    as_json: AsJson = False,
) -> None:
    """Create a project without members."""
    with connect() as client:
        made = client.projects.create(slug, name=name)
    if as_json:
        print_json(made)
    else:
        say(f"Created project {slug}. Add a member: horae projects add {slug} NAME --role owner")


@app.command("rename")
def rename(project: Project, name: Annotated[str, typer.Argument(metavar="NAME")], as_json: AsJson = False) -> None:
    """Change a project's name. Its slug cannot be changed."""
    with connect() as client, _project(client, project):
        changed = client.projects.rename(project, name)
    if as_json:
        print_json(changed)
    else:
        say(f"The project {changed['slug']} is now called {name}.")


@app.command("delete")
def delete(project: Project, yes: Yes = False, as_json: AsJson = False) -> None:
    """Delete an empty project, with its members, keys and invitations."""
    confirm(f"Delete the project {project}", yes)
    with connect() as client, _project(client, project):
        client.projects.delete(project)
    if as_json:
        print_json({"project": project, "deleted": True})
    else:
        say(f"Deleted the project {project}.")


@app.command("members")
@watched
def members(project: Project, as_json: AsJson = False) -> None:
    """List members and their roles."""
    with connect() as client, _project(client, project):
        found = list(client.projects.members(project))
    if as_json:
        print_items(found)
        return
    now = SystemClock().now()
    table(
        ("name", "role", "active", "since", "by"),
        (
            (
                one["username"],
                one["role"],
                "yes" if one["is_active"] else "no",
                ago(one["created_at"], now),
                one["created_by"],
            )
            for one in found
        ),
        "No members.",
    )


@app.command("add")
def add(
    project: Project,
    user: User,
    role: Role = "viewer",
    revoke_keys: RevokeKeys = False,
    as_json: AsJson = False,
) -> None:
    """Add a user to a project, or change their role."""
    _check(role)
    with connect() as client, _project(client, project), named("user", user, client.users.list, "username"):
        member = client.projects.set_member(project, user, role, revoke_keys=revoke_keys)
    if as_json:
        print_json(member)
    else:
        say(f"{member['username']} is now {role} of {project}.")
        say_left(member)


@app.command("remove")
def remove(
    project: Project, user: User, revoke_keys: RevokeKeys = False, yes: Yes = False, as_json: AsJson = False
) -> None:
    """Remove a member. Open invitations they created for the project are withdrawn."""
    confirm(f"Remove {user} from {project}", yes)
    with connect() as client, _project(client, project), named("user", user, client.users.list, "username"):
        left = client.projects.remove_member(project, user, revoke_keys=revoke_keys)
    if as_json:
        print_json({"project": project, "user": user, "removed": True, **left})
    else:
        say(f"{user} is no longer a member of {project}.")
        say_left(left)


@app.command("invite")
def invite(
    project: Project,
    role: Role = "viewer",
    note: Annotated[str | None, typer.Option(help="A note on who it is for.")] = None,
    expires: Expires = None,
    as_json: AsJson = False,
) -> None:
    """Create an invitation and print its token, which is not shown again. It can be used once, within a week."""
    _check(role)
    with connect() as client:
        with _project(client, project):
            made = client.projects.invite(project, role, note=note, expires_at=instant_of(expires))
        url = client.url
    if as_json:
        print_json(made)
        return
    say(f"This token adds one user to {project} as {role}: horae signup --url {url} --token TOKEN")
    print(made["token"])


@app.command("invitations")
@watched
def invitations(project: Project, as_json: AsJson = False) -> None:
    """List the invitations of a project, newest first."""
    with connect() as client, _project(client, project):
        found = list(client.projects.invitations(project))
    if as_json:
        print_items(found)
        return
    now = SystemClock().now()
    table(
        ("id", "role", "note", "by", "expires", "accepted", "accepted by"),
        (
            (
                one["id"],
                one["role"],
                one["note"],
                one["created_by"],
                ago(one["expires_at"], now),
                ago(one["accepted_at"], now),
                one["accepted_by"],
            )
            for one in found
        ),
        f"No invitations. Create one: horae projects invite {project}",
    )


@app.command("uninvite")
def uninvite(
    project: Project,
    invitation: Annotated[str, typer.Argument(metavar="ID", help="An invitation's id.")],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Revoke an open invitation."""
    confirm(f"Revoke the invitation {invitation}", yes)
    with connect() as client:
        client.projects.revoke_invitation(project, invitation)
    if as_json:
        print_json({"id": invitation, "revoked": True})
    else:
        say("Revoked.")


@app.command("join")
def join(
    token: Annotated[str, typer.Argument(metavar="TOKEN", help="The token of an invitation.")],
    as_json: AsJson = False,
) -> None:
    """Accept an invitation with the account you are signed in as."""
    with connect() as client:
        joined = client.account.join(token)
    if as_json:
        print_json(joined)
    else:
        say(f"You are now a member of {joined['slug']}.")


def _project(client: Client, slug: str) -> AbstractContextManager[None]:
    return named("project", slug, client.projects.list, "slug")


def _check(role: str) -> None:
    if role not in MEMBER_ROLES:
        raise typer.BadParameter(f"is not a role; choose one of {', '.join(MEMBER_ROLES)}", param_hint="--role")
