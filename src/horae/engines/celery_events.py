"""Celery's own events, for Flower and `celery events`: a worker's tasks are received, started, and end. They are sent
from a thread and may be lost; nothing depends on them."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import structlog

from horae.domain.runs.claim import Claimed
from horae.domain.runs.events import Event, RunsClaimed, RunsEnded, RunsParked, RunsReleased, RunsRetried, RunsStarted
from horae.domain.runs.states import RunStatus
from horae.engines.celery_broker import Broker, reason
from horae.engines.celery_message import TASK, node_name

log = structlog.get_logger()

_BUFFER = 10_000  # events; older ones are dropped
_HEARTBEAT = 2.0  # seconds, as of Celery's workers
_PAUSE = 5.0  # seconds between two attempts to connect
_GOODBYE = 2.0  # seconds


class TaskEvents:
    """`busy` is the number of runs that the worker is executing."""

    def __init__(self, broker: Broker, worker: str, version: str, busy: Callable[[], int]) -> None:
        self._broker, self._node, self._busy = broker, node_name(worker), busy
        self._ident = {"sw_ident": "horae", "sw_ver": version, "sw_sys": "Linux"}
        self._waiting: deque[tuple[str, dict[str, Any]]] = deque(maxlen=_BUFFER)
        self._own: set[str] = set()  # runs that this worker has: the end of one may end others
        self._done = 0
        self._changed = threading.Event()
        self._stopping = False
        self._troubled = False
        self._thread = threading.Thread(target=self._run, name="horae events", daemon=True)

    def start(self) -> None:
        self._thread.start()

    async def close(self) -> None:
        self._stopping = True
        self._changed.set()
        await asyncio.to_thread(self._thread.join, _GOODBYE)

    def observe(self, event: Event) -> None:
        """What the worker did."""
        if isinstance(event, RunsClaimed):
            for claimed in event.runs:
                self._received(claimed)
        elif isinstance(event, RunsStarted):
            for started in event.runs:
                self._add("task-started", started.id)
        elif isinstance(event, RunsEnded):
            for ended in event.ended:
                self._ends(ended.id, ended.status, ended.error, ended.duration_ms)
        elif isinstance(event, RunsRetried):
            self._go_on([retried.run.id for retried in event.retried], "another attempt follows")
        elif isinstance(event, RunsParked | RunsReleased):
            self._go_on([run.id for run in event.runs], "it goes on elsewhere")

    def _received(self, run: Claimed) -> None:
        self._own.add(run.id)
        shown = {"args": f"('{run.id}',)", "kwargs": "{}", "root_id": run.id}
        self._add("task-received", run.id, name=TASK, retries=run.attempt - 1, **shown)

    def _go_on(self, run_ids: Sequence[str], why: str) -> None:
        for run_id in run_ids:
            self._leaves("task-retried", run_id, exception=why, traceback="")

    def _ends(self, run_id: str, status: RunStatus, error: str | None, duration_ms: int) -> None:
        if status == RunStatus.SUCCEEDED:
            self._leaves("task-succeeded", run_id, result="None", runtime=duration_ms / 1000)
        elif status == RunStatus.CANCELLED:
            self._leaves("task-revoked", run_id, terminated=True, signum=None, expired=False)
        else:
            self._leaves("task-failed", run_id, exception=error or str(status), traceback="")

    def _leaves(self, what: str, run_id: str, **fields: Any) -> None:
        if run_id in self._own:
            self._own.discard(run_id)
            self._done += 1
            self._add(what, run_id, **fields)

    def _add(self, what: str, run_id: str, **fields: Any) -> None:
        self._waiting.append((what, {"uuid": run_id, **fields}))
        self._changed.set()

    # On its thread

    def _run(self) -> None:
        while not self._stopping:
            try:
                self._send()
                self._troubled = False
            except Exception as error:
                if not self._troubled:
                    log.warning("cannot send events of tasks", broker=self._broker.address, reason=reason(error))
                self._troubled = True
                self._waiting.clear()
                self._changed.clear()
                self._changed.wait(_PAUSE)

    def _send(self) -> None:
        from celery import Celery
        from celery.events import EventDispatcher

        with self._broker.connect() as connection:
            app = Celery("horae", set_as_current=False)
            with EventDispatcher(connection, hostname=self._node, app=app, serializer="json") as dispatcher:
                self._beat(dispatcher, "worker-online")
                beat_at = 0.0
                while not self._stopping:
                    if beat_at <= (now := time.monotonic()):
                        self._beat(dispatcher, "worker-heartbeat")
                        beat_at = now + _HEARTBEAT
                    self._changed.wait(beat_at - now)
                    self._changed.clear()
                    while self._waiting:
                        what, fields = self._waiting.popleft()
                        dispatcher.send(what, **fields)
                self._beat(dispatcher, "worker-offline")

    def _beat(self, dispatcher: Any, what: str) -> None:
        dispatcher.send(what, freq=_HEARTBEAT, active=self._busy(), processed=self._done, **self._ident)
