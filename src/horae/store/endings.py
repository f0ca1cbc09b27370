"""How a run leaves the live table: its one move to history, or another turn in its queue. Every change carries the
attempt's fencing token (none for a run that waits): where it no longer matches, nothing happens.

Rows are locked in the order of their ids, here as by heartbeats, sweeps and cancels: otherwise a batch that ends and a
heartbeat that renews the same runs would deadlock, and PostgreSQL takes a second to notice.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from operator import attrgetter, itemgetter
from typing import Any

from horae.domain.runs.claimable import Claimable
from horae.domain.runs.dead_letter import Dead
from horae.domain.runs.outcome import SUCCEEDED, Outcome
from horae.domain.runs.run import Ending, Leased, Requeue, Tried
from horae.domain.runs.states import AttemptOutcome
from horae.ports import History
from horae.store import history, tables
from horae.store.aftermath import Aftermath
from horae.store.dialects.base import Connection, Dialect, quoted
from horae.store.rows import Telling, batch
from horae.store.run_record import CARRIED

_CARRIED = tuple(column for column in CARRIED if column != "status")
_TOLD = ("result", "error", "traceback", "exit_code", "response_code")  # by an outcome
_BROUGHT = ("started_at", "duration_ms", "status", "reason", "outcome", *_TOLD)
_TRIED = ("run_id", "n", "worker_id", "started_at", "duration_ms", "outcome", *_TOLD)

_of_outcome = attrgetter(*_TOLD)
_NO_OUTCOME = (None,) * len(_TOLD)


class _Move:
    """The statements that move a batch to history; `brought` are the columns that come with it, the others `fixed`."""

    def __init__(self, d: Dialect, brought: Sequence[str], fixed: dict[str, str] | None = None) -> None:
        fixed = {**(fixed or {}), "occurrences": "1", "finished_at": d.now}
        self.rows = batch(d, tables.ending_batch, "id", "token", *brought)
        fits = f"r.id = v.id AND {d.same('r.token', 'v.token')}"
        carried = [c for c in _CARRIED if c not in brought]
        # What both have: the row, unless its run was claimed ahead.
        news = {c: f"COALESCE(v.{c}, r.{c})" if c in _CARRIED else f"v.{c}" for c in brought}
        into = history.append([*carried, *brought, *fixed])
        self.owned = f"SELECT r.id FROM {self.rows.sql} {d.by_key('runs', 'r')} ON {fits} {d.lock_of('r')}"
        values = [*(f"r.{quoted(c)}" for c in carried), *news.values(), *fixed.values()]
        self.append = f"{into} {', '.join(values)} FROM {self.rows.sql} JOIN runs r ON {fits}"
        gone = ", ".join([f"r.{c} AS r_{c}" for c in carried] + [f"{value} AS v_{c}" for c, value in news.items()])
        values = [*(f"r_{c}" for c in carried), *(f"v_{c}" for c in brought), *fixed.values()]
        self.at_once = (
            f"WITH gone AS (DELETE FROM runs r USING {self.rows.sql} WHERE {fits} RETURNING {gone}) "
            f"{into} {', '.join(values)} FROM gone RETURNING id"
        )


class _Sql:
    def __init__(self, d: Dialect) -> None:
        self.move = _Move(d, _BROUGHT)
        # Most runs succeed and bring nothing more: three columns travel instead of twelve.
        self.move_plain = _Move(d, ("duration_ms",), {"status": "'succeeded'"})
        self.move_started = _Move(d, ("duration_ms", "started_at"), {"status": "'succeeded'"})
        self.lock = f"SELECT id FROM runs WHERE {d.among('id', 'ids')} ORDER BY id {d.lock}"
        self.delete = f"DELETE FROM runs WHERE {d.among('id', 'ids')}"
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
        self.dead_rows = batch(d, tables.dead_letters, "run_id", "job_id", "project_id", "fingerprint")
        self.bury = d.ignore_duplicates(d.insert_from("dead_letters", self.dead_rows, {"failed_at": d.now}))


@cache
def _sql(dialect: Dialect) -> _Sql:
    return _Sql(dialect)


class Endings(Telling):
    def __init__(self, db: Connection, dialect: Dialect, after: Aftermath, history: History) -> None:
        super().__init__(db, dialect, after)
        self.history = history

    async def end(self, endings: Sequence[Ending]) -> set[str]:
        sql = _sql(self.d)
        good = sorted((x for x in endings if x.outcome is SUCCEEDED), key=attrgetter("id"))
        full = sorted((_values(x) for x in endings if x.outcome is not SUCCEEDED), key=itemgetter(0))
        if good and full:
            await self.db.fetch(sql.lock, {"ids": [ending.id for ending in endings]})
        if any(x.started_at is not None for x in good):
            moved = await self._move(sql.move_started, [(x.id, x.token, x.duration_ms, x.started_at) for x in good])
        else:
            moved = await self._move(sql.move_plain, [(x.id, x.token, x.duration_ms) for x in good])
        return moved | await self._move(sql.move, full)

    async def _move(self, move: _Move, values: Sequence[tuple[Any, ...]]) -> set[str]:
        if not values:
            return set()
        params = self.d.rows_params(move.rows, values)
        if self.d.with_may_change:  # one statement, one round trip for a batch: the hot end of every run
            return {row["id"] for row in await self.db.fetch(move.at_once, params)}
        if self.d.insert_returns:
            ids = {row["id"] for row in await self.db.fetch(f"{move.append} RETURNING id", params)}
        else:
            ids = {row["id"] for row in await self.db.fetch(move.owned, params)}
            if ids:
                await self.db.execute(move.append, params)
        if ids:
            await self.db.execute(_sql(self.d).delete, {"ids": ids})
        return ids

    async def requeue(self, requeues: Sequence[Requeue]) -> None:
        sql = _sql(self.d)
        values = [(r.id, r.token, r.pause, 0 if r.counted else 1) for r in requeues]
        await self.put(sql.requeue, sql.requeue_rows, values)
        self.after.offer.add(Claimable(r.id, r.queue, r.priority) for r in requeues)

    async def release(self, runs: Sequence[Leased]) -> None:
        sql = _sql(self.d)
        await self.put(sql.release, sql.pair_rows, [(run.id, run.token) for run in runs])
        self.after.offer.add(Claimable(run.id, run.queue, run.priority) for run in runs)

    async def tried(self, attempts: Sequence[Tried]) -> None:
        sql = _sql(self.d)
        await self.put(sql.tried, sql.tried_rows, [_tried_values(attempt) for attempt in attempts])

    async def bury(self, dead: Sequence[Dead]) -> None:
        sql = _sql(self.d)
        await self.put(sql.bury, sql.dead_rows, [(x.run_id, x.job_id, x.project_id, x.fingerprint) for x in dead])


def _values(ending: Ending) -> tuple[Any, ...]:
    outcome = ending.outcome
    told = _NO_OUTCOME if outcome is None else _of_outcome(outcome)
    which = (ending.id, ending.token, ending.started_at, ending.duration_ms)
    return (*which, ending.status, ending.reason, _kind(ending), *told)


def _kind(ending: Ending) -> str | None:
    """What is not said by the status; of a run that no worker had, no attempt made an end."""
    if ending.token is None or ending.outcome is None or ending.outcome.kind is AttemptOutcome.SUCCEEDED:
        return None
    return ending.outcome.kind


def _tried_values(tried: Tried) -> tuple[Any, ...]:
    outcome: Outcome = tried.outcome
    which = (tried.run_id, tried.n, tried.worker_id, tried.started_at, tried.duration_ms)
    return (*which, outcome.kind, *_of_outcome(outcome))
