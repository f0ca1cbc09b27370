"""Alerts: evaluates the rules, and opens and clears alerts. One scheduler of a cluster does it; if two believe that
they are the one, each alert still opens once."""

from __future__ import annotations

from horae.domain.alerts.thresholds import Thresholds
from horae.domain.errors import StoreUnavailable
from horae.lifecycle.watching.watch import Eyes, watch, watch_processes
from horae.processes.alerting import Alerting
from horae.processes.duties.duty import Duty, Post

_EVERY = 15.0  # seconds between two evaluations, and less for thresholds below a minute
_SHARE = 20  # times as long as one took, if that is longer
_LONGEST = 60.0  # one project with very many problems must not delay the alerts of others by more


class AlertsDuty(Duty):
    name = "alerts"

    def __init__(self, post: Post) -> None:
        super().__init__(post)
        settings = post.settings
        self._eyes = Eyes(settings.thresholds, settings.offline_after, settings.shard_lease, settings.engines.choice)
        self._every = settings.evaluation or _often_enough(settings.thresholds)
        self._ready_at = post.clock.monotonic() + settings.settling
        self._alerting = Alerting(post.store, self._eyes)

    async def step(self) -> float:
        post = self.post
        if not post.is_first:
            return post.settings.sweep
        began = post.clock.monotonic()
        if began < self._ready_at:
            return self._ready_at - began
        try:
            changes = await post.store.read(watch, eyes=self._eyes, disk=post.settings.disk())
        except StoreUnavailable:
            await self._alerting.apply(await post.store.read(watch_processes, eyes=self._eyes))
            raise
        took = post.clock.monotonic() - began
        await self._alerting.apply(changes)
        return max(self._every, min(_SHARE * took, _LONGEST))


def _often_enough(thresholds: Thresholds) -> float:
    shortest = thresholds.shortest
    return _EVERY if shortest is None else min(_EVERY, max(shortest / 4, 1.0))
