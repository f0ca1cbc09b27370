"""The log buffer: collects the output of attempts until the reporter writes it, in order, and never more than the
limit."""

from __future__ import annotations

from collections.abc import Callable

import orjson

from horae.domain.runs.claim import Claimed
from horae.domain.runs.last_words import LastWords
from horae.domain.runs.log import LogLines, Progress
from horae.domain.text.checks import storable
from horae.ports import Clock

_LONGEST_NOTE = 500  # characters
_USED_UP = "output cut: the project's quota log_bytes_per_day is used up for today\n"
_CHUNK = 64 * 1024  # a row's text; longer output goes into several rows


class AttemptLog:
    """The sink of one attempt (the LogSink of domain/runs/attempt.py)."""

    def __init__(self, book: LogBook, run: Claimed) -> None:
        self._book, self._run = book, run
        self._seq = 0
        self._left = book.limit
        self._stream: str | None = None
        self._parts: list[str] = []
        self._size = 0
        self.last_words = LastWords()

    @property
    def full(self) -> bool:
        """Whether no more is kept."""
        return self._left <= 0

    def write(self, stream: str, text: str) -> None:
        if stream == "stderr":  # even if it is not kept: the reason of a failure comes last
            self.last_words.feed(text)
        if self.full or not text:
            return
        if len(text) > self._left:
            text = text[: self._left]
            self._left = 0
        else:
            self._left -= len(text)
        kept = self._book.keep(self._run.project_id, text)
        if kept:
            self._add(stream, kept)
        if len(kept) < len(text):
            self._left = 0
            self._add("system", _USED_UP)
        elif self._left <= 0:
            self._add("system", f"output cut at {self._book.limit_words}\n")

    def _add(self, stream: str, text: str) -> None:
        if not self._book.pending:
            self._book.on_pending()
        if stream != self._stream or self._size + len(text) > _CHUNK:
            self.flush()
        self._stream = stream
        for start in range(0, len(text), _CHUNK):
            self._parts.append(text[start : start + _CHUNK])
            self._size += len(self._parts[-1])
            if self._size >= _CHUNK:
                self.flush()
                self._stream = stream
        self._book.open[self] = None

    def progress(self, fraction: float, note: str | None) -> None:
        if not self._book.pending:
            self._book.on_pending()
        fraction = min(max(fraction, 0.0), 1.0) if fraction == fraction else 0.0
        report = {"fraction": round(fraction, 4), "note": storable(note and note[:_LONGEST_NOTE])}
        self._book.progress[self._run.id, self._run.token] = orjson.dumps(report).decode()

    def flush(self) -> None:
        """Turns the buffer into a row."""
        if self._parts and self._stream is not None:
            self._seq += 1
            self._book.rows.append(
                LogLines(
                    self._run.id,
                    self._run.token,
                    self._run.attempt,
                    self._seq,
                    self._book.clock.now(),
                    self._stream,
                    storable("".join(self._parts)) or "",
                )
            )
            self._parts, self._size = [], 0


class LogBook:
    """Everything that is not written yet."""

    def __init__(self, clock: Clock, limit: int) -> None:
        self.clock = clock
        self.limit = limit
        self.limit_words = f"{limit / 2**20:g} MiB" if limit >= 2**20 else f"{limit} bytes"
        self.keep: Callable[[str, str], str] = lambda _, text: text  # how much of a project's text its quota allows
        self.on_pending: Callable[[], None] = lambda: None  # called when there is something to write again
        self.open: dict[AttemptLog, None] = {}  # in order: a simulation replays it
        self.rows: list[LogLines] = []
        self.progress: dict[tuple[str, str], str] = {}  # progress, by run and token

    def sink(self, run: Claimed) -> AttemptLog:
        return AttemptLog(self, run)

    @property
    def pending(self) -> bool:
        return bool(self.open or self.rows or self.progress)

    def take(self) -> list[LogLines]:
        """Everything printed so far, in order."""
        for sink in self.open:
            sink.flush()
        self.open.clear()
        rows, self.rows = self.rows, []
        return rows

    def take_progress(self) -> list[Progress]:
        progress, self.progress = self.progress, {}
        return [Progress(run_id, token, value) for (run_id, token), value in progress.items()]
