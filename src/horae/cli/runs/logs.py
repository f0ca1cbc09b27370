"""A run's output on a terminal, or wherever standard output goes."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING, Any

import typer

from horae.cli.terminal.printing import print_json, say
from horae.domain.text.ansi import coloured, complete, stripped

if TYPE_CHECKING:
    from horae.sdk.client import Client

Json = dict[str, Any]


class LogPrinter:
    """Writes chunks of output in order. A terminal keeps the colours; a file gets plain text. Streams alternate only at
    line starts."""

    def __init__(self, to: IO[str]) -> None:
        self._to = to
        self._shown = coloured if to.isatty() else stripped
        self._rest = ""
        self._stream: tuple[int, str] | None = None
        self._at_start = True
        self.wrote = False

    def write(self, piece: Json) -> None:
        stream = (piece["attempt"], piece["stream"])
        if stream != self._stream:
            self.end()
            self._stream = stream
        ready, self._rest = complete(self._rest + piece["text"])
        self._put(ready)

    def end(self) -> None:
        """Ends an incomplete line."""
        self._put(self._rest)
        self._rest = ""
        if not self._at_start:
            self._put("\n")

    def _put(self, text: str) -> None:
        if shown := self._shown(text):
            self._to.write(shown)
            self._to.flush()
            self._at_start = shown.endswith("\n")
            self.wrote = True


def print_log(pieces: Iterable[Json]) -> bool:
    """Returns whether there was any output."""
    printer = LogPrinter(sys.stdout)
    for piece in pieces:
        printer.write(piece)
    printer.end()
    return printer.wrote


def follow_log(client: Client, run_id: str, *, quiet: bool = False) -> Json:
    """Prints a run's output as it arrives (unless `quiet`), and returns the run when it has ended."""
    printer = LogPrinter(sys.stdout)
    try:
        for name, data in client.runs.follow(run_id):
            if name == "log" and not quiet:
                printer.write(data)
            elif name == "end":
                printer.end()
                return data
    except KeyboardInterrupt:
        printer.end()
        say(f"The run continues; to stop it: horae runs cancel {run_id}")
        raise
    raise AssertionError("a followed log has an end")


def tell_started(client: Client, made: Json, wait: bool, as_json: bool) -> None:
    """Prints the id of a new run; with `wait`, also its log and result, which sets the exit code."""
    if wait:
        say(f"Run {made['id']}")
        # With --json, standard output contains only the ended run.
        made = follow_log(client, made["id"], quiet=as_json)
    if as_json:
        print_json(made)
    elif wait:
        say(f"{made['status']}" + (f": {made['error']}" if made["error"] else ""))
    else:
        print(made["id"])
    if wait and made["status"] != "succeeded":
        raise typer.Exit(1)
