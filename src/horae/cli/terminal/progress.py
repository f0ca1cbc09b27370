"""Progress of long operations: a bar on a terminal, an occasional line elsewhere, nothing with JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from horae.cli.terminal.printing import say

Advance = Callable[[int], None]
_PARTS = 10  # lines if there is no bar


@contextmanager
def progress(words: str, total: int, *, quiet: bool = False) -> Iterator[Advance]:
    """Yields a function to call with the number done."""
    if quiet:
        yield lambda done: None
    elif sys.stderr.isatty():
        with _bar(words, total) as advance:
            yield advance
    else:
        yield _lines(words, total)


def _lines(words: str, total: int) -> Advance:
    shown = 0

    def advance(done: int) -> None:
        nonlocal shown
        part = done * _PARTS // max(total, 1)
        if part > shown and done < total:  # the caller reports the end
            shown = part
            say(f"{words}: {done} of {total}")

    return advance


@contextmanager
def _bar(words: str, total: int) -> Iterator[Advance]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(words, total=total)
        yield lambda done: bar.update(task, completed=done)
