"""Celery's broker as the way to workers. A run is published after the commit that made it claimable; that the broker
has it is recorded (`runs.published_at`), and what it loses is published again by the scheduler: an outbox whose rows
are the queued runs themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

import structlog

from horae.domain.errors import HoraeError
from horae.domain.runs.claimable import Claimable, Offer
from horae.domain.runs.engine_choice import EngineChoice
from horae.engines.celery_broker import Broker
from horae.engines.celery_publisher import PublisherThread
from horae.ports import Clock, Engine, Hint

log = structlog.get_logger()

_PORTION = 1_000  # runs whose publication is recorded at a time
# Seconds until it is recorded: most runs have been claimed by then, and need no record.
_SOON = 0.5

Confirm = Callable[[Collection[str]], Awaitable[None]]


class CeleryEngine:
    """Runs of carried queues go to the broker, all others to the other engine. `confirm` records publications, and
    `send` sends a wake-up."""

    def __init__(
        self,
        broker: Broker,
        choice: EngineChoice,
        clock: Clock,
        other: Engine,
        confirm: Confirm,
        send: Callable[[Collection[Hint]], Awaitable[None]],
    ) -> None:
        self._choice, self._clock, self._other = choice, clock, other
        self._confirm, self._send = confirm, send
        self._loop: asyncio.AbstractEventLoop | None = None
        self._confirmed: list[str] = []
        self._recording: asyncio.Task[None] | None = None
        self._publisher = PublisherThread(broker, self._on_confirmed)

    @property
    def state(self) -> str:
        """`connected`, `connecting` or `unreachable`."""
        return self._publisher.state

    def start(self) -> None:
        """Connects now, and reconnects: for a process that shows whether the broker is there."""
        self._loop = asyncio.get_running_loop()
        self._publisher.start()

    async def offer(self, offer: Offer) -> None:
        carried = self._choice.carried
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

    async def publish(self, runs: Sequence[Claimable]) -> None:
        await asyncio.wrap_future(self._publisher.publish(runs))

    async def depths(self, queues: Collection[str]) -> Mapping[str, int]:
        return await asyncio.wrap_future(self._publisher.depths(queues))

    def _on_confirmed(self, run_ids: list[str]) -> None:
        """On the publisher's thread."""
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
