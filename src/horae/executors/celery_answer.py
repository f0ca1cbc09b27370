"""What Celery's result backend knows about a task, as an outcome. Exceptions are read as text: nothing that a result
names is imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from horae.domain.runs.outcome import SUCCEEDED, Outcome
from horae.domain.runs.remote_task import Sighting
from horae.domain.runs.states import AttemptOutcome
from horae.executors.failure import RESULT_LIMIT, TRACEBACK_LIMIT, clean, one_line

_PERMANENT = frozenset({"PermanentError", "NotRegistered"})  # Horae's own, and a name that no task has


def sighting_of(meta: Mapping[str, Any]) -> Sighting:
    state = str(meta.get("status"))[:100]
    if state == "SUCCESS":
        return Sighting(state, _succeeded(meta.get("result")))
    if state in ("FAILURE", "REVOKED"):
        kind, message = _exception(meta.get("result"))
        return Sighting(state, _revoked(message) if state == "REVOKED" else _failed(kind, message, meta))
    return Sighting(state)  # PENDING, STARTED, RETRY, or one of the app's own


def _succeeded(value: Any) -> Outcome:
    """A result that cannot be kept is left out: the work is done."""
    if value is None:
        return SUCCEEDED
    try:
        raw = orjson.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return _left_out("it is not JSON")
    if len(raw) > RESULT_LIMIT:
        return _left_out(f"it has {len(raw):,} bytes of JSON, more than {RESULT_LIMIT // 1024} KiB")
    return Outcome(AttemptOutcome.SUCCEEDED, result=raw.decode())


def _left_out(why: str) -> Outcome:
    return Outcome(AttemptOutcome.SUCCEEDED, result=orjson.dumps({"omitted": f"the result: {why}"}).decode())


def _failed(kind: str, message: str, meta: Mapping[str, Any]) -> Outcome:
    traceback = meta.get("traceback")
    text = clean(traceback).encode()[-TRACEBACK_LIMIT:].decode(errors="ignore") if isinstance(traceback, str) else None
    error = one_line(f"{kind}: {message}" if message else kind)
    return Outcome(AttemptOutcome.FAILED, error=error, traceback=text, permanent=kind in _PERMANENT)


def _revoked(message: str) -> Outcome:
    if message == "expired":
        return Outcome(AttemptOutcome.TIMED_OUT, error="no Celery worker started the task before its timeout")
    return Outcome(AttemptOutcome.FAILED, error="the task was revoked in Celery", permanent=True)


def _exception(found: Any) -> tuple[str, str]:
    """The name of its type, and its message."""
    if isinstance(found, BaseException):  # from backends that do not store JSON
        return type(found).__name__, _text(found.args)
    if isinstance(found, dict):
        return str(found.get("exc_type") or "Exception"), _text(found.get("exc_message"))
    return "Exception", _text(found)


def _text(arguments: Any) -> str:
    if isinstance(arguments, list | tuple):
        return str(arguments[0]) if len(arguments) == 1 else ", ".join(map(str, arguments))
    return "" if arguments is None else str(arguments)
