"""Quotas of projects, through the API."""

from __future__ import annotations

from typing import Any, TypedDict

from horae.sdk.records import Quota, Quotas

__all__ = ["Limits", "Quota", "Quotas", "quotas_of"]

Json = dict[str, Any]


class Limits(TypedDict, total=False):
    """Omitted limits are unchanged; None: no limit."""

    jobs: int | None
    live_runs: int | None
    fires_per_minute: int | None
    log_bytes_per_day: int | None
    secrets: int | None
    api_keys: int | None


def quotas_of(answer: Json) -> Quotas:
    return Quotas({name: Quota(one) for name, one in answer.items()})
