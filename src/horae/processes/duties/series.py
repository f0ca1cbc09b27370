"""Series: once a minute, one scheduler of a cluster samples the current state, for the time series. The sweep adds what
ends, with the counters."""

from __future__ import annotations

from datetime import datetime

from horae.domain.runs.series import MINUTE
from horae.processes.duties.duty import Duty


class SeriesDuty(Duty):
    name = "series"

    async def step(self) -> float:
        post = self.post
        if not post.is_first:
            return post.settings.sweep
        began = await post.store.read(lambda tx: tx.now())
        sample = await post.store.read(lambda tx: tx.series.sample(post.settings.offline_after))
        if sample is not None:  # reading may take a while if much is queued, but blocks nothing in the database
            await post.store.transact(lambda tx: tx.series.record(sample))
        # From before the sample: if the minute ended meanwhile, the next one has yet to be sampled.
        return until_next(began)


def until_next(now: datetime) -> float:
    """Seconds until the next minute, by the database's clock."""
    return MINUTE - now.timestamp() % MINUTE
