"""Dead letters, through the API: unresolved failed runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

from horae.sdk.calls import KEEP, C, Json, Pages, Request, Resource, When, call, given, instant, pages
from horae.sdk.records import DeadGroup, DeadLetter, Operation

__all__ = ["DeadFilters", "DeadGroup", "DeadLetter", "DeadLetters"]


class DeadFilters(TypedDict, total=False):
    """Filters; None: any."""

    job: str | None
    fingerprint: str | None
    since: When
    until: When


class DeadLetters(Resource[C]):
    @pages
    def list(self, *, limit: int | None = 50, **filters: Unpack[DeadFilters]) -> Pages[DeadLetter]:
        """Newest first."""
        return Pages("dead-letters", DeadLetter, filters, limit)

    @pages
    def groups(self, *, limit: int | None = None, **filters: Unpack[DeadFilters]) -> Pages[DeadGroup]:
        """By cause, the largest group first."""
        return Pages("dead-letters/groups", DeadGroup, filters, limit)

    @call
    def redrive(
        self,
        ids: Sequence[str] | None = None,
        *,
        filter: Json | None = None,
        input: Any = KEEP,
        rate: float | None = None,
    ) -> Request[Operation]:
        """Runs them again, by `ids` or by `filter` (an empty one finds all); `input` replaces that of every run, `rate`
        limits the runs per second. Returns the operation."""
        body = given({"ids": ids and list(ids), "filter": _filter(filter), "rate": rate})
        body = body if input is KEEP else {**body, "input": input}
        return Request("POST", "dead-letters/redrive", body, read=Operation)

    @call
    def discard(
        self, ids: Sequence[str] | None = None, *, filter: Json | None = None, reason: str
    ) -> Request[Operation]:
        """Removes them from the list. Returns the operation."""
        body = given({"ids": ids and list(ids), "filter": _filter(filter), "reason": reason})
        return Request("POST", "dead-letters/discard", body, read=Operation)


def _filter(fields: Json | None) -> Json | None:
    return None if fields is None else given(_plain(fields))


def _plain(fields: Json) -> Json:
    return {name: instant(value) if name in ("since", "until") else value for name, value in fields.items()}
