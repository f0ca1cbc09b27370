"""The shapes of quotas in requests and answers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from horae.api.schemas.accounts import Body
from horae.domain.people.quota import MOST

Limit = Annotated[int, Field(ge=0, le=MOST)] | None


class QuotasPatch(Body):
    """What is left out stays; null takes a limit away."""

    jobs: Limit = None
    live_runs: Limit = None
    fires_per_minute: Limit = None
    log_bytes_per_day: Limit = None
    secrets: Limit = None
    api_keys: Limit = None


class QuotaView(BaseModel):
    """A null `limit` means no limit. `used` is null if it is not counted: log bytes without a limit. `refused_at` is
    when this quota last caused a rejection, to the minute."""

    limit: int | None
    used: float | None
    refused_at: datetime | None


class QuotasView(BaseModel):
    """Live runs are all runs that have not ended. Fires are those of schedules, each counted by its busiest hour. Log
    bytes are those of the current day in UTC. Expired API keys do not count."""

    jobs: QuotaView
    live_runs: QuotaView
    fires_per_minute: QuotaView
    log_bytes_per_day: QuotaView
    secrets: QuotaView
    api_keys: QuotaView
