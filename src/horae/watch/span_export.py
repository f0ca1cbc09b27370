"""Sends spans to an OpenTelemetry collector (OTLP over HTTP, configured by the standard OTEL_* variables), from a
dedicated thread. The queue is bounded: spans that an unreachable or slow collector cannot accept are dropped and
counted, and nothing ever waits for it. Not the SDK's own batch processor, which logs a line for each span that it
drops, and may block for half a minute when the process stops."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import structlog

from horae.domain.errors import ConfigurationError
from horae.watch.run_tracer import Span

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

log = structlog.get_logger()

_QUEUE = 8_192  # spans
_BATCH = 512
_LINGER = 1.0  # seconds that spans wait for others
_SAY_EVERY = 60.0  # seconds between two log lines about dropped spans
_GOODBYE = 2.0  # seconds to send the rest when the process stops


class SpanExport:
    """`resource` identifies the process; the standard variables may add to it or override it."""

    def __init__(self, resource: Mapping[str, str]) -> None:
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import OTELResourceDetector, Resource
        except ImportError:
            raise ConfigurationError("HORAE_TRACES needs OpenTelemetry: pip install 'horae[otel]'") from None
        self._resource = Resource(resource).merge(OTELResourceDetector().detect())
        # Its own lines repeat for each batch what `_say` logs once.
        logging.getLogger("opentelemetry.exporter").setLevel(logging.CRITICAL)
        self._exporter = OTLPSpanExporter()
        self._spans: deque[Span] = deque()
        self._wake = threading.Event()
        self._closing = self._failing = False
        self._dropped, self._say_at = 0, 0.0
        self._thread = threading.Thread(target=self._serve, name="horae-traces", daemon=True)
        self._thread.start()

    def __call__(self, span: Span) -> None:
        if len(self._spans) >= _QUEUE:
            self._dropped += 1
            return
        self._spans.append(span)
        if len(self._spans) >= _BATCH:
            self._wake.set()

    def close(self) -> None:
        self._closing = True
        self._wake.set()
        self._thread.join(_GOODBYE)
        self._exporter.shutdown()

    def _serve(self) -> None:
        while not self._closing:
            self._wake.wait(_LINGER)
            self._wake.clear()
            while self._spans:
                self._send([self._spans.popleft() for _ in range(min(len(self._spans), _BATCH))])

    def _send(self, batch: list[Span]) -> None:
        from opentelemetry.sdk.trace.export import SpanExportResult

        try:
            good = self._exporter.export([self._readable(span) for span in batch]) is SpanExportResult.SUCCESS
        except Exception:
            good = False
        if not good:
            self._dropped += len(batch)
        if good and self._dropped and time.monotonic() >= self._say_at:
            log.warning("traces: spans were dropped", count=self._dropped)
            self._dropped, self._say_at = 0, time.monotonic() + _SAY_EVERY
        if good == self._failing:
            self._failing = not good
            (log.info if good else log.warning)("traces: the collector is back" if good else "traces: no collector")

    def _readable(self, span: Span) -> ReadableSpan:
        from opentelemetry import trace
        from opentelemetry.sdk.trace import ReadableSpan
        from opentelemetry.sdk.util.instrumentation import InstrumentationScope

        def place(span_id: str) -> Any:
            flags = trace.TraceFlags(trace.TraceFlags.SAMPLED)
            return trace.SpanContext(int(span.trace_id, 16), int(span_id, 16), is_remote=False, trace_flags=flags)

        good = span.error is None
        return ReadableSpan(
            span.name,
            place(span.span_id),
            None if span.parent_id is None else place(span.parent_id),
            self._resource,
            dict(span.attributes),
            links=() if span.link_id is None else (trace.Link(place(span.link_id)),),
            kind=trace.SpanKind[span.kind.upper()],
            status=trace.Status(trace.StatusCode.UNSET) if good else trace.Status(trace.StatusCode.ERROR, span.error),
            start_time=_nanoseconds(span.start),
            end_time=_nanoseconds(span.end),
            instrumentation_scope=InstrumentationScope("horae"),
        )


def _nanoseconds(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000) * 1_000
