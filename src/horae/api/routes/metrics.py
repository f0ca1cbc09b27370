"""`/metrics`: what Prometheus reads."""

from __future__ import annotations

import hmac

from fastapi import APIRouter, Depends, Request, Response

from horae.api.auth import AllowAdmin
from horae.api.context import Ctx
from horae.api.routes.monitoring import MonitoredJobsView, summary_json
from horae.api.views import reply
from horae.watch.exposition import exposed
from horae.watch.installation import installation

router = APIRouter(tags=["health"])


class _Reader(AllowAdmin):
    """Callers with the metrics token, if one is set, or with a key that may."""

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
    """The installation as the database counts it, and what this process does, in Prometheus' text form or as
    OpenMetrics; a few numbers as JSON for those who accept only that."""
    accept = request.headers.get("accept", "")
    if _wants_json(accept):
        return reply(summary_json(await context.store.read(lambda tx: tx.stats.summary(None))))
    settings = context.settings
    numbers = await context.store.read(
        installation, offline_after=settings.offline_after, shard_lease=settings.shard_lease
    )
    text, kind = exposed(request.app.state.meters, accept, numbers)
    return Response(text, headers={"content-type": kind})


def _wants_json(accept: str) -> bool:
    """Whether the client accepts only JSON: one that also takes text, as Prometheus does, gets text."""
    kinds = {part.partition(";")[0].strip().lower() for part in accept.split(",")}
    return "application/json" in kinds and not kinds & {"text/plain", "text/*"}
