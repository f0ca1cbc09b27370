"""Tracing of a process, if HORAE_TRACES asks for it; nothing is loaded otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from horae import __version__
from horae.config import Settings
from horae.domain.cluster.metrics import Role
from horae.ports import Executor
from horae.store.store import SqlStore
from horae.wiring.shared import CLOCK, IDS

if TYPE_CHECKING:
    from horae.watch.run_tracer import RunTracer
    from horae.watch.span_export import SpanExport


class Tracing:
    def __init__(self, settings: Settings, role: Role, process_id: str | None = None) -> None:
        self._tracer: RunTracer | None = None
        self._export: SpanExport | None = None
        if not settings.traces:
            return
        from horae.watch.run_tracer import RunTracer
        from horae.watch.span_export import SpanExport

        who = {
            "service.name": f"horae-{role}",
            "service.version": __version__,
            "service.instance.id": process_id or IDS.new(),
        }
        self._export = SpanExport(who)
        worker_id = process_id if role == "worker" else None
        self._tracer = RunTracer(settings.traces, CLOCK, self._export, worker_id)

    def watch(self, store: SqlStore) -> None:
        if self._tracer is not None:
            store.observers = (*store.observers, self._tracer)

    def traced(self, executors: Mapping[str, Executor]) -> Mapping[str, Executor]:
        if self._tracer is None:
            return executors
        from horae.watch.run_tracer import TracedExecutor

        return {kind: TracedExecutor(executor, self._tracer) for kind, executor in executors.items()}

    def close(self) -> None:
        """Sends the rest; gives up after a moment."""
        if self._export is not None:
            self._export.close()
