"""`job_gates`: a counting semaphore per job, for `max_instances`. A transaction that inserts, ends or queues a run of a
gated job holds the lock of its gate, so a permit is never given twice and never lost. Gates are locked in id order,
which avoids deadlocks.

Held runs start in the order in which the database received them (`created_at`), regardless of the callers' clocks. A
run requested for later is held too, with a `wake_at` until its time has come: it takes no permit and blocks no one
behind it. Each query has an index and reads only as many rows as there are permits.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from horae.domain.runs.claimable import Claimable
from horae.domain.runs.gate import JobGate
from horae.store.dialects.base import Row
from horae.store.rows import Telling, some

_UNDER_WAY = """r.job_id = g.job_id AND r.held = FALSE AND r."trigger" <> 'backfill'"""
_ASKED_FOR = "('manual', 'api', 'retry')"  # explicitly; others are for later only by some jitter
_WAITING = "job_id = :job_id AND held = TRUE AND wake_at IS NULL"


class GateTable(Telling):
    async def lock(self, job_ids: Collection[str]) -> dict[str, JobGate]:
        if not job_ids:
            return {}
        rows = await self.db.fetch(
            f"SELECT job_id, max_instances FROM job_gates WHERE {self.d.among('job_id', 'ids')} "
            f"ORDER BY job_id {self.d.lock}",
            {"ids": some(job_ids)},
        )
        if not rows:
            return {}
        limits = {row["job_id"]: row["max_instances"] for row in rows}
        # A separate statement: it sees what was committed while it waited for the locks.
        counts = await self.db.fetch(
            f"SELECT g.job_id, (SELECT COUNT(*) FROM runs r WHERE {_UNDER_WAY}) AS under_way, "
            "(SELECT 1 FROM runs r WHERE r.job_id = g.job_id AND r.held = TRUE AND r.wake_at IS NULL "
            f"ORDER BY {self._turn} LIMIT 1) AS waiting FROM job_gates g WHERE {self.d.among('g.job_id', 'ids')}",
            {"ids": list(limits)},
        )
        found = {row["job_id"]: (int(row["under_way"]), row["waiting"] is not None) for row in counts}
        return {job_id: JobGate(limit, *found[job_id]) for job_id, limit in limits.items()}

    async def open(self, job_ids: Collection[str]) -> None:
        for job_id, gate in (await self.lock(job_ids)).items():
            if gate.waiting and gate.free:
                await self._let_go(await self._next(job_id, gate.free))

    async def _next(self, job_id: str, places: int) -> Sequence[Row]:
        """Whose turn it is: the oldest, except that caught-up runs go one after the other."""
        columns = "id, queue, priority, in_order"
        turn = f"SELECT {columns} FROM runs WHERE {_WAITING} {{}} ORDER BY {self._turn} LIMIT :places"
        params = {"job_id": job_id, "places": places}
        rows = await self.db.fetch(turn.format(""), params)
        in_order = [row for row in rows if row["in_order"]]
        if not in_order:
            return rows
        under_way = await self.db.fetch(
            "SELECT id FROM runs WHERE job_id = :job_id AND held = FALSE AND in_order = TRUE LIMIT 1", params
        )
        chosen = [] if under_way else in_order[:1]
        if len(in_order) > len(chosen):  # places of runs that must wait go to others behind them
            rows = await self.db.fetch(turn.format("AND in_order = FALSE"), params)
        return [*chosen, *(row for row in rows if not row["in_order"])][:places]

    @property
    def _turn(self) -> str:
        return self.d.order_within("wake_at", "created_at, id")

    async def fit(self, job_ids: Collection[str]) -> None:
        for job_id, gate in (await self.lock(job_ids)).items():
            if not gate.surplus:
                continue
            rows = await self.db.fetch(
                """SELECT id FROM runs WHERE job_id = :job_id AND held = FALSE AND "trigger" <> 'backfill' """
                "AND status = 'queued' ORDER BY CASE WHEN attempt > 0 THEN 1 ELSE 0 END, created_at DESC, id DESC "
                f"LIMIT :surplus {self.d.lock}",
                {"job_id": job_id, "surplus": gate.surplus},
            )
            await self._set_held(rows, True)

    async def release(self, job_id: str) -> None:
        rows = await self.db.fetch(
            "SELECT id, queue, priority FROM runs WHERE job_id = :job_id AND held = TRUE", {"job_id": job_id}
        )
        await self._let_go(rows)

    async def put_off(self, job_id: str) -> None:
        await self.db.execute(
            "UPDATE runs SET held = TRUE, wake_at = due_at WHERE job_id = :job_id AND held = FALSE "
            f"""AND status = 'queued' AND attempt = 0 AND "trigger" IN {_ASKED_FOR} AND due_at > {self.d.now}""",
            {"job_id": job_id},
        )

    async def sleepers(self, limit: int) -> set[str]:
        rows = await self.db.fetch(
            f"SELECT job_id FROM runs WHERE wake_at <= {self.d.now} AND held = TRUE ORDER BY wake_at LIMIT :limit",
            {"limit": limit},
        )
        return {row["job_id"] for row in rows}

    async def wake(self, job_ids: Collection[str], limit: int) -> None:
        gated = await self.lock(job_ids)
        rows = await self.db.fetch(
            f"SELECT id, job_id, queue, priority FROM runs WHERE {self.d.among('job_id', 'ids')} AND held = TRUE "
            f"AND wake_at <= {self.d.now} ORDER BY wake_at, created_at, id LIMIT :limit",
            {"ids": some(job_ids), "limit": limit},
        )
        if rows:
            await self.db.execute(
                f"UPDATE runs SET wake_at = NULL WHERE {self.d.among('id', 'ids')}",
                {"ids": [row["id"] for row in rows]},
            )
        await self._let_go([row for row in rows if row["job_id"] not in gated])  # its limit is gone
        await self.open(gated)

    async def _let_go(self, rows: Sequence[Row]) -> None:
        await self._set_held(rows, False)
        self.after.offer.add(Claimable(row["id"], row["queue"], row["priority"]) for row in rows)

    async def _set_held(self, rows: Sequence[Row], held: bool) -> None:
        if rows:
            await self.db.execute(
                f"UPDATE runs SET held = :held, wake_at = NULL WHERE {self.d.among('id', 'ids')} AND status = 'queued'",
                {"ids": [row["id"] for row in rows], "held": held},
            )
