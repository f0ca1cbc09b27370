"""Celery's broker as the way to workers. A run is published after the commit that made it claimable; that the broker
has it is recorded (`runs.published_at`), and what it loses is published again by the scheduler: an outbox whose rows
are the queued runs themselves."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

import structlog

from horae.domain.errors import HoraeError
from horae.domain.runs.claimable import Claimable, Offer
from horae.domain.runs.engine_choice import CurrentEngines
from horae.engines.celery_broker import Broker
from horae.engines.celery_publisher import PublisherThread
from horae.ports import Clock, Engine, Hint

log = structlog.get_logger()

_PORTION = 1_000  # runs whose publication is recorded at a time
# Seconds until it is recorded: most runs have been claimed by then, and need no record.
_SOON = 0.5
_FRESH = 1.0  # seconds for which the engines of queues are known

Confirm = Callable[[Collection[str]], Awaitable[None]]
ReadChosen = Callable[[], Awaitable[Mapping[str, str]]]


class CeleryEngine:
    """Runs of carried queues go to the broker, all others to the other engine. `confirm` records publications, `send`
    sends a wake-up, and `chosen` reads the engines that admins have chosen."""

    def __init__(
        self,
        broker: Broker,
        engines: CurrentEngines,
        clock: Clock,
        other: Engine,
        confirm: Confirm,
        send: Callable[[Collection[Hint]], Awaitable[None]],
        chosen: ReadChosen,
    ) -> None:
        self.engines, self._clock, self._other = engines, clock, other
        self._confirm, self._send, self._chosen = confirm, send, chosen
        self._fresh_until = 0.0
        self.published = Counter[str]()  # runs, by reason
        self._loop: asyncio.AbstractEventLoop | None = None
        self._confirmed: list[str] = []
        self._recording: asyncio.Task[None] | None = None
        self._publisher = PublisherThread(broker, self._on_confirmed)

    @property
    def state(self) -> str:
        """`connected`, `connecting` or `unreachable`; `none` while it carries no queue."""
        return self._publisher.state if self.engines.choice.broker else "none"

    async def watch(self) -> None:
        """Connects if a queue needs it, and reconnects: for a process that shows whether the broker is there."""
        await self._refresh()
        if self.engines.choice.broker:
            self._loop = asyncio.get_running_loop()
            self._publisher.start()

    async def _refresh(self) -> None:
        now = self._clock.monotonic()
        if now < self._fresh_until:
            return
        self._fresh_until = now + _FRESH
        try:
            self.engines.learn(await self._chosen())
        except HoraeError as error:  # with the engine of before, runs arrive a few seconds later
            log.debug("could not read the engines of queues", reason=str(error))

    async def offer(self, offer: Offer) -> None:
        await self._refresh()
        carried = self.engines.carried
        resumed = {queue for queue in offer.queues if carried(queue)}
        if rest := Offer([run for run in offer.runs if not carried(run.queue)], offer.queues - resumed):
            await self._other.offer(rest)
        if resumed:
            await self._send({f"publish:{queue}" for queue in resumed})
        now = self._clock.now()
        runs = [run for run in offer.runs if carried(run.queue) and not run.later(now)]
        if runs:
            self._loop = self._loop or asyncio.get_running_loop()
            self._publisher.add(runs)

    async def publish(self, runs: Sequence[Claimable], *, again: bool = False) -> None:
        await asyncio.wrap_future(self._publisher.publish(runs))
        self.published["again" if again else "due"] += len(runs)

    async def depths(self, queues: Collection[str]) -> Mapping[str, int]:
        return await asyncio.wrap_future(self._publisher.depths(queues))

    def _on_confirmed(self, run_ids: list[str]) -> None:
        """On the publisher's thread, the only one that counts these."""
        self.published["queued"] += len(run_ids)
        if self._loop is not None:
            try:
                self._loop.call_soon_threadsafe(self._record_soon, run_ids)
            except RuntimeError:  # the loop has ended: the scheduler publishes them once more
                log.debug("the process ended before it recorded what it published", runs=len(run_ids))

    def _record_soon(self, run_ids: list[str]) -> None:
        self._confirmed += run_ids
        if self._recording is None:
            self._recording = asyncio.get_running_loop().create_task(self._record())

    async def _record(self) -> None:
        try:
            await asyncio.sleep(_SOON)
            while self._confirmed:
                some, self._confirmed = self._confirmed[:_PORTION], self._confirmed[_PORTION:]
                await self._confirm(some)
        except HoraeError as error:  # they are published again, which is harmless
            log.debug("could not record what was published", reason=str(error))
            self._confirmed = []
        finally:
            self._recording = None

    async def close(self) -> None:
        await asyncio.to_thread(self._publisher.close)
        if self._recording is not None:
            self._recording.cancel()
            await asyncio.gather(self._recording, return_exceptions=True)
