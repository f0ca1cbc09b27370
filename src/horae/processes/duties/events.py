"""Events: the outbox is sent to its sinks. One scheduler of a cluster does it; if it dies, another goes on once the
leases have expired, and sends again what was not recorded as accepted."""

from __future__ import annotations

from collections import Counter

from horae.accounts.sinks import open_sink
from horae.domain.errors import HoraeError
from horae.domain.notify.delivery import Sent
from horae.domain.sinks.sending import most_at_once, portion
from horae.domain.sinks.sink import SINK_KINDS, OpenSink, Shipped, SinkDue, SinkSpec
from horae.lifecycle.watching.emit import (
    SinkProgress,
    accept,
    clear_outbox,
    read_events,
    refuse,
    release_sink,
    sinks_wait,
    take_sinks,
    trim,
)
from horae.processes.duties.duty import RARELY, Duty, Post
from horae.processes.duties.errands import Errands
from horae.processes.loop import log

_AT_ONCE = 16  # sinks: a slow one delays no other
_LEASE = 60.0  # seconds; a call takes no longer than half of it
_ROUNDS = 50  # calls until others have their turn
_SOON, _LIVELY = 0.25, 10.0  # seconds between two looks, for so long after the last event
_CLEAR_EVERY, _CLEARED = 60.0, 5_000  # seconds, rows


class EventsDuty(Duty):
    name = "events"
    topics = frozenset({"events"})
    chores = frozenset({"events"})

    def __init__(self, post: Post) -> None:
        super().__init__(post)
        # By kind of sink and result; from 0, so that the first failure is an increase.
        self.emitted = Counter({(kind, result): 0 for kind in SINK_KINDS for result in ("sent", "failed", "dropped")})
        self._busy = Errands(self.loop.wake)  # by sink
        self._clear_at = self._lively_until = 0.0

    async def step(self) -> float:
        post = self.post
        if not post.is_first or post.settings.events is None:
            return post.settings.sweep
        now = post.clock.monotonic()
        if now >= self._clear_at:
            cleared = await post.store.transact(clear_outbox, limit=_CLEARED)
            self._clear_at = now + (1.0 if cleared == _CLEARED else _CLEAR_EVERY)
        if await self._begin():
            self._lively_until = now + _LIVELY
            return 0
        return _SOON if now < self._lively_until else RARELY

    async def _begin(self) -> bool:
        """Starts sending to sinks for which something waits; returns whether there were any."""
        post, room = self.post, _AT_ONCE - len(self._busy)
        if room <= 0 or not await post.store.read(sinks_wait):
            return False
        due = await post.store.transact(
            take_sinks, token=post.ids.new(), lease=_LEASE, limit=room, busy=self._busy.keys()
        )
        for one in due:
            self._busy.begin(one.id, self._serve(one))
        return bool(due)

    async def _serve(self, due: SinkDue) -> None:
        store = self.post.store
        try:
            more = True
            while more:
                due, dropped, more = await store.transact(trim, due=due)
                self._count(due, "dropped", dropped)
            left: SinkDue | None = await store.read(read_events, due=due)
            for _ in range(_ROUNDS):
                if left is None:
                    return
                left = await self._send(left)
            if left is not None:
                await store.transact(release_sink, due=left)
        except Exception as error:  # the lease expires, and another try follows
            log.warning("could not send events; they will be sent again", sink=due.name, reason=str(error))

    async def _send(self, due: SinkDue) -> SinkDue | None:
        """One call; returns the sink with what comes next, None if there is nothing, or it failed."""
        post = self.post
        try:
            sink, spec = self._opened(due)
        except HoraeError as error:
            await self._failed(due, SinkProgress(), None, Sent(str(error)))
            return None
        part = portion(spec, due.events, due.gap, post.settings.event_source)
        some = part.wire[: most_at_once(spec, due.tries)]
        shipped = Shipped(0, Sent())
        if some and post.settings.events is not None:
            shipped = await post.settings.events.send(sink, [event for event, _ in some])
        made = SinkProgress(
            accepted=[seq for _, seq in some[: shipped.count] if seq is not None],
            told=due.gap is not None and shipped.count > 0,
            unwanted=part.unwanted,
            damaged=part.damaged,
        )
        self._count(due, "sent", shipped.count)
        if shipped.sent.error is not None:
            refused = some[shipped.count][1] if shipped.count < len(some) else None
            await self._failed(due, made, refused, shipped.sent)
            return None
        self._count(due, "dropped", len(part.damaged))
        return await post.store.transact(accept, due=due, made=made, lease=_LEASE)

    def _opened(self, due: SinkDue) -> tuple[OpenSink, SinkSpec]:
        """Raises HoraeError."""
        if due.spec is None:
            raise HoraeError(f"the sink cannot be read: {due.fault}")
        seals = self.post.settings.seals
        if due.sealed is not None and seals is None:
            raise HoraeError("the scheduler has no HORAE_SECRET_KEY to open what is secret about the sink")
        secrets = {} if seals is None else open_sink(seals, due)
        return OpenSink(due.id, due.spec.target, secrets), due.spec

    async def _failed(self, due: SinkDue, made: SinkProgress, refused: int | None, sent: Sent) -> None:
        post = self.post
        dropped = await post.store.transact(
            refuse, due=due, made=made, refused=refused, sent=sent, chance=post.ids.chance()
        )
        self._count(due, "failed", 1)
        self._count(due, "dropped", int(dropped))
        if not due.tries:
            log.warning("events cannot be sent; they wait", sink=due.name, reason=sent.error)

    def _count(self, due: SinkDue, result: str, count: int) -> None:
        self.emitted[due.kind, result] += count

    async def close(self) -> None:
        await self._busy.close()
