"""Prefetch: runs that a worker has claimed ahead of its free slots, so that one claim and one report cover many short
runs. How many depends on its recent throughput: none if runs are long. A run that does not start within a moment is
released for other workers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from horae.domain.jobs.job import JobSpec
from horae.domain.runs.attempt import Lease
from horae.domain.runs.claim import Ahead, Claimed
from horae.ports import Clock
from horae.processes.settings import WorkerSettings
from horae.processes.vault import Opened

_WINDOW = 0.02  # seconds over which the slots' pace is measured


Key = tuple[str, str]
"""Run id and token."""


class Arrival:
    """When the runs of a claim arrived here: by Clock.monotonic, and by the database's clock."""

    __slots__ = ("_asked", "_at", "_told", "since")

    def __init__(self, since: float, at: datetime) -> None:
        self.since, self._at = since, at
        self._asked, self._told = since, at

    def time(self, now: float) -> datetime:
        """The database's time at that moment. The last one is kept: many runs start at once."""
        if now != self._asked:
            self._asked, self._told = now, self._at + timedelta(seconds=now - self.since)
        return self._told


class Ready(NamedTuple):
    """A claimed run with everything it needs to start."""

    run: Claimed
    job: JobSpec
    opened: Opened | None
    lease: Lease
    arrival: Arrival

    def begins(self, now: float) -> Claimed:
        """The run with its actual start, by the database's clock."""
        return self.run.starting(self.arrival.time(now)) if self.run.ahead else self.run


class Prefetch:
    def __init__(self, settings: WorkerSettings, clock: Clock) -> None:
        self._settings, self._clock = settings, clock
        self._ready: OrderedDict[Key, Ready] = OrderedDict()  # claimed first, first out
        self._pace = 0.0  # runs per second
        self._ended = 0  # since the pace was measured
        self._seconds = 0.0  # that they took
        self._target = 0  # how many are to be here
        self._measured_at = clock.monotonic()

    def __len__(self) -> int:
        return len(self._ready)

    def held(self) -> dict[str, str]:
        """Run id → token. From any thread."""
        return dict(list(self._ready))

    def add(self, ready: Iterable[Ready]) -> None:
        for one in ready:
            self._ready[one.run.id, one.run.token] = one

    def take(self, most: int) -> list[Ready]:
        """The run that has waited longest; None if it has waited too long to start here."""
        if self._waited() >= self._settings.ahead_for:
            return []
        return [self._ready.popitem(last=False)[1] for _ in range(min(most, len(self._ready)))]

    def find(self, run_id: str, token: str) -> Ready | None:
        """From any thread."""
        return self._ready.get((run_id, token))

    def remove(self, run_id: str, token: str) -> Ready | None:
        return self._ready.pop((run_id, token), None)

    def empty(self) -> list[Ready]:
        """Removes all runs. A number that was too large is not tried again soon."""
        ready, self._pace, self._target = list(self._ready.values()), 0.0, 0
        self._ready.clear()
        return ready

    @property
    def stuck(self) -> bool:
        """Whether a run has waited so long that others should get it. Half of the limit: releasing takes time."""
        return self._waited() > self._settings.ahead_for / 2

    def _waited(self) -> float:
        """How long the first of them."""
        return self._clock.monotonic() - next(iter(self._ready.values())).arrival.since if self._ready else 0.0

    def ended(self, seconds: float) -> None:
        """A slot finished a run in that many seconds."""
        self._ended += 1
        self._seconds += seconds

    @property
    def low(self) -> bool:
        """Whether most of the wanted runs have started: claims should be large."""
        return len(self._ready) <= self._target / 4

    def wanted(self) -> Ahead:
        """How many more to claim, from the recent throughput of the slots."""
        now = self._clock.monotonic()
        if (passed := now - self._measured_at) >= _WINDOW:
            short = self._seconds <= self._ended * self._settings.short
            pace = self._ended / passed if short else 0.0
            self._pace = max(pace, (self._pace + pace) / 2 if short else 0.0)
            self._ended, self._seconds, self._measured_at = 0, 0.0, now
        # Including slots: if there are enough for large claims anyway, prefetching gains nothing.
        most = min(int(self._pace * self._settings.horizon), self._settings.prefetch)
        self._target = max(most - self._settings.slots, 0)
        return Ahead(self._target - len(self._ready) if self._target and self.low else 0, self._settings.ahead_for)
