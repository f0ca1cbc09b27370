"""Dead letters, through the API: failed runs that nobody has resolved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

from horae.sdk.calls import KEEP, C, Json, Pages, Request, Resource, When, call, given, instant, pages
from horae.sdk.record import Record
from horae.sdk.runs import Operation


class DeadLetter(Record):
    """A failed run; `id` is the run's."""

    __slots__ = ()

    id: str
    job_id: str
    job_name: str
    version: int
    fingerprint: str
    error: str | None
    failed_at: str
    trigger: str
    attempt: int
    uncounted: int  # attempts that do not count towards max_attempts
    max_attempts: int
    exit_code: int | None
    response_code: int | None
    input: Any
    truncated: list[str]  # ["input"] if it is left out because it is long
    scheduled_for: str | None
    triggered_by: str | None
    created_at: str


class DeadGroup(Record):
    """Failures of one cause: of one job, with the same exit or response code, and with errors that differ only in
    numbers and ids. `error` is that of the newest."""

    __slots__ = ()

    fingerprint: str
    count: int
    first_at: str
    last_at: str
    last_run_id: str
    error: str | None
    exit_code: int | None
    response_code: int | None
    jobs: list[Json]


class DeadFilters(TypedDict, total=False):
    """Which dead letters are meant; what is None is left open."""

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
        """Runs them once more, by `ids` or by `filter` (an empty one finds all); `input` replaces that of every run,
        `rate` is how many a second. Gives the operation."""
        body = given({"ids": ids and list(ids), "filter": _filter(filter), "rate": rate})
        body = body if input is KEEP else {**body, "input": input}
        return Request("POST", "dead-letters/redrive", body, read=Operation)

    @call
    def discard(
        self, ids: Sequence[str] | None = None, *, filter: Json | None = None, reason: str
    ) -> Request[Operation]:
        """Takes them off the list. Gives the operation."""
        body = given({"ids": ids and list(ids), "filter": _filter(filter), "reason": reason})
        return Request("POST", "dead-letters/discard", body, read=Operation)


def _filter(fields: Json | None) -> Json | None:
    return None if fields is None else given(_plain(fields))


def _plain(fields: Json) -> Json:
    return {name: instant(value) if name in ("since", "until") else value for name, value in fields.items()}
