"""An authenticator app at the terminal: its QR code, asking for its codes, and the second step of signing in."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from horae.cli.terminal.printing import say
from horae.domain.errors import HoraeError, InvalidInput, NotAllowed

if TYPE_CHECKING:
    from horae.sdk.answers import SecondFactorNeeded
    from horae.sdk.client import Client

T = TypeVar("T")

Code = Annotated[
    str | None,
    typer.Option(metavar="CODE", help="From your authenticator app, or a recovery code; prompted for if missing."),
]
_TRIES = 3
_QUIET = 2  # light modules around it, without which it is not recognised
_HALVES = {"00": " ", "10": "▀", "01": "▄", "11": "█"}
_DARK_ON_LIGHT, _PLAIN = "\x1b[30;107m", "\x1b[0m"


def ask_code(words: str = "Code from your authenticator app, or a recovery code") -> str:
    """From the terminal, or from a line of a pipe."""
    if sys.stdin.isatty():
        given: str = typer.prompt(words, err=True)
        return given
    line = sys.stdin.readline().strip()
    if not line:
        raise InvalidInput("--code", "is required without a terminal")
    return line


def with_code(code: str | None, send: Callable[[str], T], words: str | None = None) -> T:
    """Sends a code; on a terminal, prompts again after a mistyped one."""
    from horae.sdk.answers import NotSignedIn

    tries = _TRIES if code is None and sys.stdin.isatty() else 1
    while True:
        tries -= 1
        given = code or (ask_code(words) if words else ask_code())
        try:
            return send(given)
        except (NotSignedIn, NotAllowed) as error:
            if tries == 0 or "code" not in str(error):
                raise HoraeError(str(error)) from None  # the advice to sign in would not help
            say(f"{str(error).capitalize()}.")


def second_step(client: Client, needed: SecondFactorNeeded, code: str | None) -> dict[str, Any]:
    """Continues where a password is not enough; returns the tokens."""
    if not needed.enrol:
        return with_code(code, lambda given: client.second_factor.sign_in(needed.challenge, given))
    say("This installation requires a second factor. Set one up to sign in.")
    show(client.second_factor.enrol_at_sign_in(needed.challenge))
    words = "First code from the app"
    tokens = with_code(None, lambda given: client.second_factor.confirm_at_sign_in(needed.challenge, given), words)
    say_recovery_codes(tokens["recovery_codes"])
    return tokens


def show(enrolment: dict[str, Any]) -> None:
    """What to enter in the app."""
    if sys.stderr.isatty():
        say("Scan this QR code with an authenticator app:\n")
        sys.stderr.write(drawn(enrolment["qr"]))
        say("\nor enter this key by hand:")
    else:
        say("Enter this key in an authenticator app:")
    say(f"  {enrolment['secret']}\n  {enrolment['uri']}\n")


def drawn(rows: Sequence[str]) -> str:
    """A QR code with two modules per character, dark on light regardless of the terminal's colours."""
    width = len(rows[0]) + 2 * _QUIET
    light = ["0" * width] * _QUIET
    padded = [*light, *(f"{'0' * _QUIET}{row}{'0' * _QUIET}" for row in rows), *light]
    padded += ["0" * width] * (len(padded) % 2)
    drawing = ""
    for upper, lower in zip(padded[::2], padded[1::2], strict=True):
        line = "".join(_HALVES[a + b] for a, b in zip(upper, lower, strict=True))
        drawing += f"{_DARK_ON_LIGHT}{line}{_PLAIN}\n"
    return drawing


def say_recovery_codes(codes: Sequence[str]) -> None:
    """On standard error: they come in addition to the command's output."""
    say("Keep these recovery codes in a safe place. Each signs you in once without your phone:")
    for code in codes:
        say(f"  {code}")
