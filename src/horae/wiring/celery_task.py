"""The task `horae.run` of Celery's workers: a Horae worker in each process of the pool claims the run and executes it.
That worker has its own event loop, on a thread, its own connections and its own row; all of them are made after the
fork."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import uvloop
from celery import signals
from celery.exceptions import WorkerShutdown

from horae import config
from horae.engines.celery import app
from horae.engines.celery_local import LocalMessages
from horae.engines.celery_message import TASK
from horae.ports import Wakeups
from horae.processes.worker import Worker
from horae.store.store import SqlStore
from horae.wiring.executors import commands_for, executors_for
from horae.wiring.shared import configured
from horae.wiring.watching import Watched, Watching
from horae.wiring.working import WorkerPlan, work

_GOODBYE = 10.0  # seconds beyond the time for draining
_READY = 60.0  # seconds until the first claim, after which the run is left to others


class RunFailed(Exception):
    """The run did not succeed; why is in its history."""


class PoolWorker(Watching):
    """A Horae worker on a thread of this process."""

    def __init__(self, slots: int) -> None:
        super().__init__("worker")
        self._settings = config.load()
        self._messages = LocalMessages()
        self._slots = slots
        self._loop = uvloop.new_event_loop()
        self._stop = asyncio.Event()
        self._ready = threading.Event()
        configured(self._settings, "worker")
        self._thread = threading.Thread(target=self._run, name="horae worker", daemon=True)
        self._thread.start()

    def shows(self, process: Watched, store: SqlStore, wakeups: Wakeups) -> None:
        super().shows(process, store, wakeups)
        assert isinstance(process, Worker)
        self._messages.held = process.held
        store.observers = (*store.observers, self._messages.observe)
        self._ready.set()

    def execute(self, run_id: str) -> str:
        if not self._ready.wait(_READY):
            return "unclaimed"  # the database is away: the scheduler publishes it again
        return self._messages.perform(run_id)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(self._settings.drain_timeout + _GOODBYE)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        commands = commands_for(self._settings)
        imports = sorted({*app.conf.include} - {__name__})  # `celery worker --include`
        executors = executors_for(self._settings, self._slots, imports, commands)
        plan = WorkerPlan((), (), self._slots, executors, commands, self._messages)
        self._loop.run_until_complete(work(self._settings, plan, self, (self._stop, asyncio.Event())))


class _Process:
    """The host of this process: with prefork one in each child, otherwise the only one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._host: PoolWorker | None = None
        self.slots = 1
        self.executes = False  # whether tasks are executed in the process that was started, not in its children

    def host(self) -> PoolWorker:
        with self._lock:
            if self._host is None:
                self._host = PoolWorker(self.slots)
            return self._host

    def stop(self) -> None:
        with self._lock:
            host, self._host = self._host, None
        if host is not None:
            host.stop()


_process = _Process()


@app.task(name=TASK, ignore_result=True, throws=(RunFailed,))
def run(run_id: str) -> str:
    """How the run ended. One that this worker could not claim is gone, or left to the scheduler."""
    status = _process.host().execute(run_id)
    if status in ("failed", "cancelled", "retried"):
        raise RunFailed(status)
    return status


@signals.worker_init.connect
def _starts(sender: Any, **_: Any) -> None:
    """In the parent, which executes nothing unless its pool is one of threads."""
    pool = str(getattr(sender.pool_cls, "__module__", sender.pool_cls))
    if pool.endswith((".gevent", ".eventlet")):
        raise WorkerShutdown("Horae needs a pool of processes or threads: --pool=prefork, threads or solo")
    _process.slots = int(sender.concurrency or 1) if pool.endswith(".thread") else 1
    _process.executes = pool.endswith((".thread", ".solo"))


@signals.worker_ready.connect
def _ready(**_: Any) -> None:
    """Not with the first task: it would find a worker that has yet to import functions, and be published again."""
    if _process.executes:
        _process.host()


@signals.worker_process_init.connect
def _forked(**_: Any) -> None:
    _process.host()


@signals.worker_process_shutdown.connect
@signals.worker_shutdown.connect
def _ends(**_: Any) -> None:
    _process.stop()
