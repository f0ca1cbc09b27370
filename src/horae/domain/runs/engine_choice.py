"""Which engine carries the runs of a queue: the database, where workers claim what is due, or Celery's broker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

DATABASE, CELERY = "database", "celery"
ENGINES = (DATABASE, CELERY)
ANY = "*"  # every queue that is not named


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """`chosen` is what admins chose for a queue, and comes first. `by_queue` are the settings: the engine of a queue,
    or of `*`; all others have the `default`. Without a broker nothing can be chosen."""

    default: str = DATABASE
    by_queue: Mapping[str, str] = field(default_factory=dict)
    chosen: Mapping[str, str] = field(default_factory=dict)
    has_broker: bool = False

    def of(self, queue: str) -> str:
        chosen = self.chosen.get(queue)
        if chosen in ENGINES:  # else of a newer version
            return chosen
        return self.by_queue.get(queue) or self.by_queue.get(ANY) or self.default

    def carried(self, queue: str) -> bool:
        """Whether its runs are published to the broker."""
        return self.of(queue) == CELERY

    def with_chosen(self, chosen: Mapping[str, str]) -> EngineChoice:
        return replace(self, chosen=chosen)

    @property
    def broker(self) -> bool:
        """Whether any queue needs the broker."""
        return CELERY in (self.default, *self.by_queue.values(), *self.chosen.values())


DATABASE_ONLY = EngineChoice()


class CurrentEngines:
    """The choice as this process knows it: its parts share it, and see at once what one of them learns. `choice` is
    replaced whenever it changes."""

    def __init__(self, choice: EngineChoice = DATABASE_ONLY) -> None:
        self.choice = choice

    def carried(self, queue: str) -> bool:
        return self.choice.carried(queue)

    def learn(self, chosen: Mapping[str, str]) -> None:
        """What admins have chosen."""
        if chosen != self.choice.chosen:
            self.choice = self.choice.with_chosen(chosen)
