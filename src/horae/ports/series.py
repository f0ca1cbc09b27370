"""Time series: read for charts, and written along with the counters."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from horae.domain.runs.series import Bucket, Sample


class Series(Protocol):
    async def sample(self, offline_after: float) -> Sample | None:
        """The current state; None if this minute has been sampled already."""
        ...

    async def record(self, sample: Sample) -> bool:
        """Adds a sample, unless its minute has one; returns whether it did."""
        ...

    async def read(
        self, project_id: str, subject: str, step: int, since: datetime, until: datetime
    ) -> list[tuple[datetime, Bucket]]:
        """The buckets of this length that begin within that range, in order. There is none if nothing happened."""
        ...

    async def prune(self, step: int, older_than: float, limit: int) -> int: ...
