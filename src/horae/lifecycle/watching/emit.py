"""Emit: events from the outbox are sent to their sinks. A sink is sent to under a lease, by one process at a time, and
its events are deleted once it has accepted them: at least once, and in their order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from horae.domain.notify.delivery import Sent
from horae.domain.sinks.sending import BATCH, gives_up, pause_after
from horae.domain.sinks.sink import Gap, OutboxEvent, SinkDue
from horae.ports import Transaction

_SURPLUS = 5_000  # events that are dropped at a time


async def sinks_wait(tx: Transaction) -> bool:
    """Whether there is a sink to send to."""
    return await tx.sinks.any_due()


async def take_sinks(tx: Transaction, *, token: str, lease: float, limit: int, busy: Collection[str]) -> list[SinkDue]:
    """Leases sinks for which events wait."""
    return await tx.sinks.claim(token, lease, limit, busy)


async def trim(tx: Transaction, *, due: SinkDue) -> tuple[SinkDue, int, bool]:
    """Drops events of a leased sink that are too old or too many. Returns the sink as it is now, how many were dropped,
    and whether there may be more."""
    if due.spec is None:
        return due, 0, False
    spec = due.spec
    found = await tx.outbox.surplus(due.id, keep_for=spec.keep_for, most=spec.max_waiting, limit=_SURPLUS)
    return await _drop(tx, due, found), len(found), len(found) == _SURPLUS


async def read_events(tx: Transaction, *, due: SinkDue) -> SinkDue:
    """With the events that come first."""
    return replace(due, events=await tx.outbox.first(due.id, BATCH, tags=bool(due.spec and due.spec.tags)))


@dataclass(frozen=True, slots=True)
class SinkProgress:
    """What one call has achieved: the events that the sink has accepted, whether its gap was reported, the
    events that it does not want, and those that are damaged."""

    accepted: Sequence[int] = ()
    told: bool = False
    unwanted: Sequence[int] = ()
    damaged: Sequence[int] = ()


async def accept(tx: Transaction, *, due: SinkDue, made: SinkProgress, lease: float) -> SinkDue | None:
    """Deletes what is done. Returns the sink with the next events, under a renewed lease; None if there are none, or if
    another process sends to it by now."""
    sent = len(made.accepted) + made.told
    if not await tx.sinks.confirm(due, sent=sent, lease=lease):
        return None
    due = replace(await _told(tx, due, made), tries=0 if sent else due.tries)
    damaged = set(made.damaged)
    due = await _drop(tx, due, [event for event in due.events if event.seq in damaged])
    await tx.outbox.delete([*made.accepted, *made.unwanted])
    due = await read_events(tx, due=due)
    if due.events or due.gap is not None:
        return due
    await tx.sinks.confirm(due, sent=0, lease=None)
    return None


async def release_sink(tx: Transaction, *, due: SinkDue) -> None:
    """Others have their turn."""
    await tx.sinks.confirm(due, sent=0, lease=None)


async def refuse(
    tx: Transaction, *, due: SinkDue, made: SinkProgress, refused: int | None, sent: Sent, chance: float
) -> bool:
    """The sink has refused an event (None: the one about its gap), or cannot be reached. Returns whether that event
    was dropped."""
    count = len(made.accepted) + made.told
    tries = 1 if count else due.tries + 1
    due = await _told(tx, due, made)
    given_up = [event for event in due.events if event.seq == refused] if gives_up(sent, tries) else []
    due = await _drop(tx, due, given_up)
    pause = pause_after(tries, chance, sent.retry_after)
    if await tx.sinks.fail(due, sent=count, error=sent.error or "refused", pause=pause):
        await tx.outbox.delete(made.accepted)
    return bool(given_up)


async def clear_outbox(tx: Transaction, *, limit: int) -> int:
    """Deletes events whose sinks are gone or disabled; returns how many."""
    return await tx.outbox.clear(limit)


async def _told(tx: Transaction, due: SinkDue, made: SinkProgress) -> SinkDue:
    if due.gap is None or not made.told:
        return due
    await tx.sinks.told(due.id, due.gap.id)
    return replace(due, gap=None)


async def _drop(tx: Transaction, due: SinkDue, events: Sequence[OutboxEvent]) -> SinkDue:
    """Deletes events that were never sent; the next event that is sent says how many there were."""
    if not events:
        return due
    first, last = events[0].at, events[-1].at
    gap = Gap(tx.new_id(), len(events), first, last)
    if not await tx.sinks.drop(due, gap):
        return due
    await tx.outbox.delete([event.seq for event in events])
    if due.gap is not None:
        gap = Gap(due.gap.id, due.gap.count + gap.count, due.gap.first, last)
    return replace(due, gap=gap)
