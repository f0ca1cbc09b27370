"""`job_gates`: how many runs of a job may be under way. Whoever inserts, ends or queues a run of a gated job holds the
lock of its gate, so a place is never given twice and never lost. Gates are locked in id order: no deadlock there."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from horae.store.dialects.base import Row
from horae.store.rows import Group, some


class GateTable(Group):
    async def lock(self, job_ids: Collection[str]) -> dict[str, tuple[int, int, int]]:
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
        # A statement of its own: it sees what was committed while the locks were waited for.
        counts = await self.db.fetch(
            "SELECT job_id, SUM(CASE WHEN held THEN 0 ELSE 1 END) AS under_way, "
            "SUM(CASE WHEN held THEN 1 ELSE 0 END) AS waiting FROM runs "
            f"""WHERE {self.d.among("job_id", "ids")} AND "trigger" <> 'backfill' GROUP BY job_id""",
            {"ids": list(limits)},
        )
        found = {row["job_id"]: (int(row["under_way"]), int(row["waiting"])) for row in counts}
        return {job_id: (limit, *found.get(job_id, (0, 0))) for job_id, limit in limits.items()}

    async def open(self, job_ids: Collection[str]) -> set[str]:
        queues: set[str] = set()
        for job_id, (limit, under_way, waiting) in (await self.lock(job_ids)).items():
            places = min(limit - under_way, waiting)
            if places <= 0:
                continue
            rows = await self.db.fetch(
                "SELECT id, queue, held, in_order FROM runs WHERE job_id = :job_id AND (held OR in_order) ORDER BY id",
                {"job_id": job_id},
            )
            queues |= await self._let_go(_next(rows, places))
        return queues

    async def release(self, job_id: str) -> set[str]:
        rows = await self.db.fetch("SELECT id, queue FROM runs WHERE job_id = :job_id AND held", {"job_id": job_id})
        return await self._let_go(rows)

    async def _let_go(self, rows: Sequence[Row]) -> set[str]:
        if not rows:
            return set()
        await self.db.execute(
            f"UPDATE runs SET held = :no WHERE {self.d.among('id', 'ids')}",
            {"ids": [row["id"] for row in rows], "no": False},
        )
        return {row["queue"] for row in rows}


def _next(rows: Sequence[Row], places: int) -> list[Row]:
    """Whose turn it is: the oldest, but of those that are caught up one after the other."""
    in_order_under_way = any(row["in_order"] and not row["held"] for row in rows)
    chosen: list[Row] = []
    for row in rows:
        if not row["held"] or (row["in_order"] and in_order_under_way):
            continue
        if len(chosen) < places:
            chosen.append(row)
            in_order_under_way = in_order_under_way or bool(row["in_order"])
    return chosen
