"""Alerts of pings. They open in the transaction in which a ping goes down, and clear with the next success: the duty
that evaluates all other rules is not involved."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from horae.domain.pings.finding import down_finding, identities
from horae.domain.pings.ping import PingRecord
from horae.lifecycle.watching.alerts import open_alerts, resolve_alerts, see_alerts
from horae.ports import Transaction


async def alert_down(tx: Transaction, down: Sequence[PingRecord], now: datetime) -> None:
    """Opens an alert for each of these pings that has none yet, in its current state."""
    await open_alerts(tx, [down_finding(ping, now) for ping in down])


async def refresh_down(tx: Transaction, ping: PingRecord, now: datetime) -> None:
    """Updates the text of the open alert, after another failure."""
    finding = down_finding(ping, now)
    await see_alerts(tx, [(alert_id, finding) for alert_id in await tx.alerts.open_ids([finding.identity])])


async def clear_down(tx: Transaction, pings: Sequence[PingRecord]) -> None:
    """Clears the alerts of these pings, whichever are open."""
    await resolve_alerts(tx, [one for ping in pings for one in identities(ping)])
