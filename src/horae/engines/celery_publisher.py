"""Publishes runs to the broker from one thread, since kombu blocks: in batches, each confirmed by the broker before it
counts. What does not fit into its buffer is dropped: the scheduler publishes it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

import structlog

from horae.domain.errors import BrokerUnavailable
from horae.domain.runs.claimable import Claimable
from horae.engines.celery_broker import PATIENCE, Broker, reason
from horae.engines.celery_channels import Channel, open_channel

log = structlog.get_logger()

_BATCH = 1_000  # messages between two confirmations
_BUFFER = 50_000  # runs that may wait to be published
_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 5.0  # seconds between two attempts to connect
_CHECK = 5.0  # seconds after which an idle connection is checked


class _Work(NamedTuple):
    """Runs to publish, or queues to measure; `future` if someone waits for it."""

    runs: Sequence[Claimable]
    future: Future[Any] | None = None
    queues: Collection[str] | None = None


class PublisherThread:
    """`confirmed` is called on its thread with the ids of runs that nobody waited for."""

    def __init__(self, broker: Broker, confirmed: Callable[[list[str]], None]) -> None:
        self._broker, self._confirmed = broker, confirmed
        self._work: deque[_Work] = deque()
        self._buffered = 0
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._stopping = False
        self._channel: Channel | None = None
        self._pause = 0.0
        self._retry_at = 0.0
        self.trouble: str | None = None
        self.dropped = 0  # runs that the scheduler has to publish

    @property
    def state(self) -> str:
        """Whether the broker is there, as far as is known."""
        if self.trouble is not None:
            return "unreachable"
        return "connecting" if self._channel is None else "connected"

    def start(self) -> None:
        with self._changed:
            if self._thread is None and not self._stopping:
                self._thread = threading.Thread(target=self._run, name="horae publish", daemon=True)
                self._thread.start()

    def add(self, runs: Sequence[Claimable]) -> None:
        """Without waiting for it."""
        with self._changed:
            if self._buffered + len(runs) > _BUFFER or self.trouble is not None:
                self.dropped += len(runs)
                return
            self._put(_Work(runs))
        self.start()

    def publish(self, runs: Sequence[Claimable]) -> Future[None]:
        return self._ask(_Work(runs, Future()))

    def depths(self, queues: Collection[str]) -> Future[dict[str, int]]:
        return self._ask(_Work((), Future(), queues))

    def _ask(self, work: _Work) -> Future[Any]:
        assert work.future is not None
        with self._changed:
            self._put(work)
        self.start()
        return work.future

    def _put(self, work: _Work) -> None:
        self._work.append(work)
        self._buffered += len(work.runs)
        self._changed.notify()

    def close(self) -> None:
        """Publishes what is buffered, unless the broker is away."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(2 * PATIENCE)

    # On its thread

    def _run(self) -> None:
        batch: list[_Work] | None = []  # connects first
        while batch is not None:
            try:
                if batch or self._retry_at <= time.monotonic():
                    self._do(batch)
            except Exception as error:
                self._fails(batch, error)
            batch = self._next()
        self._disconnect()

    def _next(self) -> list[_Work] | None:
        """Work that can be done together; none after a while without any."""
        with self._changed:
            if not self._work and not self._stopping:
                self._changed.wait(_CHECK)
            if not self._work:
                return None if self._stopping else []
            batch, size = [self._work.popleft()], 0
            size = len(batch[0].runs)
            while self._work and size + len(self._work[0].runs) <= _BATCH and self._work[0].queues is None:
                batch.append(self._work.popleft())
                size += len(batch[-1].runs)
            self._buffered -= size
            return batch

    def _do(self, batch: list[_Work]) -> None:
        channel = self._connected()
        if not batch:
            channel.check()
            return
        runs = [run for work in batch for run in work.runs]
        for start in range(0, len(runs), _BATCH):
            channel.publish(runs[start : start + _BATCH])
        for work in batch:
            if work.queues is not None and work.future is not None:
                work.future.set_result({queue: channel.depth(queue) for queue in work.queues})
            elif work.future is not None:
                work.future.set_result(None)
        if unasked := [run.id for work in batch if work.future is None for run in work.runs]:
            self._confirmed(unasked)

    def _connected(self) -> Channel:
        if self._channel is not None:
            return self._channel
        if time.monotonic() < self._retry_at:
            raise BrokerUnavailable(f"the broker is unreachable: {self.trouble}")
        connection = self._broker.connect()
        try:
            self._channel = open_channel(self._broker, connection)
        except BaseException:
            connection.release()
            raise
        if self.trouble is not None:
            log.info("the broker is back", broker=self._broker.address)
        self.trouble, self._pause = None, 0.0
        return self._channel

    def _fails(self, batch: list[_Work], error: Exception) -> None:
        if not isinstance(error, BrokerUnavailable):
            if self.trouble is None:
                where = self._broker.address
                log.warning("cannot publish to the broker: runs wait", broker=where, reason=reason(error))
            self.trouble = reason(error)
            self._pause = min(max(self._pause * 2, _FIRST_PAUSE), _LONGEST_PAUSE)
            self._retry_at = time.monotonic() + self._pause
        for work in batch:
            if work.future is None:
                self.dropped += len(work.runs)
            elif not work.future.done():
                work.future.set_exception(BrokerUnavailable(f"the broker is unreachable: {self.trouble}"))
        if not isinstance(error, BrokerUnavailable):
            self._disconnect()  # last: a broker that takes nothing does not answer a farewell either

    def _disconnect(self) -> None:
        channel, self._channel = self._channel, None
        if channel is not None:
            try:
                channel.close()
            except Exception:
                log.debug("closing a connection to the broker failed", exc_info=True)
