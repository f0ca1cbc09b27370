"""Which engine carries the runs of a queue: the database, where workers claim what is due, or Celery's broker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

DATABASE, CELERY = "database", "celery"
ANY = "*"  # every queue that is not named


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """`by_queue` names the engine of a queue, or of `*`; all others have the `default`."""

    default: str = DATABASE
    by_queue: Mapping[str, str] = field(default_factory=dict)

    def of(self, queue: str) -> str:
        return self.by_queue.get(queue) or self.by_queue.get(ANY) or self.default

    def carried(self, queue: str) -> bool:
        """Whether its runs are published to the broker."""
        return self.of(queue) == CELERY

    @property
    def broker(self) -> bool:
        """Whether any queue needs the broker."""
        return CELERY in (self.default, *self.by_queue.values())


DATABASE_ONLY = EngineChoice()
