"""Output of commands: tables for people, JSON for programs, and nothing else on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.terminal.layout import GAP, fit
from horae.domain.time.durations import two_largest

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Json = dict[str, Any]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

_COLOURS = {
    "up": "green", "success": "green", "down": "red", "fail": "red", "late": "yellow", "overrun": "red",
    "started": "cyan", "start": "cyan",
    "succeeded": "green", "idle": "green", "scheduled": "green", "healthy": "green", "done": "green",
    "active": "green", "standby": "cyan",
    "running": "cyan", "busy": "cyan",
    "queued": "yellow", "paused": "yellow", "draining": "yellow", "held": "yellow",
    "failed": "red", "timed_out": "red", "lost": "red", "offline": "red", "failing": "red",
    "unreadable": "red", "stranded": "red",
    "cancelled": "magenta", "interrupted": "magenta",
    "skipped": "bright_black", "disabled": "bright_black", "stopped": "bright_black", "finished": "bright_black",
}  # fmt: skip
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "m"), (1, "s"))


def print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def print_items(items: Sequence[Any]) -> None:
    """A whole list, in the form of the API's pages."""
    print_json({"items": items, "next_cursor": None})


def say(message: str) -> None:
    """A line for people, on standard error: standard output contains only the requested data."""
    sys.stderr.write(message + "\n")


def print_changed(found: Any, as_json: bool, message: str) -> None:
    """The result of a change: as JSON, or as a line."""
    if as_json:
        print_json(found)
    else:
        say(message)


def console() -> Console:
    from rich.console import Console

    # Without a terminal, lines are never cut: truncated ids are useless.
    return Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else 10_000)


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], empty: str, spare: Sequence[str] = ()) -> None:
    """A table, or the line `empty` if there is nothing to show. If a terminal is too narrow for all columns, those of
    `spare` are left out first; other outputs get everything."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    cells = [[_one_line(plain(cell)) for cell in row] for row in rows]
    if not cells:
        say(empty)
        return
    screen = console()
    natural = [max(row[place].cell_len for row in cells) for place in range(len(columns))]
    shown = fit(columns, natural, screen.width, spare)
    made = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for place, width in shown.items():
        made.add_column(columns[place], no_wrap=True, width=width, overflow="ellipsis")
    for row in cells:
        made.add_row(*(row[place] for place in shown))
    screen.width = max(screen.width, sum(shown.values()) + GAP * len(shown))
    with screen.capture() as text:  # the last column is as wide as its widest cell: no trailing spaces
        screen.print(made)
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in text.get().splitlines()))
    if left_out := [name for place, name in enumerate(columns) if place not in shown and natural[place]]:
        say(f"(terminal too narrow for {', '.join(left_out)}; --json shows all)")


def _one_line(cell: Text) -> Text:
    from rich.text import Text

    return Text(cell.plain.strip().replace("\n", " ⏎ "), style=cell.style) if "\n" in cell.plain else cell


def details(pairs: Iterable[tuple[str, Any]]) -> None:
    """One object, a line per field; fields without a value are left out. Values of several lines are indented below the
    first."""
    from rich.text import Text

    shown = [(name, plain(value)) for name, value in pairs if value not in (None, "", [], {})]
    width = max((len(name) for name, _ in shown), default=0)
    screen = console()
    for name, value in shown:
        for number, line in enumerate(value.split("\n")):
            whole = Text.assemble((("" if number else name).ljust(width), "bold"), "  ", line)
            whole.rstrip()
            screen.print(whole, soft_wrap=True)


def plain(value: Any) -> Text:
    """A cell. Text from jobs is never interpreted as markup, and cannot move the cursor."""
    from rich.text import Text

    if isinstance(value, Text):
        return value
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False)
    text = "" if value is None else str(value)
    return Text("".join(c if c.isprintable() or c == "\n" else "�" for c in text))


def status(word: str | None) -> Text:
    from rich.text import Text

    return Text(word or "", style=_COLOURS.get(word or "", ""))


def ago(at: str | None, now: datetime) -> Text:
    """`3m ago`, `in 2h`: the distance of an instant from now."""
    from rich.text import Text

    if at is None:
        return Text("–", style="bright_black")
    seconds = (datetime.fromisoformat(at) - now).total_seconds()
    words = span(abs(seconds))
    return Text(f"in {words}" if seconds > 0 else f"{words} ago" if words != "0s" else "now")


def span(seconds: float) -> str:
    """The two largest units: `1d 3h`, `2m 5s`."""
    return two_largest(seconds, _UNITS) or "0s"


def took(milliseconds: int | None) -> str:
    if milliseconds is None:
        return ""
    if milliseconds < 1_000:
        return f"{milliseconds} ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1_000:.1f} s"
    return span(milliseconds / 1_000)
