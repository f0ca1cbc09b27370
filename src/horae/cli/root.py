"""The root command, and the options that all commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from horae import __version__
from horae.cli.terminal.printing import AsJson, print_json
from horae.domain.errors import HoraeError


class PlanFailed(Exception):
    """A dry run that failed: its exit code differs from that of "something would change"."""

    def __init__(self, error: HoraeError) -> None:
        super().__init__(str(error))
        self.error = error


def root() -> typer.Typer:
    app = typer.Typer(
        name="horae",
        help="A distributed job scheduler.",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    app.command("version")(show_version)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    pass


def show_version(as_json: AsJson = False) -> None:
    """Print the version."""
    if as_json:
        print_json({"version": __version__})
    else:
        print(__version__)
