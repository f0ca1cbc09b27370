"""Systems that execute tasks for parked runs, and what the database knows about these tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from horae.domain.runs.outcome import Outcome
from horae.domain.runs.remote_task import NewRemoteTask, RemoteKey, RemoteTask, RemoteWork, Sighting


class RemoteTasks(Protocol):
    """The tasks of parked runs."""

    async def add(self, tasks: Sequence[NewRemoteTask]) -> None:
        """To be sent. One that is known already is left alone."""
        ...

    async def take(self, app: str, worker_id: str, limit: int, *, owner: str | None = None) -> list[RemoteTask]:
        """Tasks that no worker tracks, or those of this owner; they are this worker's from now on."""
        ...

    async def mark_sent(self, keys: Sequence[RemoteKey]) -> set[RemoteKey]:
        """Before they are sent, so that they are never sent again. Returns those that are still wanted."""
        ...

    async def owners(self, app: str) -> list[str]:
        """The workers that track tasks of this app."""
        ...

    async def release(self, worker_id: str, app: str, limit: int) -> int:
        """This worker does not track so many of them any more; returns how many there were."""
        ...

    async def mark_over(self, keys: Sequence[RemoteKey]) -> None:
        """These attempts have ended: their tasks should be revoked."""
        ...

    async def over(self, app: str, worker_id: str, limit: int) -> list[RemoteKey]:
        """Tasks that were sent and should be revoked, but none that another worker may be sending right now; deletes
        those that were not sent."""
        ...

    async def delete(self, keys: Sequence[RemoteKey]) -> None: ...
    async def prune(self, older_than: float, limit: int) -> int:
        """Deletes tasks whose deadline was so many seconds ago, the oldest first; returns how many."""
        ...


class RemoteApp(Protocol):
    """A system that executes tasks."""

    @property
    def name(self) -> str:
        """The same on all workers that reach the same tasks."""
        ...

    @property
    def at_once(self) -> int:
        """How many tasks one look may ask for."""
        ...

    async def send(self, work: Sequence[RemoteWork]) -> list[Outcome | None]:
        """In the order of `work`: None for a task that was sent or may have been; the failure of one that certainly was
        not. Never raises for a system that is away."""
        ...

    async def look(self, task_ids: Sequence[str]) -> Mapping[str, Sighting]:
        """Those that it knows. Raises BrokerUnavailable."""
        ...

    async def held(self, task_ids: Sequence[str]) -> Mapping[str, bool]:
        """Those that a live worker of the system says it has: whether it alone has it (True), because the message is
        acknowledged, or the broker would deliver it again (False). Raises BrokerUnavailable."""
        ...

    async def revoke(self, task_ids: Sequence[str]) -> None:
        """Queued ones are not executed, running ones are ended. Raises BrokerUnavailable."""
        ...
