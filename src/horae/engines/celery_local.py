"""Messages that a worker of Celery has received and acknowledged, for the Horae worker in the same process. Each waits
until its run has ended here, or could not be claimed."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Any

from horae.domain.runs.events import Event, RunsEnded, RunsParked, RunsReleased, RunsRetried
from horae.domain.runs.states import RunStatus
from horae.ports import RunMessage

_LOOK = 1.0  # seconds between two looks whether a run is still here


class LocalMessage:
    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.over = threading.Event()
        self.answered = False  # whether a claim was tried
        self.status = "unclaimed"


class LocalMessages:
    """`held` are the ids of runs that the worker has."""

    def __init__(self) -> None:
        self._inbox: deque[LocalMessage] = deque()
        self._waiting: dict[str, LocalMessage] = {}
        self._wake: Callable[[], None] = lambda: None
        self.held: Callable[[], Collection[str]] = lambda: ()
        self._closed = threading.Event()

    def perform(self, run_id: str) -> str:
        """On a thread of Celery: returns how the run ended here, `unclaimed` if it did not start here."""
        message = LocalMessage(run_id)
        if self._closed.is_set() or self._waiting.setdefault(run_id, message) is not message:
            return "unclaimed"
        try:
            self._inbox.append(message)
            self._wake()
            while not message.over.wait(_LOOK):
                if self._closed.is_set() or (message.answered and run_id not in self.held()):
                    break  # its lease was lost
            return message.status
        finally:
            self._waiting.pop(run_id, None)

    def observe(self, event: Event) -> None:
        """What the worker has reported."""
        if isinstance(event, RunsEnded):
            for ended in event.ended:
                self._end(ended.id, ended.status)
        elif isinstance(event, RunsRetried):
            for retried in event.retried:
                self._end(retried.run.id, "retried")
        elif isinstance(event, RunsReleased | RunsParked):
            for run in event.runs:
                self._end(run.id, "parked" if isinstance(event, RunsParked) else "unclaimed")

    def _end(self, run_id: str, status: RunStatus | str) -> None:
        if (message := self._waiting.get(run_id)) is not None:
            message.status = str(status)
            message.over.set()

    # For the worker: see `Messages`

    trouble: str | None = None

    def start(self, on_message: Callable[[], None]) -> None:
        self._wake = on_message
        on_message()

    def serve(self, queues: Collection[str]) -> None:
        """Celery's worker has its own."""

    def want(self, most: int) -> None:
        """Celery's worker has its own concurrency."""

    def take(self, most: int) -> list[RunMessage]:
        return [self._inbox.popleft() for _ in range(min(most, len(self._inbox)))]

    def done(self, messages: Sequence[Any]) -> None:
        held = self.held()
        for message in messages:
            message.answered = True
            if message.run_id not in held:
                message.over.set()

    async def close(self) -> None:
        self._closed.set()
        for message in list(self._waiting.values()):
            message.over.set()
