"""Confirmation prompts before data is lost. Without a terminal, nothing is done: scripts use `--yes`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from horae.cli.terminal.printing import say
from horae.domain.errors import InvalidInput

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def confirm(question: str, yes: bool) -> None:
    """Returns if the user confirms. `question` begins with the action: "Delete the job 'x'"."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidInput("--yes", f"is required without a terminal: {question}?")
    if not typer.confirm(f"{question}?", err=True):
        say("Nothing was changed.")
        raise typer.Exit(1)
