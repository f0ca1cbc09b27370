"""`horae login`, `signup`, `logout`, `whoami`, `password`: the user's own account."""

from __future__ import annotations

import sys
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from horae import config
from horae.cli.connection import checked, connect, known_url
from horae.cli.people.authenticator import Code, second_step
from horae.cli.terminal import completing
from horae.cli.terminal.printing import AsJson, details, print_json, say
from horae.domain.errors import HoraeError, InvalidInput, NotFound
from horae.domain.loopback import is_loopback

Url = Annotated[str | None, typer.Option(help="URL of the API (HORAE_URL).")]
Username = Annotated[str | None, typer.Option(help="Prompted for if missing.")]


def register(app: typer.Typer) -> None:
    app.command("login")(login)
    app.command("signup")(signup)
    app.command("logout")(logout)
    app.command("whoami")(whoami)
    app.command("password")(password)


def login(
    url: Url = None,
    username: Username = None,
    project: Annotated[
        str | None,
        typer.Option(
            help="The project to work in, if you are a member of more than one.", autocompletion=completing.projects
        ),
    ] = None,
    code: Code = None,
    sso: Annotated[
        bool, typer.Option("--sso", help="Sign in with a browser: through single sign-on, or as in the portal.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Sign in: all later commands act as you. Prompts for the password, or reads it from a pipe; if the server does not
    accept passwords, you approve the sign-in in a browser."""
    url = checked(url) if url else known_url(config.load())
    warn_of_plain(url)
    if sso or not _takes_passwords(url, username):
        _sign_in_by_browser(url, project, as_json)
        return
    name = username or _asked("Username")
    _sign_in(url, name, ask_password(f"Password for {name} on {url}"), project, as_json, code)


def signup(
    token: Annotated[str, typer.Option(help="The server's one-time token, or an invitation's.", prompt=True)],
    url: Url = None,
    username: Username = None,
    as_json: AsJson = False,
) -> None:
    """Create an account with a token, and sign in."""
    from horae.sdk.client import Client

    url = checked(url) if url else known_url(config.load())
    warn_of_plain(url)
    name = username or _asked("Username")
    secret = ask_password("New password (12 characters or more)", twice=True)
    with Client(url, client="cli") as client:
        client.account.sign_up(name, secret, token=token)
    _sign_in(url, name, secret, None, as_json)


def logout(as_json: AsJson = False) -> None:
    """Sign out: ends the session on the server, and forgets it here."""
    from horae.cli.session import LoginFile
    from horae.sdk.client import Client

    file = LoginFile(config.login_file())
    known = file.read()
    if known is not None:
        try:
            with Client(known.url, client="cli") as client:
                client.account.sign_out(known.refresh_token)
        finally:
            file.remove()
    if as_json:
        print_json({"signed_out": known is not None})
    else:
        say("Signed out." if known is not None else "You were not signed in.")


def whoami(as_json: AsJson = False) -> None:
    """Show who you are to the server, and the projects you have access to."""
    with connect() as client:
        found = client.account.me()
    if as_json:
        print_json(found)
        return
    places = [f"{place['slug']} ({place['role']})" for place in found["projects"]]
    admin = "yes" if found["is_admin"] else "no"
    details([("who", found["actor"]), ("admin", admin), ("projects", ", ".join(places))])


def password(as_json: AsJson = False) -> None:
    """Change your password; your other sessions end."""
    old = ask_password("Present password")
    new = ask_password("New password (12 characters or more)", twice=True)
    with connect() as client:
        client.account.change_password(old, new)
    if as_json:
        print_json({"changed": True})
    else:
        say("Changed. Your other sessions have ended.")


def warn_of_plain(url: str) -> None:
    """Called before a password is prompted for."""
    parts = urlsplit(url)
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        say(f"Warning: {url} is not encrypted: anyone on the network can read your password. Use https if you can.")


def ask_password(words: str, *, twice: bool = False) -> str:
    """From the terminal without echo, or from a line of a pipe; never an argument, which others could see."""
    if sys.stdin.isatty():
        given: str = typer.prompt(words, hide_input=True, confirmation_prompt=twice, err=True)
        return given
    line = sys.stdin.readline().removesuffix("\n").removesuffix("\r")
    if not line:
        raise InvalidInput("", "no terminal to ask for the password, and nothing was piped in")
    return line


def _asked(words: str) -> str:
    if not sys.stdin.isatty():
        raise InvalidInput("--username", "is required without a terminal")
    given: str = typer.prompt(words, err=True)
    return given


def _sign_in(url: str, name: str, secret: str, project: str | None, as_json: bool, code: str | None = None) -> None:
    from horae.sdk.answers import NotSignedIn, SecondFactorNeeded
    from horae.sdk.client import Client

    with Client(url, client="cli") as client:
        try:
            tokens: dict[str, Any] = client.account.sign_in(name, secret)
        except SecondFactorNeeded as needed:
            tokens = second_step(client, needed, code)
        except NotSignedIn as error:
            raise HoraeError(str(error)) from None  # the advice to sign in would not help
    _keep(url, tokens, project, as_json)


def _takes_passwords(url: str, username: str | None) -> bool:
    from horae.sdk.client import Client

    with Client(url, client="cli") as client:
        ways = client.account.start()
    takes = bool(ways.get("password", True))  # versions before single sign-on do not say
    if takes and username is None and ways.get("sso") and sys.stdin.isatty():
        say(f"This server offers {ways['sso']}: horae login --sso")
    return takes


def _sign_in_by_browser(url: str, project: str | None, as_json: bool) -> None:
    from horae.cli.people import device
    from horae.sdk.client import Client

    with Client(url, client="cli") as client:
        tokens = device.sign_in(client, url)
    _keep(url, tokens, project, as_json)


def _keep(url: str, tokens: dict[str, Any], project: str | None, as_json: bool) -> None:
    """Stores the session, if the user has access to the chosen project."""
    from horae.cli.session import Login, LoginFile
    from horae.sdk.client import Client

    with Client(url, tokens["access_token"], client="cli") as client:
        me = client.account.me()
        name = me["user"]["username"]
        places = [place["slug"] for place in me["projects"]]
        if project is not None and project not in places and not me["is_admin"]:
            client.account.sign_out(tokens["refresh_token"])
            raise NotFound(f"you are not a member of project {project!r}; your projects: {', '.join(places) or 'none'}")
    LoginFile(config.login_file()).write(Login(url, name, project, "", "", "").renewed(tokens))
    if as_json:
        print_json({"url": url, "username": name, "project": project, "projects": places})
        return
    say(f"Signed in as {name} on {url}.")
    if project is None and len(places) > 1:
        say(f"You are a member of {', '.join(places)}: choose with `--project`, or HORAE_PROJECT.")
