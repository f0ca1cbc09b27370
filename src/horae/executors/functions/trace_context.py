"""Makes an attempt's trace context OpenTelemetry's current context, if that is installed: spans that a function starts,
and calls that it makes through instrumented libraries, then become parts of the run's trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from horae.domain.runs.trace import parse_traceparent


def join(traceparent: str) -> Any:
    """For the current task or thread; returns the token for `leave`."""
    api, place = _api(), parse_traceparent(traceparent)
    if api is None or place is None:
        return None
    context, trace = api
    flags = trace.TraceFlags(trace.TraceFlags.SAMPLED if place.sampled else trace.TraceFlags.DEFAULT)
    caller = trace.SpanContext(int(place.trace_id, 16), int(place.span_id, 16), is_remote=True, trace_flags=flags)
    return context.attach(trace.set_span_in_context(trace.NonRecordingSpan(caller)))


@contextmanager
def joined(traceparent: str | None) -> Iterator[None]:
    token = None if traceparent is None else join(traceparent)
    try:
        yield
    finally:
        if token is not None and (api := _api()) is not None:
            api[0].detach(token)


@cache
def _api() -> tuple[Any, Any] | None:
    try:
        from opentelemetry import context, trace
    except ImportError:
        return None
    return context, trace
