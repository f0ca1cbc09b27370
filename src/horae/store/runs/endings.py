"""How a run leaves the live table: its move to history, or another turn in its queue. Every change carries the
attempt's fencing token (none for a run that waits): if it no longer matches, nothing happens.

Rows are locked in the order of their ids, as in heartbeats, sweeps and cancels: otherwise a batch that ends and a
heartbeat that renews the same runs would deadlock, and PostgreSQL takes a second to notice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from operator import attrgetter, itemgetter
from typing import Any

from horae.domain.runs.claim import Leased
from horae.domain.runs.ending import Ending, Requeue, Tried
from horae.domain.runs.outcome import SUCCEEDED, Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.store import tables
from horae.store.dialects.base import Connection, Dialect, Move, quoted
from horae.store.rows import batch, put
from horae.store.runs.run_record import CARRIED

_CARRIED = tuple(column for column in CARRIED if column != "status")
_FROM_OUTCOME = ("result", "error", "traceback", "exit_code", "response_code")  # by an outcome
_BROUGHT = ("started_at", "duration_ms", "status", "reason", "outcome", *_FROM_OUTCOME)
_TRIED = ("run_id", "n", "worker_id", "started_at", "duration_ms", "outcome", *_FROM_OUTCOME)

_of_outcome = attrgetter(*_FROM_OUTCOME)
_NO_OUTCOME = (None,) * len(_FROM_OUTCOME)


def _move(d: Dialect, brought: Sequence[str], fixed: Mapping[str, str] | None = None) -> Move:
    """`brought` are the columns that come with the batch, the others are `fixed`."""
    carried = {c: f"r.{quoted(c)}" for c in _CARRIED if c not in brought}
    # In both: from the row, unless its run was claimed ahead.
    news = {c: f"COALESCE(v.{c}, r.{c})" if c in _CARRIED else f"v.{c}" for c in brought}
    return Move(
        rows=batch(d, tables.ending_batch, "id", "token", *brought),
        fits=f"r.id = v.id AND {d.same('r.token', 'v.token')}",
        values=carried | news,
        fixed={**(fixed or {}), "occurrences": "1", "finished_at": d.now},
    )


class _Sql:
    def __init__(self, d: Dialect) -> None:
        self.move = _move(d, _BROUGHT)
        # Most runs succeed without further data: three columns are sent instead of twelve.
        self.move_plain = _move(d, ("duration_ms",), {"status": "'succeeded'"})
        self.move_started = _move(d, ("duration_ms", "started_at"), {"status": "'succeeded'"})
        self.lock = f"SELECT id FROM runs WHERE {d.among('id', 'ids')} ORDER BY id {d.lock}"
        self.requeue_rows = batch(d, tables.requeue_batch, "id", "token", "pause", "uncounted")
        self.requeue = d.update_from(
            "runs",
            self.requeue_rows,
            {
                "status": "'queued'",
                "due_at": d.later("v.pause"),
                "uncounted": "runs.uncounted + v.uncounted",
                "worker_id": "NULL",
                "token": "NULL",
                "lease_until": "NULL",
                "started_at": "NULL",
                "parked": "FALSE",
            },
            "runs.id = v.id AND runs.token = v.token",
        )
        self.pair_rows = batch(d, tables.runs, "id", "token")
        self.release = d.update_from(
            "runs",
            self.pair_rows,
            {
                "attempt": "runs.attempt - 1",
                "status": "'queued'",
                "worker_id": "NULL",
                "token": "NULL",
                "lease_until": "NULL",
                "started_at": "NULL",
            },
            "runs.id = v.id AND runs.token = v.token",
        )
        self.tried_rows = batch(d, tables.attempts, *_TRIED)
        self.tried = d.ignore_duplicates(d.insert_from("attempts", self.tried_rows, {"finished_at": d.now}))


@cache
def _sql(dialect: Dialect) -> _Sql:
    return _Sql(dialect)


async def end(db: Connection, d: Dialect, endings: Sequence[Ending]) -> set[str]:
    sql = _sql(d)
    good = sorted((x for x in endings if x.outcome is SUCCEEDED), key=attrgetter("id"))
    full = sorted((_values(x) for x in endings if x.outcome is not SUCCEEDED), key=itemgetter(0))
    if good and full:
        await db.fetch(sql.lock, {"ids": [ending.id for ending in endings]})
    moved: set[str] = set()
    if any(x.started_at is not None for x in good):
        started = [(x.id, x.token, x.duration_ms, x.started_at) for x in good]
        moved |= await d.hot.move(db, d, sql.move_started, started)
    elif good:
        moved |= await d.hot.move(db, d, sql.move_plain, [(x.id, x.token, x.duration_ms) for x in good])
    if full:
        moved |= await d.hot.move(db, d, sql.move, full)
    return moved


async def requeue(db: Connection, d: Dialect, requeues: Sequence[Requeue]) -> None:
    sql = _sql(d)
    values = [(r.id, r.token, r.pause, 0 if r.counted else 1) for r in requeues]
    await put(db, d, sql.requeue, sql.requeue_rows, values)


async def release(db: Connection, d: Dialect, runs: Sequence[Leased]) -> None:
    sql = _sql(d)
    await put(db, d, sql.release, sql.pair_rows, [(run.id, run.token) for run in runs])


async def tried(db: Connection, d: Dialect, attempts: Sequence[Tried]) -> None:
    sql = _sql(d)
    await put(db, d, sql.tried, sql.tried_rows, [_tried_values(attempt) for attempt in attempts])


def _values(ending: Ending) -> tuple[Any, ...]:
    outcome = ending.outcome
    values = _NO_OUTCOME if outcome is None else _of_outcome(outcome)
    which = (ending.id, ending.token, ending.started_at, ending.duration_ms)
    return (*which, ending.status, ending.reason, _kind(ending), *values)


def _kind(ending: Ending) -> str | None:
    """The detail that the status does not tell; a run that no worker had was not ended by an attempt."""
    if ending.token is None or ending.outcome is None or ending.outcome.kind is AttemptOutcome.SUCCEEDED:
        return None
    return ending.outcome.kind


def _tried_values(tried: Tried) -> tuple[Any, ...]:
    outcome: Outcome = tried.outcome
    which = (tried.run_id, tried.n, tried.worker_id, tried.started_at, tried.duration_ms)
    return (*which, outcome.kind, *_of_outcome(outcome))
