"""The base of all duties of a scheduler, and the state they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import ClassVar

from horae.domain.cluster.process import SchedulerSign
from horae.domain.jobs.fault import LeftOut
from horae.ports import Clock, Ids, Notifier, Store
from horae.processes.duties.contention import Contention
from horae.processes.loop import Loop
from horae.processes.neighbours import IsDead
from horae.processes.settings import SchedulerSettings


@dataclass(slots=True)
class Post:
    """A scheduler's context: what it was given, and what one duty finds out for the others."""

    sign: SchedulerSign
    store: Store
    settings: SchedulerSettings
    shard_count: int
    clock: Clock
    ids: Ids
    hints_arrive: Callable[[], bool]
    surely_dead: IsDead
    shards: list[int] = field(default_factory=list)  # that it owns now
    left_out: tuple[LeftOut, ...] = ()  # due jobs whose definition this scheduler cannot read
    contention: Contention = field(default_factory=Contention)
    notifier: Notifier | None = None  # if None, nothing is sent to channels
    found: Callable[[Collection[str]], None] = lambda _: None  # called with the chores that the sweep has found
    trouble: Callable[[], str | None] = lambda: None  # of a duty that keeps failing
    gained: Callable[[], None] = lambda: None  # called when it owns shards that it did not own before

    @property
    def is_first(self) -> bool:
        """Whether it holds the first shard: that scheduler performs the duties that only one of a cluster should."""
        return 0 in self.shards


RARELY = 15.0  # seconds between two looks of a duty for which the sweep looks, in case that one is delayed


class Duty(ABC):
    """`topics` are those of hints that wake it, and `chores` what the sweep finds for it: so one statement looks for
    several duties, which need not look themselves."""

    name: ClassVar[str]
    topics: ClassVar[frozenset[str]] = frozenset()
    chores: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, post: Post) -> None:
        self.post = post
        self.loop = Loop(self.name, self.step)

    @abstractmethod
    async def step(self) -> float | None:
        """One piece of work; returns the seconds until the next, None to wait for a wake-up."""

    def on_hint(self) -> None:
        self.loop.wake.set()

    async def close(self) -> None:  # noqa: B027 - most have nothing under way
        """Once its loop has ended: waits for work in progress."""
