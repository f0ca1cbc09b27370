"""Projects take turns, so that one with very many problems delays and hides no other's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Protocol, TypeVar


class _OfProject(Protocol):
    @property
    def project_id(self) -> str | None: ...


T = TypeVar("T", bound=_OfProject)


def in_turn(items: Iterable[T]) -> list[T]:
    """The first of each project, then the second of each, and so on; otherwise in the order given."""
    taken = Counter[str | None]()
    turns: list[tuple[int, T]] = []
    for item in items:
        turns.append((taken[item.project_id], item))
        taken[item.project_id] += 1
    return [item for _, item in sorted(turns, key=lambda turn: turn[0])]
