"""A command's output: its log, and the lines that report progress."""

from __future__ import annotations

import re
from collections.abc import Callable

from horae.domain.runs.attempt import LogSink
from horae.executors.pipe import Pipe

_NUL = "\N{REPLACEMENT CHARACTER}"  # instead of NUL, which PostgreSQL text cannot hold
_MARK = "::progress "
_LONGEST = 1_000  # characters of a line that reports progress
_LINES = re.compile(r"^::progress [^\n]*(?:\n|\Z)", re.MULTILINE)
_PROGRESS = re.compile(r"::progress +(\d{1,3}(?:\.\d{0,20})?)(%?)(?:[ \t]+(.*?))?\s*", re.ASCII)


class ProgressLine:
    """Extracts the lines `::progress 0.4 some words` (or `40%`) from a text that arrives in chunks, and reports
    them."""

    def __init__(self, log: LogSink) -> None:
        self._log = log
        self._line_begins = True
        self._held = ""  # the start of a line that may report progress

    def pass_on(self, text: str, *, final: bool = False) -> str:
        """The text without those lines. What may become one is held back until it is complete."""
        text, self._held = self._held + text, ""
        last = text.rfind("\n") + 1
        if not final and (last or self._line_begins) and _may_tell(text[last : last + _LONGEST + 1]):
            text, self._held = text[:last], text[last:]
        begins = text.endswith("\n") if text else self._line_begins
        if _MARK in text:
            first = 0 if self._line_begins else text.find("\n") + 1 or len(text)
            text = text[:first] + _LINES.sub(self._tell, text[first:])
        self._line_begins = begins
        return text

    def _tell(self, line: re.Match[str]) -> str:
        match = _PROGRESS.fullmatch(line[0]) if len(line[0]) <= _LONGEST else None
        fraction = float(match[1]) / (100 if match[2] else 1) if match else 2.0
        if match is None or fraction > 1:
            return line[0]  # a line of another process
        self._log.progress(fraction, match[3] or None)
        return ""


def _may_tell(line: str) -> bool:
    return 0 < len(line) <= _LONGEST and (line.startswith(_MARK) or _MARK.startswith(line))


class Reader(Pipe):
    """Passes on a pipe's contents to a log."""

    def __init__(self, fd: int, stream: str, log: LogSink, on_close: Callable[[], None]) -> None:
        self._stream = stream
        self._log = log
        self._on_close = on_close
        self._progress = ProgressLine(log) if stream == "stdout" else None
        super().__init__(fd)

    def close(self) -> None:
        if not self.closed:
            self.end_text()
            super().close()
            self._on_close()

    def take(self, text: str, *, final: bool) -> None:
        if self._progress is not None:
            text = self._progress.pass_on(text, final=final)
        if text:
            self._log.write(self._stream, text.replace("\x00", _NUL))
