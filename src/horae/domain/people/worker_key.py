"""Worker keys: what an agent may do, and nothing else. A key is bound to projects, queues and capabilities, and may be
bound to the name of one worker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class WorkerKey:
    """A key to be stored: only the digest of its text. `projects` are slugs, and an empty list means all of them, as it
    does for `queues` and `capabilities`; a capability that ends with * stands for all that begin so."""

    id: str
    name: str
    prefix: str
    digest: str
    created_by: str
    projects: tuple[str, ...] = ()
    project_ids: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    worker_name: str | None = None
    expires_at: datetime | None = None

    def offers(self, offered: Sequence[str]) -> tuple[str, ...]:
        """Those of these capabilities that the key allows."""
        return tuple(one for one in offered if not self.capabilities or self.names(one))

    def names(self, offer: str) -> bool:
        """Whether a capability of the key names this one."""
        return any(offer == one or (one.endswith("*") and offer.startswith(one[:-1])) for one in self.capabilities)

    def serves(self, queues: Sequence[str]) -> tuple[str, ...]:
        """Those of these queues that the key allows; all that it allows if none are named. Empty: any queue."""
        if not self.queues or not queues:
            return tuple(queues) or self.queues
        return tuple(one for one in queues if one in self.queues) or (NOWHERE,)


NOWHERE = "\x01"  # no queue has this name


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerKeyRecord(WorkerKey):
    """A key as stored. After a rotation, the text before is valid for a while."""

    created_at: datetime
    previous_prefix: str | None = None
    previous_digest: str | None = None
    previous_until: datetime | None = None
    revoked_at: datetime | None = None

    def digest_of(self, prefix: str) -> str | None:
        return self.digest if prefix == self.prefix else self.previous_digest


@dataclass(frozen=True, slots=True)
class AgentRow:
    """A worker that registered with a key, as the database knows it."""

    name: str
    queues: tuple[str, ...]
    offers: tuple[str, ...]
    is_to_drain: bool
    is_gone: bool  # it signed off, or was declared offline
