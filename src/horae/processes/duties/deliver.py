"""Delivery: notices become messages, and messages are sent. One scheduler of a cluster does it; if it dies, another
sends the rest once the leases have expired."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from horae.accounts.channels import open_secrets
from horae.domain.errors import InvalidInput
from horae.domain.notify.delivery import Due, Envelope, Sent
from horae.domain.notify.targets import KINDS
from horae.domain.secrets.secret import CannotOpen
from horae.lifecycle.watching.deliver import Routed, idle_for, route, settle, take_due
from horae.processes.duties.duty import RARELY, Duty, Post
from horae.processes.duties.errands import Errands
from horae.processes.loop import log

_BATCH = 500
_AT_ONCE = 16  # messages, one per channel: a slow one delays no other
_LEASE = 60.0  # seconds; a try takes no longer than a third of it


class DeliverDuty(Duty):
    name = "deliver"
    topics = frozenset({"notices"})
    chores = frozenset({"messages"})

    def __init__(self, post: Post) -> None:
        super().__init__(post)
        # By kind of channel and result; from 0, so that the first failure is an increase.
        self.delivered = Counter({(kind, result): 0 for kind in KINDS for result in ("sent", "retried", "failed")})
        self._busy = Errands(self.loop.wake)  # by channel

    async def step(self) -> float:
        post = self.post
        if not post.is_first:
            return post.settings.sweep
        waits = await post.store.read(idle_for)
        if waits is None or waits > 0:
            return RARELY if waits is None else min(waits, RARELY)
        routed = await post.store.transact(route, limit=_BATCH)
        if routed.unknown:
            log.warning("notices of a kind that this version does not know were dropped", count=routed.unknown)
        return 0 if await self._begin() or routed.notices >= _BATCH else self._pause(routed)

    def _pause(self, routed: Routed) -> float:
        """A message that is due now waits for a busy channel, whose end wakes this duty."""
        return 0 if routed.messages and len(self._busy) < _AT_ONCE else self.post.settings.sweep

    async def _begin(self) -> bool:
        """Starts sending what is due; returns whether there was anything."""
        post, room = self.post, _AT_ONCE - len(self._busy)
        if post.notifier is None or room <= 0:
            return False
        due = await post.store.transact(
            take_due, token=post.ids.new(), lease=_LEASE, limit=room, busy=self._busy.keys()
        )
        for one in due:
            self._busy.begin(one.channel_id, self._deliver(one))
        return bool(due)

    async def _deliver(self, due: Due) -> None:
        post = self.post
        try:
            sent = await self._send(due)
            state = await post.store.transact(settle, due=due, sent=sent, chance=post.ids.chance())
        except Exception as error:  # its lease expires, and it is retried
            log.warning("could not record a delivery; it will be sent again", delivery=due.id, reason=str(error))
            return
        self.delivered[due.kind, "retried" if state == "pending" else state] += 1
        if state == "failed":
            log.warning("gave up a notification", channel=due.channel, delivery=due.id, reason=sent.error)

    async def _send(self, due: Due) -> Sent:
        post = self.post
        if due.spec is None or due.message is None:
            return Sent(f"the channel cannot be read: {due.fault}", permanent=True)
        secrets: dict[str, str] = {}
        if due.sealed is not None or due.spec.target.references():
            if post.settings.seals is None:
                return Sent("the scheduler has no HORAE_SECRET_KEY to open what is secret about the channel")
            try:
                secrets = await post.store.read(open_secrets, seals=post.settings.seals, due=due)
            except CannotOpen:
                return Sent("what is secret about the channel cannot be opened: set it again", permanent=True)
            except InvalidInput as error:  # a secret that it names: setting that one fixes it
                return Sent(str(error))
        message = replace(due.message, project=due.project)
        assert post.notifier is not None
        link = post.settings.public_url
        return await post.notifier.send(Envelope(due.id, due.channel, due.spec, secrets, message, due.created_at, link))

    async def close(self) -> None:
        await self._busy.close()
