"""Delivery: notices from the outbox become messages of channels, and messages are sent. A notice is routed in one
transaction, so exactly once; a message is sent under a lease, so at least once, and normally once."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from horae.domain.notify.channel import ChannelRecord, ChannelSpec
from horae.domain.notify.delivery import Collected, Due, NewDelivery, Sent
from horae.domain.notify.message import EMPTY, Message, Notice
from horae.domain.notify.routing import (
    RoutingPlan,
    RoutingState,
    Told,
    concerns,
    drained,
    pause_after,
    plan,
    quiet_pause,
)
from horae.ports import Transaction


@dataclass(frozen=True, slots=True)
class Routed:
    """How many notices were taken from the outbox, how many of them this version did not understand, and how many
    messages there are to send."""

    notices: int
    unknown: int
    messages: int


async def route(tx: Transaction, *, limit: int = 500) -> Routed:
    """Takes the oldest notices from the outbox, and plans the resulting messages."""
    notices, ids = await tx.notices.take(limit)
    if not ids:
        return Routed(0, 0, 0)
    wanted = await _wanted(tx, notices)
    made = 0
    if wanted:
        channel_ids = [channel.id for channel, _, _ in wanted]
        told = await _told(tx, wanted)
        pending = await tx.deliveries.pending(channel_ids)
        digests = {one.channel_id: one for one in await tx.deliveries.collecting(channel_ids)}
        now, plans = await tx.now(), []
        for channel, spec, those in wanted:
            collected = digests.get(channel.id)
            state = RoutingState(
                told={key: said for (channel_id, key), said in told.items() if channel_id == channel.id},
                level=drained(channel.level, channel.level_at, now, spec.per_hour),
                digest=collected.message if collected else None,
                pending=pending.get(channel.id, 0),
            )
            plans.append((channel, plan(channel.name, spec, those, state, now), collected))
        made = await _write(tx, plans, now)
    await tx.notices.delete(ids)
    return Routed(len(ids), len(ids) - len(notices), made)


_Wanted = tuple[ChannelRecord, ChannelSpec, list[Notice]]
_Planned = tuple[ChannelRecord, RoutingPlan, Collected | None]


async def _wanted(tx: Transaction, notices: list[Notice]) -> list[_Wanted]:
    """The channels that get any of them; unreadable ones get none."""
    by_project: dict[str, list[Notice]] = defaultdict(list)
    for notice in notices:
        by_project[notice.project_id].append(notice)
    found = []
    for channel in await tx.channels.listening(by_project):
        spec = channel.spec
        if spec is not None:
            those = [one for one in by_project[channel.project_id] if concerns(channel.name, spec, one)]
            if those:
                found.append((channel, spec, those))
    return found


async def _told(tx: Transaction, wanted: list[_Wanted]) -> dict[tuple[str, str], list[Told]]:
    """What channels have reported about incidents, in single messages or in digests, by channel and incident."""
    told = await tx.deliveries.told(
        [channel.id for channel, _, _ in wanted], {one.key for _, _, those in wanted for one in those}
    )
    for channel, _, those in wanted:
        unheard = {one.key for one in those if not one.opens and (channel.id, one.key) not in told}
        if unheard:
            for key, said in (await tx.deliveries.digested(channel.id)).items():
                if key in unheard:
                    told[channel.id, key] = said
    return told


async def _write(tx: Transaction, plans: list[_Planned], now: datetime) -> int:
    new: list[NewDelivery] = []
    digests: list[tuple[str, Message, int, datetime]] = []
    repeats: dict[str, int] = {}
    for channel, planned, collected in plans:
        ids = {notice.id for notice in planned.single}
        repeats |= {id: count for id, count in planned.repeats.items() if id not in ids}
        new += [_single(tx, channel, notice, planned) for notice in planned.single]
        if planned.digest is None:
            continue
        due_at = planned.due_at or now
        if collected is not None:
            digests.append((collected.id, planned.digest, len(planned.collected), min(due_at, collected.due_at)))
        else:
            new.append(
                NewDelivery(
                    id=tx.new_id(),
                    channel_id=channel.id,
                    project_id=channel.project_id,
                    kind="digest",
                    message=planned.digest,
                    notices=len(planned.collected),
                    collecting=True,
                    due_at=due_at,
                )
            )
    await tx.deliveries.add(new)
    await tx.deliveries.collect(digests)
    await tx.deliveries.repeat(repeats)
    await tx.channels.fill({channel.id: planned.level for channel, planned, _ in plans})
    return len(new)


def _single(tx: Transaction, channel: ChannelRecord, notice: Notice, planned: RoutingPlan) -> NewDelivery:
    return NewDelivery(
        id=tx.new_id(),
        channel_id=channel.id,
        project_id=channel.project_id,
        kind=notice.kind,
        message=EMPTY.with_notices([notice]),
        notices=1 + planned.repeats.get(notice.id, 0),
        key=notice.key,
        cause=notice.cause,
    )


async def idle_for(tx: Transaction) -> float | None:
    """Seconds until there is something to route or to send; None if there is nothing pending."""
    return await tx.deliveries.idle_for()


async def take_due(tx: Transaction, *, token: str, lease: float, limit: int, busy: list[str]) -> list[Due]:
    """Leases due messages, one per channel."""
    return await tx.deliveries.claim(token, lease, limit, busy)


async def settle(tx: Transaction, *, due: Due, sent: Sent, chance: float) -> str:
    """Records the outcome of a try: `sent`, `failed` (given up), `pending` (it is retried), or `stale` if another
    process has it by now."""
    pause = None if sent.permanent else pause_after(due.tries, chance, sent.retry_after)
    if sent.error is not None and pause is not None and due.spec is not None and due.message is not None:
        pause = quiet_pause(pause, due.spec, due.message, await tx.now())
    if not await tx.deliveries.settle(due, sent, pause):
        return "stale"
    if sent.error is None:
        return "sent"
    return "failed" if pause is None else "pending"
