"""`horae scheduler` and `horae worker`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from horae import __version__
from horae.config import Settings
from horae.controllers.stored import StoreController
from horae.domain.cluster import metrics
from horae.domain.cluster.process import SchedulerSign, WorkerSign
from horae.domain.jobs.retention import Retention
from horae.domain.runs.engine_choice import CELERY, DATABASE
from horae.domain.runs.publication import Republishing
from horae.engines.celery_receiver import Receiver
from horae.lifecycle.reservations import project_ids
from horae.ports import Controller, Executor, Messages, Starting
from horae.processes.host import this_host
from horae.processes.loop import patiently
from horae.processes.settings import AHEAD_FOR, HORIZON, SchedulerSettings, WorkerSettings
from horae.processes.signals import ignore_signals, stop_signals
from horae.sealing import Keyring
from horae.watch.logging import bind
from horae.wiring.alerts import disk_of, settling, thresholds_of
from horae.wiring.engines import celery_of, close_engine, engines_of, messages_for, task_events
from horae.wiring.executors import by_path, commands_for, executors_for, limit_celery, registered, remote_app
from horae.wiring.isolation import isolate
from horae.wiring.notifying import notifiers_for
from horae.wiring.shared import CLOCK, IDS, configured, run, settle_down
from horae.wiring.sinks import EventSenders, SinkWatch
from horae.wiring.stores import store_for, wakeups_for
from horae.wiring.tracing import Tracing
from horae.wiring.watching import Watching, watched

if TYPE_CHECKING:
    from horae.engines.celery_events import TaskEvents
    from horae.executors.commands import CommandRunner
    from horae.processes.worker import Worker
    from horae.store.store import SqlStore


def scheduler(settings: Settings) -> None:
    configured(settings, "scheduler")
    run(watched(settings, "scheduler", partial(_scheduler, settings)))


async def _scheduler(settings: Settings, watching: Watching) -> None:
    from horae.processes.scheduler import Scheduler

    stop, _ = stop_signals()
    wakeups = wakeups_for(settings)
    store = await patiently(lambda: store_for(settings, wakeups, connections=3, watched=True), stop)
    if store is None:
        return
    scheduler_id = IDS.new()
    bind(scheduler=scheduler_id)
    notifier, senders = notifiers_for(settings), EventSenders(settings)
    sinks = SinkWatch(store, lambda: wakeups.reliable)
    tracing = Tracing(settings, "scheduler", scheduler_id)
    tracing.watch(store)
    process = Scheduler(
        SchedulerSign(scheduler_id, this_host(), __version__),
        store,
        SchedulerSettings(
            poll=settings.scheduler_poll,
            batch=settings.scheduler_batch,
            shard_lease=settings.shard_lease,
            offline_after=settings.offline_after,
            thresholds=thresholds_of(settings),
            settling=settling(thresholds_of(settings)),
            disk=partial(disk_of, settings),
            retention=Retention(
                runs=settings.retention,
                logs=settings.log_retention,
                audit=settings.audit_retention,
                hours=settings.hourly_retention,
                days=settings.daily_retention,
                versions=settings.version_retention,
                versions_kept=settings.versions_kept,
                deliveries=settings.delivery_retention,
                finished_jobs=settings.finished_job_retention,
            ),
            seals=Keyring(settings.secret_key, settings.secret_key_previous) if settings.secret_key else None,
            public_url=settings.public_url,
            engines=engines_of(store),
            publisher=celery_of(store),
            republishing=Republishing(after=settings.republish_after),
            events=senders,
            event_source=settings.public_url or "/horae",
        ),
        shard_count=store.shard_count,
        clock=CLOCK,
        ids=IDS,
        hints_arrive=lambda: wakeups.reliable,
        notifier=notifier,
    )
    watching.shows(process, store, wakeups)
    topics = ("jobs", "shards", "notices", "publish", "events", "sinks")
    await wakeups.start(topics, watching.heard(sinks.heard(process.on_hint)))
    await sinks.start()
    try:
        settle_down()
        await process.run(stop)
    finally:
        await sinks.close()
        await notifier.close()
        await senders.close()
        await close_engine(store)
        await wakeups.close()
        await store.close()
        tracing.close()
        ignore_signals()


@dataclass(frozen=True)
class WorkerPlan:
    """What a worker serves, and what it does it with. `messages` are those of a broker, if its runs come from one."""

    queues: tuple[str, ...]
    projects: tuple[str, ...]
    slots: int
    executors: dict[str, Executor]
    commands: CommandRunner
    messages: Messages | None = None


def worker(
    settings: Settings, *, queues: Sequence[str], projects: Sequence[str], slots: int, imports: Sequence[str]
) -> None:
    """The engine of the settings is that of the worker; which queues a broker carries is another question."""
    configured(settings, "worker")
    commands = commands_for(settings)
    executors = executors_for(settings, slots, imports, commands)
    messages = messages_for(settings, settings.engine)
    plan = WorkerPlan(tuple(queues), tuple(projects), slots, executors, commands, messages)
    run(watched(settings, "worker", partial(_worker, settings, plan)))


async def _worker(settings: Settings, plan: WorkerPlan, watching: Watching) -> None:
    try:
        await work(settings, plan, watching, stop_signals())
    finally:
        ignore_signals()


async def work(
    settings: Settings, plan: WorkerPlan, watching: Watching, stops: tuple[asyncio.Event, asyncio.Event]
) -> None:
    """Works until the first of these events, and drains until the second."""
    from horae.processes.worker import Worker

    stop, stop_now = stops
    projects, executors = plan.projects, plan.executors
    isolation = await isolate(settings, plan.commands)
    wakeups = wakeups_for(settings)
    store = await patiently(lambda: store_for(settings, wakeups, connections=3, plan_once=True, watched=True), stop)
    if store is None:
        return
    bound = await patiently(lambda: store.transact(project_ids, projects), stop) if projects else {}
    if bound is None:
        return
    slugs = {*(settings.celery_tasks or ()), *(settings.celery_queues or ())} - {"*"}
    limited = await patiently(lambda: store.transact(project_ids, sorted(slugs)), stop) if slugs else {}
    if limited is None:
        return
    limit_celery(executors, settings, {slug: key for key, slug in limited.items()})

    loop = asyncio.get_running_loop()

    seals = Keyring(settings.secret_key, settings.secret_key_previous) if settings.secret_key else None

    async def beside() -> Controller:
        made = store.beside(connections=1)
        made.on_lost = lambda: loop.call_soon_threadsafe(wakeups.doubt)
        return StoreController(made, IDS.chance)

    host, worker_id = this_host(), IDS.new()
    bind(worker=worker_id)
    tracing = Tracing(settings, "worker", worker_id)
    tracing.watch(store)
    offers = tuple(sorted(offer for executor in executors.values() for offer in executor.offers()))
    remote, controller = remote_app(executors), StoreController(store, IDS.chance, seals)
    process = Worker(
        WorkerSign(
            worker_id,
            f"{host.hostname}-{host.pid}",
            host,
            __version__,
            () if projects else plan.queues,
            offers,
            plan.slots,
            projects,
            isolation,
            DATABASE if plan.messages is None else CELERY,
        ),
        controller,
        tracing.traced(executors),
        WorkerSettings(
            slots=plan.slots,
            queues=plan.queues,
            project_ids=tuple(bound),
            prefetch=settings.worker_prefetch,
            # A lease is much longer than any wait for a slot.
            horizon=min(HORIZON, settings.lease / 12),
            ahead_for=min(AHEAD_FOR, settings.lease / 4),
            poll=settings.worker_poll,
            poll_max=settings.worker_poll_max,
            lease=settings.lease,
            heartbeat=settings.heartbeat,
            drain_timeout=settings.drain_timeout,
            log_limit=settings.log_limit,
            grace=settings.grace,
            functions=(*(registered() if "python" in executors else ()), *(remote.functions if remote else ())),
            by_path=by_path(executors),
            engines=engines_of(store),
            messages=plan.messages,
            remote=None if remote is None else (controller.tasks, remote),
        ),
        clock=CLOCK,
        ids=IDS,
        open_controller=beside,
        hints_arrive=lambda: wakeups.reliable,
    )
    watching.shows(process, store, wakeups)
    if remote is not None:
        store.observers = (*store.observers, process.observe)
    events = _watch_messages(settings, plan.messages, process, store)
    sinks = SinkWatch(store, lambda: wakeups.reliable)
    topics = ("runs", "cancel", "workers", "remote", "sinks")
    await wakeups.start(topics, watching.heard(sinks.heard(process.on_hint)))
    await sinks.start()
    try:
        for executor in executors.values():
            if isinstance(executor, Starting):
                await executor.start()
        settle_down()
        await process.run(stop, stop_now)
    finally:
        if events is not None:
            await events.close()
        await sinks.close()
        if remote is not None:
            await remote.close()
        await close_engine(store)
        await wakeups.close()
        await store.close()
        tracing.close()


def _watch_messages(settings: Settings, messages: object, process: Worker, store: SqlStore) -> TaskEvents | None:
    """Counts those of a broker that were rejected, and sends the events of their tasks if the settings say so."""
    if not isinstance(messages, Receiver):
        return None
    messages.on_malformed = partial(process.meters.add, metrics.REJECTED)
    events = task_events(settings, process.sign.name, lambda: process.beat().busy)
    if events is not None:
        store.observers = (*store.observers, events.observe)
        events.start()
    return events
