"""The line of a program's error output that most likely says why it failed."""

from __future__ import annotations

import re
from dataclasses import replace

from horae.domain.runs.outcome import Outcome
from horae.domain.text.ansi import stripped

LINE_LIMIT = 500  # characters
_LOOKED_AT = 50  # lines of one chunk of output
# In many languages stack traces follow the error, and their lines are indented; some programs print more after it.
_BESIDES = re.compile(r"\s|Node\.js v\d|\(Background on this error")


class LastWords:
    """Takes error output in chunks; keeps the last line that is not part of a stack trace, otherwise the very last."""

    __slots__ = ("_begun", "_last", "_plain")

    def __init__(self) -> None:
        self._begun = ""  # the start of an incomplete line
        self._last = self._plain = ""

    def feed(self, text: str) -> None:
        whole, newline, begun = text.rpartition("\n")
        if newline:
            self._take((self._begun + whole).rsplit("\n", _LOOKED_AT)[-_LOOKED_AT:])
            self._begun = ""
        if len(self._begun) <= LINE_LIMIT:
            self._begun += begun[: LINE_LIMIT + 1]

    @property
    def line(self) -> str | None:
        """The kept line, with `…` where it was cut."""
        self._take([self._begun])
        return self._plain or self._last or None

    def _take(self, lines: list[str]) -> None:
        last = ""
        for raw in reversed(lines):
            # A carriage return overwrites what was there; control sequences are for terminals.
            line = stripped(raw[: 4 * LINE_LIMIT].rstrip().rpartition("\r")[2])
            if not line.strip():
                continue
            last = last or _cut(line.strip())
            if not _BESIDES.match(line):
                self._plain = _cut(line)
                break
        self._last = last or self._last


def _cut(line: str) -> str:
    return line if len(line) <= LINE_LIMIT else f"{line[: LINE_LIMIT - 1]}…"


def with_last_words(outcome: Outcome, words: LastWords) -> Outcome:
    """Adds the program's own error message to an outcome that has only an exit code: `exit code 1: KeyError: 'x'`."""
    if not outcome.exit_code or outcome.error != f"exit code {outcome.exit_code}" or words.line is None:
        return outcome
    return replace(outcome, error=f"{outcome.error}: {words.line}")
