"""The options of a measurement; the defaults are those of the targets."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    runs: int = 20_000  # queued, to be drained or triggered
    slots: int = 100  # of the worker that drains
    published: int = 100_000  # runs that a broker carries, for engine
    triggers: int = 300  # one at a time, for latency
    wakeups: str = "database"  # or redis: what carries them, for latency
    jobs: int = 20_000  # due at once
    herd: int = 50_000  # due at once while a worker waits for them
    table: int = 0  # jobs in the table; the rest are due some other day
    seconds: float = 20.0  # of looking at idle processes
    minutes: float = 15.0  # that pages stay open
    calls: int = 20_000  # of the worker that calls a server, and of each bare loop beside it
    scripts: int = 2_000  # queued, to be carried out
    clients: int = 16  # connections to the API at the same time
    history: int = 5_000_000  # ended runs, for lists and metrics
