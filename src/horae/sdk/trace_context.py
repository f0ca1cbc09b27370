"""The caller's trace context, if its program uses OpenTelemetry."""

from __future__ import annotations

import sys


def current_traceparent() -> str | None:
    """Of the current span. Costs a lookup if OpenTelemetry was not imported: then there is none."""
    if (trace := sys.modules.get("opentelemetry.trace")) is None:
        return None
    here = trace.get_current_span().get_span_context()
    return f"00-{here.trace_id:032x}-{here.span_id:016x}-{here.trace_flags:02x}" if here.is_valid else None
