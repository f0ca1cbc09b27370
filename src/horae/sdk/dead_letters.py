"""Dead letters, through the API: what failed for good, and what becomes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from horae.sdk.calls import KEEP, AsyncResource, Json, Pages, Request, Resource, call, given, instant, pages


class DeadLetterCalls:
    @pages
    def list(self, *, limit: int | None = 50, **filters: Any) -> Pages:
        """Newest first; filters: job, fingerprint, since, until."""
        return Pages("dead-letters", _plain(filters), limit)

    @pages
    def groups(self, *, limit: int | None = None, **filters: Any) -> Pages:
        """By cause; filters as of `list`."""
        return Pages("dead-letters/groups", _plain(filters), limit)

    @call
    def redrive(
        self,
        ids: Sequence[str] | None = None,
        *,
        filter: Json | None = None,
        input: Any = KEEP,
        rate: float | None = None,
    ) -> Request[Json]:
        """Runs them once more, by `ids` or by `filter` (an empty one finds all); `input` replaces that of every run,
        `rate` is how many a second. Gives the operation."""
        body = given({"ids": ids and list(ids), "filter": _filter(filter), "rate": rate})
        return Request("POST", "dead-letters/redrive", body if input is KEEP else {**body, "input": input})

    @call
    def discard(self, ids: Sequence[str] | None = None, *, filter: Json | None = None, reason: str) -> Request[Json]:
        """Takes them off the list. Gives the operation."""
        body = given({"ids": ids and list(ids), "filter": _filter(filter), "reason": reason})
        return Request("POST", "dead-letters/discard", body)


class DeadLetters(DeadLetterCalls, Resource):
    pass


class AsyncDeadLetters(DeadLetterCalls, AsyncResource):
    pass


def _filter(fields: Json | None) -> Json | None:
    return None if fields is None else given(_plain(fields))


def _plain(fields: Json) -> Json:
    return {name: instant(value) if name in ("since", "until") else value for name, value in fields.items()}
