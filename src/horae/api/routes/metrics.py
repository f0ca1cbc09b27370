"""`/metrics`: what Prometheus reads. Counted by the database, so that any serve process tells the same;
only what was refused at the door is counted by each process."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping

from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, Metric, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from horae.api.auth import AllowAdmin
from horae.api.context import Ctx
from horae.api.routes.monitoring import MonitoredJobsView, summary_json
from horae.api.views import reply

router = APIRouter(tags=["health"])


class _Reader(AllowAdmin):
    """Whoever has the metrics token, where one is set, or a key that may."""

    async def __call__(self, request: Request) -> None:  # type: ignore[override]
        token = request.app.state.context.settings.metrics_token
        given = request.headers.get("authorization", "").encode()
        if token is None or not hmac.compare_digest(given, f"Bearer {token}".encode()):
            await super().__call__(request)


@router.get(
    "/metrics",
    dependencies=[Depends(_Reader("metrics:read"))],
    response_model=MonitoredJobsView,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(request: Request, context: Ctx) -> Response:
    """Runs by status and skipped occurrences by reason, in Prometheus' text form; a few numbers as JSON for those who
    accept only that."""
    if _wants_json(request.headers.get("accept", "")):
        return reply(summary_json(await context.store.read(lambda tx: tx.stats.summary(None))))
    found = await context.store.read(lambda tx: tx.stats.overall())
    refused = request.app.state.gate.refusals.counts
    by_quotas = request.app.state.quota_refusals.counts
    return Response(
        generate_latest(_exposed(found, refused, by_quotas)), headers={"content-type": CONTENT_TYPE_PLAIN_0_0_4}
    )


def _wants_json(accept: str) -> bool:
    """Whether JSON is what it accepts: whoever takes text as well, as Prometheus does, gets text."""
    kinds = {part.partition(";")[0].strip().lower() for part in accept.split(",")}
    return "application/json" in kinds and not kinds & {"text/plain", "text/*"}


class _Families(Collector):
    def __init__(self, *families: Metric) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def _exposed(
    found: Mapping[str, Mapping[str, int]], refused: Mapping[str, int], by_quotas: Mapping[str, int]
) -> Collector:
    runs = {status: found["ended"][status] for status in ("succeeded", "failed", "cancelled")}
    live = {status: found["live"].get(status, 0) for status in ("queued", "running")}
    retries = "Attempts that were followed by another."
    failures = "Sign-ins, keys, tokens and callbacks that this process has refused, by kind."
    refusals = "Requests that this process has refused because of a project's quota."
    return _Families(
        _counter("horae_runs", "Runs that ended, by status.", "status", runs),
        CounterMetricFamily("horae_retries", retries, found["ended"]["retries"]),
        _counter("horae_occurrences_skipped", "Occurrences that did not run, by reason.", "reason", found["skipped"]),
        _filled(GaugeMetricFamily("horae_runs_live", "Runs that are queued or running.", labels=("status",)), live),
        _counter("horae_auth_failures", failures, "kind", refused),
        _counter("horae_quota_refusals", refusals, "quota", by_quotas),
    )


def _counter(name: str, text: str, label: str, values: Mapping[str, int]) -> Metric:
    return _filled(CounterMetricFamily(name, text, labels=(label,)), values)


def _filled(family: CounterMetricFamily | GaugeMetricFamily, values: Mapping[str, int]) -> Metric:
    for value, n in sorted(values.items()):
        family.add_metric((value,), n)
    return family
