"""Which of the names that workers report the members of a project may see. The name of a queue or project may reveal
what other projects do: those are only counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sight:
    """The names that may be seen; `EVERYTHING` for admins."""

    queues: frozenset[str] | None = None
    projects: frozenset[str] | None = None


EVERYTHING = Sight()


def seen(names: Sequence[str], visible: frozenset[str] | None) -> tuple[list[str], int]:
    """The names that may be seen, and how many others there are."""
    shown = [name for name in names if visible is None or name in visible]
    return shown, len(names) - len(shown)
