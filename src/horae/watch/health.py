"""Health checks: what can be wrong with an installation, and what to do about it. Read-only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from horae.accounts.usage import strained
from horae.domain.alerts.alert import AlertRecord
from horae.domain.cluster.process import SchedulerRecord, ShardView, WorkerRecord
from horae.domain.cluster.trouble import Trouble
from horae.domain.explain.definition import WAY_OUT
from horae.domain.explain.explanation import counted, span
from horae.domain.explain.strain import strain_in_words
from horae.domain.jobs.fault import JobFault, Portion
from horae.domain.people.quota import Strained
from horae.domain.runs.engine_choice import DATABASE_ONLY, EngineChoice
from horae.domain.runs.states import SchedulerStatus
from horae.domain.runs.stranded import Stranded, Want, in_words, why_stranded
from horae.domain.sinks.sink import FailingSink
from horae.domain.sinks.words import failing_in_words
from horae.lifecycle.give_back import NOTED_WITHIN
from horae.lifecycle.stranded import find_stranded
from horae.ports import Store, Transaction

_SKEW = timedelta(seconds=2)
_SILENT = timedelta(seconds=15)  # for a scheduler, which beats every two
_NAMED = 5
_PORTION = 1_000  # definitions that are read at a time
_MOST = 10  # wants, alerts that are named
_ALL_ALERTS = "`horae alerts list --of '*'` lists them all"


class State(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check."""

    name: str
    state: State
    finding: str
    remedy: str | None = None


@dataclass(frozen=True, slots=True)
class Cluster:
    """Live processes, as the database knows them."""

    now: datetime
    schedulers: Sequence[SchedulerRecord]
    shards: Sequence[ShardView]
    workers: Sequence[WorkerRecord]
    queues: Sequence[str]
    unreadable: Sequence[str] = ()
    stranded: Sequence[Stranded] = ()
    engines: EngineChoice = DATABASE_ONLY
    strained: Sequence[Strained] = ()
    alerts: Sequence[AlertRecord] = ()  # the most urgent ones that are open
    audible_alerts: int = 0  # all that are open and not silenced
    sinks: Sequence[FailingSink] = ()  # that fail, longest first

    @property
    def alive(self) -> list[SchedulerRecord | WorkerRecord]:
        schedulers = [one for one in self.schedulers if one.status != SchedulerStatus.OFFLINE]
        return [*schedulers, *(worker for worker in self.workers if worker.there)]


async def look(
    tx: Transaction, offline_after: float, shard_lease: float, engines: EngineChoice = DATABASE_ONLY
) -> Cluster:
    """`engines` are those of the settings."""
    found = await find_stranded(tx, offline_after=offline_after, engines=engines)
    counts = await tx.alerts.counts(None)
    return Cluster(
        now=await tx.now(),
        schedulers=await tx.processes.schedulers(shard_lease),
        shards=await tx.processes.shards(),
        workers=found.workers,
        queues=await tx.jobs.queues(),
        unreadable=await tx.unreadable.names(NOTED_WITHIN, _NAMED + 1),
        stranded=found.stranded,
        engines=found.engines,
        strained=await strained(tx),
        alerts=await tx.alerts.worst(None, _MOST),
        audible_alerts=counts.open - counts.silenced,
        sinks=await tx.sinks.failing(_MOST),
    )


@dataclass(frozen=True, slots=True)
class DefinitionCheck:
    """How many there are, and those that this version cannot read."""

    total: int
    faults: Sequence[JobFault]


async def read_definitions(store: Store) -> DefinitionCheck:
    """All of them, which takes seconds if there are very many: for an explicit request, not for a health check."""
    faults: list[JobFault] = []
    total, after = 0, None
    while True:
        portion = await store.read(_portion, after)
        total, after = total + portion.tried, portion.next
        faults += portion.faults
        if after is None:
            return DefinitionCheck(total, faults)


async def _portion(tx: Transaction, after: str | None) -> Portion:
    return await tx.unreadable.portion(after, _PORTION)


def clock(database: datetime, local: datetime) -> Check:
    skew = abs(database - local)
    if skew <= _SKEW:
        return Check("clock", State.OK, "this machine and the database agree")
    return Check(
        "clock",
        State.WARNING,
        f"the clock of this machine is {skew.total_seconds():.0f} s off the database's, which is the one that counts",
        "synchronize both with NTP: nothing breaks, but times in logs do not match",
    )


def scheduling(cluster: Cluster) -> Check:
    owned = [shard for shard in cluster.shards if shard.lease_until is not None and shard.lease_until > cluster.now]
    if not owned:
        return Check(
            "schedulers",
            State.FAILED,
            "no scheduler owns a shard: schedules do not fire",
            "start one with `horae scheduler`",
        )
    if len(owned) < len(cluster.shards):
        free = len(cluster.shards) - len(owned)
        return Check(
            "schedulers",
            State.WARNING,
            f"{free} of {len(cluster.shards)} shards have no owner; their jobs do not fire",
            "this resolves within seconds if a scheduler has just stopped; otherwise start one",
        )
    owners = {shard.owner_id for shard in owned}
    return Check("schedulers", State.OK, f"{len(owners)} alive, all {len(cluster.shards)} shards owned")


def working(cluster: Cluster) -> list[Check]:
    alive = [worker for worker in cluster.workers if worker.there]
    if not alive:
        return [
            Check("workers", State.FAILED, "no worker is alive: runs do not start", "start one with `horae worker`")
        ]
    slots = sum(worker.slots for worker in alive)
    busy = sum(worker.busy for worker in alive)
    found = [Check("workers", State.OK, f"{len(alive)} alive, {busy} of {slots} slots busy")]
    if unserved := _unserved(cluster, alive):
        names = ", ".join(unserved[:10])
        found.append(
            Check(
                "queues",
                State.WARNING,
                f"no worker serves {names}",
                f"start one with `horae worker --queues {unserved[0]}`, or without --queues for all",
            )
        )
    return found


def waiting(cluster: Cluster) -> list[Check]:
    """Runs of any project that no live worker can execute."""
    sentences = list(in_words(cluster.stranded, cluster.now).items())
    found = [
        Check("stranded", State.WARNING, sentence, _unblock(want, cluster)) for want, sentence in sentences[:_MOST]
    ]
    if len(sentences) > _MOST:
        found.append(Check("stranded", State.WARNING, f"and {len(sentences) - _MOST} more of the same kind"))
    return found


def _unblock(want: Want, cluster: Cluster) -> str | None:
    return why_stranded(*want, cluster.workers, cluster.now, cluster.engines).unblock


def alerting(cluster: Cluster) -> list[Check]:
    """Open alerts that are not silenced. A critical one about the installation counts as a failure; trouble of a
    project's jobs does not mean that Horae does not work."""
    found = [
        Check(
            "alert",
            State.FAILED if alert.project_id is None and alert.severity == "critical" else State.WARNING,
            f"{alert.severity}, for {span(cluster.now - alert.since)}"
            f"{f', in project {alert.project}' if alert.project else ''}: {alert.title}",
            alert.action.text,
        )
        for alert in cluster.alerts
    ]
    if (more := cluster.audible_alerts - len(found)) > 0:
        found.append(Check("alert", State.WARNING, f"and {counted(more, 'more open alert')}", _ALL_ALERTS))
    return found


def emitting(cluster: Cluster) -> list[Check]:
    """Sinks that events cannot be sent to."""
    remedy = "`horae sinks list` shows what waits; events are kept for `keep_for`, then dropped"
    return [Check("events", State.WARNING, failing_in_words(one, cluster.now), remedy) for one in cluster.sinks]


def isolating(cluster: Cluster) -> list[Check]:
    """Workers on which nothing separates an owner of a project from the installation."""
    by_reason: dict[str, list[str]] = {}
    for worker in cluster.workers:
        if worker.there and worker.isolation is not None and (why := worker.isolation.owner_is_admin):
            by_reason.setdefault(why, []).append(worker.name)
    return [
        Check(
            "isolation",
            State.WARNING,
            f"an owner of any project that {', '.join(names[:_NAMED])}{', …' if len(names) > _NAMED else ''} serves is "
            f"an admin: {why}",
            "set HORAE_SCRIPT_USER, or run workers as a user that is not root and install bubblewrap; bind them to "
            "projects with --projects; or trust every owner",
        )
        for why, names in by_reason.items()
    ]


def bounding(cluster: Cluster) -> list[Check]:
    """Projects whose quotas are nearly used up, or have recently refused something."""
    sentences = [strain_in_words(one, cluster.now) for one in cluster.strained]
    if not sentences:
        return []
    more = f"; and {len(sentences) - _MOST} more" if len(sentences) > _MOST else ""
    return [
        Check(
            "quotas",
            State.WARNING,
            f"{'; '.join(sentences[:_MOST])}{more}",
            f"`horae projects quota {cluster.strained[0].project}` shows them all, and sets them",
        )
    ]


_GRAVE = ("claim", "report", "report aside", "fire", "fire apart", "sweep", "publish")  # without these, work stops


def failing(cluster: Cluster) -> list[Check]:
    """Processes that are alive but keep failing at something, as reported with their heartbeats."""
    alive: list[tuple[str, Trouble | None]] = [
        (f"scheduler {one.host.hostname} (process {one.host.pid})", one.trouble)
        for one in cluster.schedulers
        if cluster.now - one.heartbeat_at < _SILENT
    ]
    alive += [(f"worker {one.name}", one.trouble) for one in cluster.workers if one.there]
    return [
        Check(
            trouble.loop,
            State.FAILED if trouble.loop in _GRAVE else State.WARNING,
            f"{name} has failed to {trouble.task} for {span(cluster.now - trouble.since)}: {trouble.reason}",
            "fix the cause; its log has the full error, and it keeps trying",
        )
        for name, trouble in alive
        if trouble is not None
    ]


def definitions(cluster: Cluster, read: DefinitionCheck) -> list[Check]:
    """Jobs that this version cannot read, and those that another process could not read recently."""
    own = {fault.name for fault in read.faults}
    others = [name for name in cluster.unreadable if name not in own]
    found = []
    if read.faults:
        listed = "; ".join(f"{one.name} (project {one.project}): {one.reason}" for one in read.faults[:_NAMED])
        more = f"; and {len(read.faults) - _NAMED} more" if len(read.faults) > _NAMED else ""
        number = f"{len(read.faults)} of {counted(read.total, 'job')}"
        found.append(Check("definitions", State.WARNING, f"this version cannot read {number}: {listed}{more}", WAY_OUT))
    if others:
        more = " and others" if len(others) > _NAMED else ""
        found.append(
            Check(
                "definitions",
                State.WARNING,
                f"at least one process cannot read, and skips, {', '.join(others[:_NAMED])}{more}",
                f"`horae why {others[0]}` says which one and why; {WAY_OUT}",
            )
        )
    return found or [Check("definitions", State.OK, f"{counted(read.total, 'job')} can be read")]


def versions(own: str, others: Iterable[SchedulerRecord | WorkerRecord]) -> Check:
    different = sorted({other.version for other in others} - {own})
    if not different:
        return Check("versions", State.OK, f"all run {own}")
    return Check(
        "versions",
        State.WARNING,
        f"this is {own}; others run {', '.join(different)}",
        "fine during a rolling upgrade; finish it",
    )


def _unserved(cluster: Cluster, alive: Sequence[WorkerRecord]) -> list[str]:
    carrier = cluster.engines.of
    return sorted(
        queue for queue in set(cluster.queues) if not any(worker.takes(queue, carrier(queue)) for worker in alive)
    )
