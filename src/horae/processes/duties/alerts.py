"""Alerts: evaluates the rules, and opens and clears alerts accordingly. One scheduler of a cluster does it; if two
believe that it is theirs, each alert still opens once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from horae.lifecycle.alerts import clear_alerts, notify_alerts, open_alerts, quieten_alerts, see_alerts
from horae.lifecycle.watch import watch
from horae.ports import Transaction
from horae.processes.duties.duty import Duty
from horae.processes.loop import log

_EVERY = 15.0  # seconds between two evaluations
_SHARE = 20  # times as long as one took, if that is longer
_PORTION = 500  # alerts in one transaction


class AlertsDuty(Duty):
    name = "alerts"

    async def step(self) -> float:
        post = self.post
        if not post.is_first:
            return post.settings.sweep
        began = post.clock.monotonic()
        changes = await post.store.read(
            watch, thresholds=post.settings.thresholds, offline_after=post.settings.offline_after
        )
        took = post.clock.monotonic() - began
        for alert in await self._each(open_alerts, changes.opening):
            log.warning("alert", rule=alert.rule, title=alert.title, alert=alert.id)
        for alert in await self._each(clear_alerts, changes.clearing):
            log.info("alert cleared", rule=alert.rule, title=alert.title, alert=alert.id)
        await self._each(see_alerts, changes.seen)
        await self._each(quieten_alerts, changes.quiet)
        await self._each(notify_alerts, changes.notifying)
        return max(_EVERY, _SHARE * took)

    async def _each(
        self, verb: Callable[[Transaction, Sequence[Any]], Awaitable[Any]], items: Sequence[Any]
    ) -> list[Any]:
        """In portions: no transaction is long, however many jobs break a rule at once."""
        done: list[Any] = []
        for start in range(0, len(items), _PORTION):
            done += await self.post.store.transact(verb, items[start : start + _PORTION]) or ()
        return done
