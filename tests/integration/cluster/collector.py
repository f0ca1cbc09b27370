"""A collector of OpenTelemetry on this machine: takes spans as OTLP over HTTP, and keeps them decoded."""

from __future__ import annotations

import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Status


class Received(NamedTuple):
    service: str
    name: str
    trace_id: str
    span_id: str
    parent_id: str
    attributes: dict[str, Any]
    failed: bool
    start: int
    end: int
    links: list[str]  # ids of spans
    text: str  # all of it, as people read it


class Collector:
    def __init__(self) -> None:
        self.spans: list[Received] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                assert self.path == "/v1/traces", self.path
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                collector._take(ExportTraceServiceRequest.FromString(body))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _take(self, request: ExportTraceServiceRequest) -> None:
        for resource in request.resource_spans:
            service = _attributes(resource.resource.attributes)["service.name"]
            for scope in resource.scope_spans:
                for span in scope.spans:
                    self.spans.append(
                        Received(
                            service,
                            span.name,
                            span.trace_id.hex(),
                            span.span_id.hex(),
                            span.parent_span_id.hex(),
                            _attributes(span.attributes),
                            span.status.code == Status.STATUS_CODE_ERROR,
                            span.start_time_unix_nano,
                            span.end_time_unix_nano,
                            [link.span_id.hex() for link in span.links],
                            str(span),
                        )
                    )

    def of(self, run_id: str) -> list[Received]:
        """The spans of a run, in the order of their beginnings."""
        found = [span for span in self.spans if span.attributes["horae.run.id"] == run_id]
        return sorted(found, key=lambda span: span.start)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}
