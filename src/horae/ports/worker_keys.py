"""Worker keys, and the agents that registered with them."""

from __future__ import annotations

from typing import Protocol

from horae.domain.people.worker_key import AgentRow, WorkerKey, WorkerKeyRecord


class WorkerKeys(Protocol):
    async def add(self, key: WorkerKey) -> None: ...
    async def all(self, limit: int) -> list[WorkerKeyRecord]:
        """Newest first, without those that were revoked."""
        ...

    async def find(self, key_id: str, *, lock: bool = False) -> WorkerKeyRecord | None:
        """None if it was revoked."""
        ...

    async def by_prefix(self, prefix: str) -> WorkerKeyRecord | None:
        """The valid key whose text, or text before its rotation, begins so."""
        ...

    async def rotate(self, key_id: str, prefix: str, digest: str, overlap: float) -> None:
        """The text before stays valid for so many seconds."""
        ...

    async def revoke(self, key_id: str) -> list[str]:
        """Returns the ids of its workers."""
        ...

    async def agent(self, key_id: str, worker_id: str, *, write: bool = False) -> AgentRow | None:
        """A worker of a key that is still valid; its row stays as it is until the transaction ends.
        `write`: this transaction changes it."""
        ...

    async def drain(self, worker_id: str) -> None:
        """The agent takes no more runs."""
        ...
