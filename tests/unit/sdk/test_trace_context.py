"""The SDK joins the trace of the program that uses it."""

import subprocess
import sys
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from horae.domain.runs.trace import parse_traceparent
from horae.sdk.calls import Request, keyed
from horae.sdk.trace_context import current_traceparent
from horae.sdk.transport import Transport

TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def headers(request: Request[Any]) -> dict[str, str]:
    made: dict[str, str] = Transport("http://127.0.0.1:1", None, 1, "test", 0).arguments(request)["headers"]
    return made


def test_the_current_span_goes_along() -> None:
    post: Request[Any] = Request("POST", "jobs/x/run", {})
    assert "traceparent" not in headers(post)
    with TracerProvider().get_tracer("test").start_as_current_span("a caller") as span:
        here = span.get_span_context()
        sent = parse_traceparent(headers(post)["traceparent"])
        assert sent == (trace.format_trace_id(here.trace_id), trace.format_span_id(here.span_id), True)
        assert "traceparent" not in headers(Request("GET", "jobs"))
        explicit: Request[Any] = Request("POST", "jobs/x/run", {}, headers=keyed(None, TRACEPARENT))
        assert headers(explicit)["traceparent"] == TRACEPARENT
    assert current_traceparent() is None


def test_neither_the_sdk_nor_a_process_that_does_not_trace_loads_opentelemetry() -> None:
    code = (
        "import sys, horae, horae.sdk.client, horae.wiring.working, horae.wiring.serving, horae.executors.python\n"
        "from horae.sdk.trace_context import current_traceparent\n"
        "assert current_traceparent() is None\n"
        "sys.exit(any(name.startswith('opentelemetry') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
