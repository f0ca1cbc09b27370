"""Time series: what is read for charts, and what is added beside the counters."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from horae.domain.runs.series import Bucket, Sample


class Series(Protocol):
    async def sample(self, offline_after: float) -> Sample | None:
        """How things stand; None if this minute has been sampled."""
        ...

    async def record(self, sample: Sample) -> bool:
        """Adds a sample, unless its minute has one; whether it did."""
        ...

    async def read(
        self, project_id: str, subject: str, step: int, since: datetime, until: datetime
    ) -> list[tuple[datetime, Bucket]]:
        """The buckets of this length that begin within that time, in order. There is none where nothing happened."""
        ...

    async def prune(self, step: int, older_than: float, limit: int) -> int: ...
