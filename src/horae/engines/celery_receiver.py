"""The thread on which a worker receives messages from a broker: reconnects with backoff, logs each outage once, and
counts malformed messages."""

from __future__ import annotations

import asyncio
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable

import structlog

from horae.engines.celery_broker import Broker, reason
from horae.engines.celery_message import MalformedMessage

log = structlog.get_logger()

UNUSED = 1.0  # seconds that a message may wait for the worker
_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 5.0  # seconds between two attempts to connect
_GOODBYE = 5.0  # seconds
_FAULTS_EVERY = 60.0  # seconds between two log lines about malformed messages


class Receiver(ABC):
    """`trouble`: why there is no connection. `_receive`, `_connected` and `_refuse` are called on the thread."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._on_message: Callable[[], None] = lambda: None
        self._pause = 0.0
        self._fault_logged_at = -_FAULTS_EVERY
        self.trouble: str | None = None
        self.malformed = 0
        self.on_malformed: Callable[[], None] = lambda: None  # called on the thread

    @abstractmethod
    def _receive(self) -> None:
        """Connects, calls `_connected`, and receives until `_stopping` is set. Raises if the connection is lost."""

    @abstractmethod
    def _wake(self) -> None:
        """Wakes `_receive` up. From any thread."""

    def start(self, on_message: Callable[[], None]) -> None:
        self._on_message = on_message
        self._thread = threading.Thread(target=self._run, name="horae consume", daemon=True)
        self._thread.start()

    async def close(self) -> None:
        self._stopping.set()
        self._wake()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, _GOODBYE)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._receive()
            except Exception as error:
                if self.trouble is None:
                    log.warning("no messages from the broker", broker=self._broker.address, reason=reason(error))
                self.trouble = reason(error)
                self._on_message()  # so that the worker notices
                self._pause = min(max(self._pause * 2, _FIRST_PAUSE), _LONGEST_PAUSE)
                self._stopping.wait(self._pause)

    def _connected(self) -> None:
        if self.trouble is not None:
            log.info("the broker is back", broker=self._broker.address)
        self.trouble, self._pause = None, 0.0

    def _refuse(self, fault: MalformedMessage) -> None:
        self.malformed += 1
        self.on_malformed()
        now = time.monotonic()
        if now - self._fault_logged_at >= _FAULTS_EVERY:
            self._fault_logged_at = now
            log.warning("rejected a message that is not one of Horae's", reason=str(fault), rejected=self.malformed)
