"""Reports errors of Horae's own code to Sentry: every log line that has a traceback. Errors of jobs are outcomes of
their attempts and never sent.

An event has the line's message, the types of the exceptions, the code locations, and ids. It has no exception messages,
local variables, source lines, headers or bodies: any of them may quote data of a job or a request. The log has the
messages, under the same request id."""

from __future__ import annotations

import atexit
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import horae
from horae.domain.errors import ConfigurationError

_MOST, _WINDOW = 30, 60.0  # events, and the seconds in which that many are allowed
_GOODBYE = 2.0  # seconds to send the rest when the process stops
_TAGS = ("role", "worker", "scheduler", "loop", "request_id", "trace_id", "method")
_CHAIN = 5  # chained exceptions
_FRAMES = 50
_HERE = str(Path(horae.__file__).parent)


class SentryReporter:
    def __init__(self, dsn: str, release: str) -> None:
        try:
            from sentry_sdk import Client
            from sentry_sdk.utils import BadDsn
        except ImportError:
            raise ConfigurationError("HORAE_SENTRY_DSN needs Sentry's SDK: pip install 'horae[sentry]'") from None
        try:
            # A separate client, not `init`: nothing is patched, and users' functions may use Sentry themselves.
            self._client = Client(
                dsn=dsn,
                release=f"horae@{release}",
                default_integrations=False,
                auto_enabling_integrations=False,
                send_default_pii=False,
                include_local_variables=False,
                include_source_context=False,
                max_breadcrumbs=0,
                shutdown_timeout=_GOODBYE,
            )
        except BadDsn:
            raise ConfigurationError("HORAE_SENTRY_DSN is not a DSN as Sentry shows it") from None
        self._allowed = ReportAllowance(_MOST, _WINDOW, time.monotonic)
        atexit.register(self._client.close)

    def __call__(self, level: str, line: Mapping[str, Any]) -> None:
        error = _error(line.get("exc_info"))
        if error is not None and _is_ours(error.__traceback__) and self._allowed():
            self._client.capture_event(event_of(level, line, error))


class ReportAllowance:
    def __init__(self, most: int, window: float, monotonic: Callable[[], float]) -> None:
        self._most, self._window, self._monotonic = most, window, monotonic
        self._left, self._until = most, 0.0

    def __call__(self) -> bool:
        if (now := self._monotonic()) >= self._until:
            self._left, self._until = self._most, now + self._window
        self._left -= 1
        return self._left >= 0


def event_of(level: str, line: Mapping[str, Any], error: BaseException) -> Any:
    return {
        "level": "error" if level == "exception" else level,
        "logger": "horae",
        "logentry": {"message": str(line["event"])},
        "tags": {name: str(line[name]) for name in _TAGS if line.get(name) is not None},
        "exception": {"values": [_exception(one) for one in reversed(list(_chain(error)))]},
    }


def _error(given: Any) -> BaseException | None:
    """From what a line may contain: an exception, True for the current one, or the tuple of `sys.exc_info`."""
    if isinstance(given, BaseException):
        return given
    return given[1] if isinstance(given, tuple) else sys.exc_info()[1] if given else None


def _is_ours(trace: TracebackType | None) -> bool:
    """Whether Horae's own code caught it. Users' functions may log through the same library."""
    return trace is not None and trace.tb_frame.f_code.co_filename.startswith(_HERE)


def _chain(error: BaseException) -> Iterator[BaseException]:
    found: BaseException | None = error
    for _ in range(_CHAIN):
        if found is None:
            return
        yield found
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)


def _exception(error: BaseException) -> dict[str, Any]:
    frames = [
        {
            "module": frame.f_globals.get("__name__", ""),
            "filename": Path(frame.f_code.co_filename).name,
            "function": frame.f_code.co_name,
            "lineno": line,
            "in_app": frame.f_code.co_filename.startswith(_HERE),
        }
        for frame, line in list(traceback.walk_tb(error.__traceback__))[-_FRAMES:]
    ]
    kind = type(error)
    return {"type": kind.__qualname__, "module": kind.__module__, "value": "", "stacktrace": {"frames": frames}}
