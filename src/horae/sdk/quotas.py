"""What projects may have at most, through the API."""

from __future__ import annotations

from typing import Any, TypedDict

from horae.sdk.record import Record

Json = dict[str, Any]


class Limits(TypedDict, total=False):
    """What is left out stays; None: no limit."""

    jobs: int | None
    live_runs: int | None
    fires_per_minute: int | None
    log_bytes_per_day: int | None
    secrets: int | None
    api_keys: int | None


class Quota(Record):
    """Without a `limit` there is none; `used` is None where nobody counts it."""

    __slots__ = ()

    limit: int | None
    used: float | None
    refused_at: str | None


class Quotas(Record):
    """One of each: `quotas.live_runs.limit`."""

    __slots__ = ()

    jobs: Quota
    live_runs: Quota
    fires_per_minute: Quota
    log_bytes_per_day: Quota
    secrets: Quota
    api_keys: Quota


def quotas_of(answer: Json) -> Quotas:
    return Quotas({name: Quota(one) for name, one in answer.items()})
