"""Time series: what happened in a minute, an hour or a day, for a project, one of its queues, a worker or the
installation. Minutes add up to exactly their hour and their day."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from horae.domain.runs.spread import Spread, merged, pairs, read_pairs
from horae.domain.text.ids import NIL

MINUTE, HOUR, DAY = 60, 3_600, 86_400
STEPS = (MINUTE, HOUR, DAY)
MINUTES_KEPT = 2 * 86_400.0  # seconds
INSTALLATION = NIL  # instead of a project
WHOLE = ""  # the subject that means a whole project
_QUEUE = "queue:"
OTHERS = f"{_QUEUE}(others)"  # not a valid name of a queue
_QUEUES, _QUEUES_OF_ALL = 50, 100  # with their own buckets, per day: of a project, of the installation

_ADDED = ("retries", "timed_out", "samples", "queued", "running", "slots")
_HIGHEST = ("most_queued", "oldest_ms", "most_running", "done", "all_queued", "dead_letters")


def queue_subject(queue: str) -> str:
    return f"{_QUEUE}{queue}"


def is_queue(subject: str) -> bool:
    return subject.startswith(_QUEUE)


def queue_of(subject: str) -> str:
    return subject.removeprefix(_QUEUE)


def worker_subject(worker_id: str) -> str:
    return f"worker:{worker_id}"


@dataclass(slots=True)
class Bucket:
    """`ended` by status; `lateness` and `duration` of runs that started and were not cancelled. Values that are sampled
    once a minute are summed, for means (`queued`, `running`, `slots`), and their maximum is kept. `done` is the total
    number of runs that a worker had executed by then. `all_queued`, due or not, and `dead_letters` are of the
    installation, for its metrics. `queues`, of a project's day: the subjects of queues that have
    their own buckets."""

    ended: dict[str, int] = field(default_factory=dict)
    lateness: Spread = field(default_factory=dict)
    duration: Spread = field(default_factory=dict)
    retries: int = 0
    timed_out: int = 0
    samples: int = 0
    queued: int = 0
    running: int = 0
    slots: int = 0
    most_queued: int = 0
    oldest_ms: int = 0
    most_running: int = 0
    done: int = 0
    all_queued: int = 0
    dead_letters: int = 0
    queues: list[str] = field(default_factory=list)

    def add(self, other: Bucket) -> None:
        for status, count in other.ended.items():
            self.ended[status] = self.ended.get(status, 0) + count
        self.lateness = merged((self.lateness, other.lateness))
        self.duration = merged((self.duration, other.duration))
        for name in _ADDED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in _HIGHEST:
            setattr(self, name, max(getattr(self, name), getattr(other, name)))

    def add_beside(self, other: Bucket) -> None:
        """Adds what happened at the same time elsewhere."""
        samples = max(self.samples, other.samples)
        queued, running = self.most_queued + other.most_queued, self.most_running + other.most_running
        self.add(other)
        self.samples, self.most_queued, self.most_running = samples, queued, running

    @property
    def weight(self) -> int:
        """How much went on."""
        return sum(self.ended.values()) + self.queued + self.running

    def to_json(self) -> dict[str, Any]:
        """Without empty fields."""
        spreads = {"lateness": pairs(self.lateness), "duration": pairs(self.duration)}
        numbers = {name: getattr(self, name) for name in (*_ADDED, *_HIGHEST)}
        everything = {"ended": self.ended, **spreads, **numbers, "queues": self.queues}
        return {name: value for name, value in everything.items() if value}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Bucket:
        """Damaged values are ignored."""
        ended, queues = stored.get("ended"), stored.get("queues")
        return cls(
            ended={k: v for k, v in ended.items() if isinstance(v, int)} if isinstance(ended, dict) else {},
            lateness=read_pairs(stored.get("lateness")),
            duration=read_pairs(stored.get("duration")),
            **{name: _number(stored.get(name)) for name in (*_ADDED, *_HIGHEST)},
            queues=[one for one in queues if isinstance(one, str)] if isinstance(queues, list) else [],
        )


class Slot(NamedTuple):
    """Identifies a bucket: its subject and time. `step` is its length in seconds."""

    project_id: str
    subject: str
    step: int
    at: datetime


class Load(NamedTuple):
    """The live runs of a project in a queue: due ones that wait, how long the oldest has waited, and running ones."""

    project_id: str
    queue: str
    queued: int
    oldest_ms: int
    running: int


class WorkerLoad(NamedTuple):
    worker_id: str
    slots: int
    busy: int
    done: int


@dataclass(frozen=True, slots=True)
class Sample:
    """The state at a moment. `queued` are all of them, due or not."""

    at: datetime
    loads: tuple[Load, ...]
    workers: tuple[WorkerLoad, ...]
    queued: int = 0
    dead_letters: int = 0


def begin(at: datetime, step: int) -> datetime:
    """The start of the bucket that contains this moment."""
    return datetime.fromtimestamp(at.timestamp() // step * step, UTC)


def slots(project_id: str, subject: str, at: datetime) -> Iterable[Slot]:
    """The minute, the hour and the day of a moment."""
    return (Slot(project_id, subject, step, begin(at, step)) for step in STEPS)


def rolled(minutes: Mapping[Slot, Bucket]) -> dict[Slot, Bucket]:
    """What minutes add to themselves, their hour and their day."""
    found: dict[Slot, Bucket] = {}
    for minute, bucket in minutes.items():
        for slot in slots(minute.project_id, minute.subject, minute.at):
            found.setdefault(slot, Bucket()).add(bucket)
    return found


def bounded(minutes: Mapping[Slot, Bucket], stored: Mapping[Slot, Bucket]) -> dict[Slot, Bucket]:
    """Minutes of queues, of which jobs may name any number: so many of a project have their own buckets each day,
    the busiest of those that come first, and the others share one. `stored` has the days of their projects, which
    remember them."""
    midnight = {at: begin(at, DAY) for at in {slot.at for slot in minutes}}
    days = {slot: stored[Slot(slot.project_id, WHOLE, DAY, midnight[slot.at])] for slot in minutes}
    for slot in sorted(minutes, key=lambda slot: -minutes[slot].weight):
        own, most = days[slot].queues, _QUEUES_OF_ALL if slot.project_id == INSTALLATION else _QUEUES
        if len(own) < most and slot.subject not in own and slot.subject != OTHERS:
            own.append(slot.subject)
    found: dict[Slot, Bucket] = {}
    for slot, bucket in minutes.items():
        place = slot if slot.subject in days[slot].queues else slot._replace(subject=OTHERS)
        found.setdefault(place, Bucket()).add_beside(bucket)
    return found


def sampled(sample: Sample) -> dict[Slot, Bucket]:
    """What a sample adds. The installation always has a bucket, so that a minute without one is known to be a gap."""
    found: dict[tuple[str, str], Bucket] = {(INSTALLATION, WHOLE): Bucket()}
    for load in sample.loads:
        for project_id in (load.project_id, INSTALLATION):
            for subject in (WHOLE, queue_subject(load.queue)):
                bucket = found.setdefault((project_id, subject), Bucket())
                bucket.queued += load.queued
                bucket.running += load.running
                bucket.oldest_ms = max(bucket.oldest_ms, load.oldest_ms)
    whole = found[INSTALLATION, WHOLE]
    whole.slots = sum(worker.slots for worker in sample.workers)
    whole.all_queued, whole.dead_letters = sample.queued, sample.dead_letters
    for worker in sample.workers:
        found[INSTALLATION, worker_subject(worker.worker_id)] = Bucket(
            running=worker.busy, slots=worker.slots, done=worker.done
        )
    for bucket in found.values():
        bucket.samples, bucket.most_queued, bucket.most_running = 1, bucket.queued, bucket.running
    minute = begin(sample.at, MINUTE)
    return {Slot(*whose, MINUTE, minute): bucket for whose, bucket in found.items()}


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0
