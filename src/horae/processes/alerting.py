"""Applies the result of an alert evaluation, in short transactions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from horae.domain.alerts.alert import AlertRecord, Finding
from horae.domain.alerts.transition import Changes
from horae.domain.alerts.turns import in_turn
from horae.lifecycle.watching.alerts import clear_alerts, notify_alerts, open_alerts, quieten_alerts, see_alerts
from horae.lifecycle.watching.watch import Eyes, explained
from horae.ports import Store, Transaction
from horae.processes.loop import log

_PORTION = 500  # alerts in one transaction
_LOGGED = 20  # alerts with a log line each: if very many open at once, the portal lists them
_EXPLAINED = 20  # jobs to explain at a time: each costs a few statements


class Alerting:
    def __init__(self, store: Store, eyes: Eyes) -> None:
        self._store, self._eyes = store, eyes

    async def apply(self, changes: Changes) -> None:
        _log(log.warning, "alert", await self._each(open_alerts, await self._explained(changes.opening)))
        _log(log.info, "alert cleared", await self._each(clear_alerts, changes.clearing))
        findings = await self._explained([finding for _, finding in changes.seen])
        await self._each(see_alerts, [(one[0], finding) for one, finding in zip(changes.seen, findings, strict=True)])
        await self._each(quieten_alerts, changes.quiet)
        await self._each(notify_alerts, changes.notifying)

    async def _explained(self, findings: Sequence[Finding]) -> list[Finding]:
        """In the same order, as many as allowed; the others have only their rule's text."""
        found = list(findings)
        if asked := in_turn(finding for finding in found if finding.explains)[:_EXPLAINED]:
            told = await self._store.read(explained, asked, eyes=self._eyes)
            better = {before.identity: after for before, after in zip(asked, told, strict=True)}
            found = [better.get(finding.identity, finding) if finding.explains else finding for finding in found]
        return found

    async def _each(
        self, verb: Callable[[Transaction, Sequence[Any]], Awaitable[Any]], items: Sequence[Any]
    ) -> list[Any]:
        """In portions: no transaction is long, however many jobs break a rule at once."""
        done: list[Any] = []
        for start in range(0, len(items), _PORTION):
            done += await self._store.transact(verb, items[start : start + _PORTION]) or ()
        return done


def _log(write: Callable[..., Any], event: str, alerts: Sequence[AlertRecord]) -> None:
    for alert in alerts[:_LOGGED]:
        write(event, rule=alert.rule, title=alert.title, alert=alert.id)
    if len(alerts) > _LOGGED:
        write(event, more=len(alerts) - _LOGGED)
