"""`/metrics`: what Prometheus reads. Counted by the database, so that any serve process tells the same;
only what was refused at the door is counted by each process."""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Mapping

from fastapi import APIRouter, Depends, Request, Response

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
    text = "".join(f"{line}\n" for line in (*_lines(found), *_refused(refused), *_by_quotas(by_quotas)))
    return Response(text, media_type="text/plain; version=0.0.4")


def _wants_json(accept: str) -> bool:
    """Whether JSON is what it accepts: whoever takes text as well, as Prometheus does, gets text."""
    kinds = {part.partition(";")[0].strip().lower() for part in accept.split(",")}
    return "application/json" in kinds and not kinds & {"text/plain", "text/*"}


def _lines(found: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    runs = {status: found["ended"][status] for status in ("succeeded", "failed", "cancelled")}
    yield from _family("horae_runs_total", "counter", "Runs that ended, by status.", "status", runs)
    retries = {"": found["ended"]["retries"]}
    yield from _family("horae_retries_total", "counter", "Attempts that were followed by another.", "", retries)
    skipped = "Occurrences that did not run, by reason."
    yield from _family("horae_occurrences_skipped_total", "counter", skipped, "reason", found["skipped"])
    live = {status: found["live"].get(status, 0) for status in ("queued", "running")}
    yield from _family("horae_runs_live", "gauge", "Runs that are queued or running.", "status", live)


def _refused(counts: Mapping[str, int]) -> Iterator[str]:
    words = "Sign-ins, keys, tokens and callbacks that this process has refused, by kind."
    yield from _family("horae_auth_failures_total", "counter", words, "kind", counts)


def _by_quotas(counts: Mapping[str, int]) -> Iterator[str]:
    words = "Requests that this process has refused because of a project's quota."
    yield from _family("horae_quota_refusals_total", "counter", words, "quota", counts)


def _family(name: str, kind: str, text: str, label: str, values: Mapping[str, int]) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"
    for value, n in sorted(values.items()):
        yield f'{name}{{{label}="{value}"}} {n}' if label else f"{name} {n}"
