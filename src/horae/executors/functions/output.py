"""Redirects what functions on the loop and in threads print or log to their run's log, and everything else to where it
always went.

A context variable holds the active attempt: tasks and threads that a function starts inherit it.
"""

from __future__ import annotations

import io
import logging
import sys
from contextvars import ContextVar
from typing import Any, Protocol, TextIO

from horae.domain.runs.attempt import LogSink
from horae.executors.failure import clean


class Writer(Protocol):
    """An attempt, or its stand-in in a thread."""

    @property
    def log(self) -> LogSink: ...


writer: ContextVar[Writer | None] = ContextVar("horae_writer", default=None)


def route() -> None:
    """Installs the redirection in this process."""
    if not isinstance(sys.stdout, _Routed):
        sys.stdout = _Routed(sys.stdout, "stdout")
        sys.stderr = _Routed(sys.stderr, "stderr")
        logging.getLogger().addHandler(_Handler())


class _Routed(io.TextIOBase):
    """A standard stream that finds out whose output it gets."""

    def __init__(self, usual: TextIO, stream: str) -> None:
        self._usual, self._stream = usual, stream

    def write(self, text: str) -> int:
        run = writer.get()
        if run is None:
            return self._usual.write(text)
        run.log.write(self._stream, clean(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._usual, name)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._usual.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return self._usual.errors

    def writable(self) -> bool:
        return True

    def flush(self) -> None:
        self._usual.flush()

    def fileno(self) -> int:
        return self._usual.fileno()

    def isatty(self) -> bool:
        return self._usual.isatty()


class _Handler(logging.Handler):
    """Records of a run go to its log, too."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        run = writer.get()
        if run is None:
            return
        try:
            run.log.write("stderr", clean(self.format(record) + "\n"))
        except Exception:
            self.handleError(record)
