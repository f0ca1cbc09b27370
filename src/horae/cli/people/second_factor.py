"""`horae second-factor`: the user's own."""

from __future__ import annotations

import typer

from horae.cli.connection import connect
from horae.cli.people.authenticator import Code, say_recovery_codes, show, with_code
from horae.cli.people.login import ask_password
from horae.cli.terminal.printing import AsJson, ago, details, print_json, say
from horae.clock import SystemClock
from horae.domain.errors import Conflict

app = typer.Typer(help="Your second factor: an authenticator app in addition to the password.", no_args_is_help=True)


@app.command("status")
def status(as_json: AsJson = False) -> None:
    """Show whether your second factor is on, and how many recovery codes are left."""
    with connect() as client:
        found = client.second_factor.state()
    if as_json:
        print_json(found)
        return
    since = ago(found["enabled_at"], SystemClock().now())
    details(
        [
            ("second factor", f"on ({since})" if found["enabled"] else "off"),
            ("recovery codes", f"{found['recovery_codes_left']} left" if found["enabled"] else ""),
            ("required", "yes" if found["required"] else "no"),
        ]
    )


@app.command("enrol")
def enrol(code: Code = None, as_json: AsJson = False) -> None:
    """Turn it on, or replace the app. Shows a QR code, asks for its first code, and prints ten recovery codes."""
    with connect() as client:
        enabled = client.second_factor.state()["enabled"]
        password = ask_password("Password")
        if enabled:
            begun = with_code(code, lambda given: client.second_factor.enrol(password, code=given))
        else:
            begun = client.second_factor.enrol(password)
        show(begun)
        done = with_code(None, client.second_factor.confirm, "First code from the new app")
    if as_json:
        print_json(done)
        return
    say("Your second factor is on. Your other sessions have ended.")
    say_recovery_codes(done["recovery_codes"])


@app.command("recovery-codes")
def recovery_codes(code: Code = None, as_json: AsJson = False) -> None:
    """Create ten new recovery codes; the old ones stop working."""
    with connect() as client:
        _must_be_on(client.second_factor.state()["enabled"])
        password = ask_password("Password")
        done = with_code(code, lambda given: client.second_factor.new_recovery_codes(password, given))
    if as_json:
        print_json(done)
    else:
        say_recovery_codes(done["recovery_codes"])


@app.command("off")
def turn_off(code: Code = None, as_json: AsJson = False) -> None:
    """Turn it off: the password alone signs you in again."""
    with connect() as client:
        _must_be_on(client.second_factor.state()["enabled"])
        password = ask_password("Password")
        with_code(code, lambda given: client.second_factor.turn_off(password, given))
    if as_json:
        print_json({"enabled": False})
    else:
        say("Your second factor is off.")


def _must_be_on(enabled: bool) -> None:
    """Checked before any prompt."""
    if not enabled:
        raise Conflict("you have no second factor; turn it on with `horae second-factor enrol`")
