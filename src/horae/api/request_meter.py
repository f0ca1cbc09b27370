"""Request metrics of an API process: requests by route, and refusals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.types import Scope

from horae.domain.cluster import metrics
from horae.domain.cluster.meters import Labels, Meters

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def install(app: Starlette) -> Meters:
    meters: Meters = Meters()
    app.state.meters = meters
    state: Any = app.state
    meters.gauge(metrics.AUTH_FAILURES, lambda: _by_label(state.authenticator.refusals.counts))
    meters.gauge(metrics.QUOTA_REFUSALS, lambda: _by_label(state.quota_refusals.counts))
    return meters


def count(meters: Meters, scope: Scope, status: int, seconds: float) -> None:
    """By the declared route, never by the actual path, which may be anything."""
    method = scope["method"] if scope["method"] in _METHODS else "(other)"
    route = getattr(scope.get("route"), "path", "(none)")
    meters.add(metrics.REQUESTS, method, route, str(status))
    meters.observe(metrics.REQUEST_SECONDS, seconds, method, route)


def _by_label(counts: Mapping[str, int]) -> Mapping[Labels, float]:
    return {(name,): float(n) for name, n in counts.items()}
