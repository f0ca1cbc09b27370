"""Pagination: a page of a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list; `next` is where the following page begins, None at the end."""

    items: list[T]
    next: str | None

    @classmethod
    def of(cls, found: Sequence[T], limit: int, key: Callable[[T], str]) -> Page[T]:
        """From the rows of a query for `limit` + 1: the extra one shows that there is another page."""
        return cls(list(found[:limit]), key(found[limit - 1]) if len(found) > limit else None)
