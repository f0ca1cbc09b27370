"""The world outside the database: clocks, randomness, wake-ups, executors."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import Protocol, runtime_checkable

from horae.domain.jobs.function_path import FoundPaths
from horae.domain.runs.attempt import Attempt
from horae.domain.runs.claimable import Offer
from horae.domain.runs.events import Event
from horae.domain.runs.outcome import Outcome
from horae.domain.secrets.secret import Sealed


class Clock(Protocol):
    """Local time. Times that are compared across machines use the database's clock instead (`Transaction.now`)."""

    def now(self) -> datetime: ...

    def monotonic(self) -> float:
        """Monotonic seconds, which keep counting while the machine is suspended."""
        ...


class Ids(Protocol):
    """The source of ids (UUIDv7, as text) and of randomness."""

    def new(self) -> str: ...

    def chance(self) -> float:
        """A number in [0, 1)."""
        ...


Hint = str
"""What a wake-up is about: `runs:QUEUE`, `jobs`, `shards`, `cancel:WORKER_ID`, `workers:HOST`, `remote`, `events`,
`sinks`. It may be lost; polling is the truth."""


class Wakeups(Protocol):
    """Carries hints between processes. `on_lost` is called when their connection was found dead: others to the same
    server may be dead as well."""

    on_lost: Callable[[], Awaitable[None]]

    @property
    def reliable(self) -> bool:
        """Whether hints normally arrive, so that idle processes may poll rarely."""
        ...

    @property
    def trouble(self) -> str | None:
        """Why hints have not arrived for a while although they should, as in `domain/cluster/trouble.py`; None if they
        do, or if that is the database's trouble. Thread-safe."""
        ...

    def join(self, installation: str) -> None:
        """Whose hints these are. Called before any are sent: a server may carry those of several installations."""
        ...

    async def start(self, topics: Collection[str], on_hint: Callable[[Hint], None]) -> None:
        """Calls `on_hint` for each hint whose topic (the part before the colon) is among `topics`."""
        ...

    async def send(self, hints: Collection[Hint]) -> None:
        """Never raises: a hint that cannot be sent is dropped, and logged once."""
        ...

    def doubt(self) -> None:
        """Another connection to the same server was found dead: the one that carries hints may be dead too."""
        ...

    async def close(self) -> None: ...


class Engine(Protocol):
    """Carries runs to workers. The database decides what may be claimed; an engine ensures that a worker claims it.
    What it loses is found by polling, or published again."""

    async def offer(self, offer: Offer) -> None:
        """Called after the commit that made these runs claimable. Never raises."""
        ...


Observer = Callable[[Event], None]
"""Gets events about runs and users' actions, after the commit. It is called on the path of every run: it must be fast,
and never raise."""


class Executor(Protocol):
    """Performs attempts of one target kind. It never touches the store. To end an attempt, a worker sets `attempt.stop`
    and cancels the task; `execute` then stops everything it started and re-raises."""

    def offers(self) -> Iterable[str]:
        """The capabilities this adds to a worker, as in `Target.needs`."""
        ...

    async def execute(self, attempt: Attempt) -> Outcome: ...

    async def close(self) -> None: ...


@runtime_checkable
class Starting(Protocol):
    """An executor with work to do when its worker starts, on the worker's loop."""

    async def start(self) -> None: ...


class PathLearner(Protocol):
    """Learns the functions that admins registered by path."""

    async def learn(self, paths: Mapping[str, str]) -> FoundPaths: ...


class Seals(Protocol):
    """Encrypts the values of secrets for the store, and decrypts them."""

    @property
    def key_id(self) -> str:
        """The name of the current encryption key."""
        ...

    def seal(self, project_id: str, name: str, value: str) -> Sealed: ...
    def open(self, sealed: Sealed) -> str:
        """Raises CannotOpen."""
        ...
