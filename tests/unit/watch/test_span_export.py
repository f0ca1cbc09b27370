"""Spans that cannot be exported are dropped and counted; nothing waits for the exporter."""

from datetime import UTC, datetime
from typing import Any

import pytest
from opentelemetry.sdk.trace.export import SpanExportResult
from structlog.testing import capture_logs

from horae.watch import span_export
from horae.watch.run_tracer import Span
from horae.watch.span_export import SpanExport
from tests.waiting import until

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SPAN = Span("horae.run", "internal", "a" * 32, "b" * 16, None, NOW, NOW, {"horae.attempts": 1})


@pytest.fixture
def export(monkeypatch: pytest.MonkeyPatch) -> SpanExport:
    monkeypatch.setattr(span_export, "_QUEUE", 3)
    monkeypatch.setattr(span_export, "_BATCH", 2)
    return SpanExport({"service.name": "test"})


async def test_what_is_beyond_the_queue_is_dropped_and_counted(
    export: SpanExport, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Any] = []
    working = [False]

    def answer(batch: Any) -> SpanExportResult:
        answered = SpanExportResult.SUCCESS if working[0] else SpanExportResult.FAILURE
        sent.append(batch)  # from here on the test may go on, and let it work
        return answered

    monkeypatch.setattr(export._exporter, "export", answer)
    with capture_logs() as lines:
        for _ in range(50):
            export(SPAN)
        await until(lambda: sent and not export._spans)
        working[0] = True
        export(SPAN)
        export(SPAN)
        await until(lambda: len(lines) == 3)
        export.close()
    assert [line["event"] for line in lines] == [
        "traces: no collector",
        "traces: spans were dropped",
        "traces: the collector is back",
    ]
    assert lines[1]["count"] + len(sent[-1]) + sum(map(len, sent[:-1])) >= 50
    (first, *_) = sent[0]
    assert (first.name, first.resource.attributes["service.name"]) == ("horae.run", "test")


def test_without_opentelemetry_the_setting_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from horae.domain.errors import ConfigurationError

    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.resources", None)
    with pytest.raises(ConfigurationError, match=r"horae\[otel\]"):
        SpanExport({})
