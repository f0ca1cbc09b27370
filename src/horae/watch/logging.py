"""Structured logs on standard error: lines for people on a terminal, JSON for machines elsewhere."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TextIO

import structlog

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}

# Libraries that repeat at `info` what our own lines say better.
_NOISY = ("uvicorn.access", "uvicorn.error", "httpx", "httpcore", "aiosqlite", "asyncio", "alembic")


_bound: dict[str, Any] = {}  # fields of every line of this process
Reporter = Callable[[str, Mapping[str, Any]], None]
_reporters: list[Reporter] = []
_REPORTED = frozenset(("warning", "error", "exception", "critical"))


def configure(*, form: str = "auto", level: str = "info", stream: TextIO | None = None, **bound: Any) -> None:
    """Sets up logging for this process. `bound` is added to every line (such as role="worker")."""
    stream = stream or sys.stderr
    _bound.clear()
    _bound.update(bound)
    human = form == "console" or (form == "auto" and stream.isatty())
    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        _always,
        structlog.stdlib.add_log_level,
        _report,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
    ]
    if human:
        shared[-1] = structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False, key="timestamp")
        render: list[structlog.types.Processor] = [
            structlog.dev.ConsoleRenderer(colors=stream.isatty(), exception_formatter=_traceback, pad_event_to=36)
        ]
        render.insert(0, _on_one_line)
    else:
        render = [
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(default=str),
        ]
    threshold = _LEVELS[level]
    structlog.configure(
        processors=[*shared, *render],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.WriteLoggerFactory(file=stream),
        cache_logger_on_first_use=True,
    )
    _route_libraries(stream, shared, render, threshold)


def bind(**more: Any) -> None:
    """Adds fields to every line, once the process knows them."""
    _bound.update(more)


def report_errors(reporter: Reporter) -> None:
    """Calls it with the level and the fields of each of our own lines that have a traceback."""
    _reporters[:] = [reporter]


def _report(logger: Any, method: str, line: structlog.types.EventDict) -> structlog.types.EventDict:
    if _reporters and "exc_info" in line and method in _REPORTED and "_record" not in line:
        for reporter in _reporters:
            with suppress(Exception):  # the line itself must be logged
                reporter(method, line)
    return line


def _always(logger: Any, method: str, line: structlog.types.EventDict) -> structlog.types.EventDict:
    """Not context variables: those do not reach the threads of heartbeats and supervisors."""
    return {**_bound, **line}


_UNSEEN = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}
"""Control characters, which a terminal obeys: messages of exceptions may quote what somebody else wrote."""


def _on_one_line(logger: Any, method: str, line: structlog.types.EventDict) -> structlog.types.EventDict:
    """So that no message can look like a second line. Values are quoted by the renderer."""
    line["event"] = str(line["event"]).translate(_UNSEEN).replace("\n", "\\n")
    return line


def _traceback(stream: TextIO, error: Any) -> None:
    plain = io.StringIO()
    structlog.dev.plain_traceback(plain, error)
    stream.write(plain.getvalue().translate(_UNSEEN))


def _route_libraries(
    stream: TextIO,
    shared: list[structlog.types.Processor],
    render: list[structlog.types.Processor],
    threshold: int,
) -> None:
    """Log records of libraries that use the standard module get the same format."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *render],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(threshold, logging.INFO))
    for name in _NOISY:
        logging.getLogger(name).setLevel(max(threshold, logging.WARNING))
