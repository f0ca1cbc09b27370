"""A broker that carries runs to workers: what is published to it, what arrives from it, and what the database knows
about that. A message is only a hint that a run can be claimed: it may be lost, late, doubled or forged."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from horae.domain.runs.claim import Claimant
from horae.domain.runs.claimable import Claimable
from horae.domain.runs.publication import Position, Published, RunLane, Unclaimed


class Publications(Protocol):
    """When queued runs were published (`runs.published_at`)."""

    async def lanes(self, carried: Callable[[str], bool]) -> list[RunLane]:
        """The lanes of carried queues that are not paused."""
        ...

    async def due(
        self, portions: Sequence[tuple[RunLane, Position]], *, within: float, limit: int
    ) -> list[tuple[RunLane, Published]]:
        """From each lane, the runs after a position that are due within so many seconds, in order; up to `limit` of
        each."""
        ...

    async def unpublished(self, run_ids: Collection[str]) -> list[Claimable]:
        """Those of these runs that are due, can be claimed and were not published since they became due."""
        ...

    async def confirm(self, run_ids: Collection[str]) -> None:
        """The broker has them."""
        ...

    async def withdraw(self, run_ids: Collection[str]) -> None:
        """The broker does not have them any more, although they are still queued."""
        ...

    async def unclaimed(self, run_ids: Collection[str], claimant: Claimant) -> Unclaimed:
        """Why these runs, which a message named, could not be claimed."""
        ...


class Publisher(Protocol):
    """Publishes runs to the broker."""

    async def publish(self, runs: Sequence[Claimable], *, again: bool = False) -> None:
        """Returns when the broker has confirmed all of them; `again` only counts. Raises BrokerUnavailable."""
        ...

    async def depths(self, queues: Collection[str]) -> Mapping[str, int]:
        """How many messages wait in each of these queues. Raises BrokerUnavailable."""
        ...


class RunMessage(Protocol):
    """A message that names a run."""

    @property
    def run_id(self) -> str: ...


class Messages(Protocol):
    """The messages that arrive for a worker. All methods are called on the worker's loop."""

    @property
    def trouble(self) -> str | None:
        """Why none arrive, if the broker is unreachable."""
        ...

    def start(self, on_message: Callable[[], None]) -> None:
        """`on_message` is called, from any thread, when there is something to take."""
        ...

    def serve(self, queues: Collection[str]) -> None:
        """The queues to consume from."""
        ...

    def want(self, most: int) -> None:
        """How many messages this worker has room for. With 0, those not taken yet go back to the broker."""
        ...

    def take(self, most: int) -> list[RunMessage]: ...
    def done(self, messages: Sequence[RunMessage]) -> None:
        """Acknowledges them."""
        ...

    async def close(self) -> None: ...
