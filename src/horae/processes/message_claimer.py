"""The claim loop of a worker whose runs are carried by a broker: what messages name is claimed by id, one statement for
a batch, and only then acknowledged. A message is a hint: the claim decides, with the same rules as any other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from horae.domain.errors import BrokerUnavailable, StoreUnavailable
from horae.domain.runs.claim import NOT_AHEAD, Ahead, ClaimRequest
from horae.domain.runs.publication import Unclaimed
from horae.ports import Messages, RunMessage
from horae.processes.claimer import Claimer

_TRIES = 8  # claims of a run whose row another transaction has locked
_LOCKED = 0.02  # seconds between them


class MessageClaimer(Claimer):
    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        assert self._settings.messages is not None
        self._messages: Messages = self._settings.messages
        self._claiming: list[RunMessage] = []  # taken, and not acknowledged yet
        self._tries = self._wanted = 0

    def on_hint(self, queue: str) -> None:
        """The broker says when there is something; "" means that the queues may be others."""
        if not queue:
            self._look_at = 0
            self.loop.wake.set()

    async def step(self) -> float | None:
        if self._starter.stuck:
            await self._starter.release()
        if self.resting:
            self._wanted = 0
            self._messages.want(0)
            return None
        if self._time_to_look:
            await self._look()
        free, ahead = self._room()
        self._want(free + ahead.runs)
        if self._unheard is None and not self._claiming:
            self._claiming, self._tries = self._messages.take(free + ahead.runs), 0
        if self._claiming or self._unheard is not None:
            return await self._claim(free, ahead)
        if (trouble := self._messages.trouble) is not None:
            raise BrokerUnavailable(f"the broker is unreachable: {trouble}")
        return max(self._look_at - self._clock.monotonic(), 0)

    def _want(self, most: int) -> None:
        """While claimed runs wait for slots, the number goes down and up with every claim, and messages for the next
        one are welcome all the time."""
        if most > self._wanted or not self._starter.busy:
            self._wanted = most
            self._messages.want(most)

    async def _claim(self, free: int, ahead: Ahead) -> float:
        """If the database does not answer, the messages are kept: neither acknowledged nor forgotten."""
        again, count = self._unheard is not None, len(self._claiming)
        if self._tries:  # what must not be claimed ahead; runs are short, or none would have been
            free, ahead = max(free, count), NOT_AHEAD
        elif ahead.runs:
            ahead = Ahead(min(ahead.runs, max(count - free, 0)), ahead.seconds)
        ids = [message.run_id for message in self._claiming]
        taken = await self._take_with(
            lambda token: ClaimRequest(
                self._claimant, token, self._settings.lease, free, self._agenda.served, ahead, ids
            )
        )
        claimed = {run.id for run in taken.runs}
        rest = [message for message in self._claiming if message.run_id not in claimed]
        left = await self._unclaimed({message.run_id for message in rest}) if rest else Unclaimed((), ())
        self._tries += 1
        busy = left.busy if again or self._tries < _TRIES else ()
        self._messages.done([message for message in self._claiming if message.run_id not in busy])
        self._claiming = [message for message in rest if message.run_id in busy]
        if waiting := [*left.waiting, *(run_id for run_id in left.busy if run_id not in busy)]:
            await self._controller.withdraw(waiting)
        return _LOCKED if self._claiming else 0

    async def _unclaimed(self, run_ids: Collection[str]) -> Unclaimed:
        try:
            return await self._controller.unclaimed(run_ids, self._claimant)
        except StoreUnavailable:
            return Unclaimed(tuple(run_ids), ())  # they are tried again

    async def _look(self) -> None:
        """At the queues that there are and that the broker carries, now and then."""
        await self._learn_engines()
        if self._settings.project_ids:
            await self._learn_queues()
            queues: Sequence[str] = self._agenda.served or ()
        elif self._settings.queues:
            queues = self._settings.queues
        else:
            queues = await self._controller.queues()
        self._messages.serve(
            [queue for queue in queues if self._settings.queues or self._settings.engines.carried(queue)]
        )
        poll = self._settings.poll_max if self._hints_arrive() else self._settings.poll
        self._look_at = self._clock.monotonic() + poll * (0.75 + 0.5 * self._ids.chance())
