"""The ledger of a job: which of its occurrences became runs, which were skipped, and whether that is all of them."""

from collections.abc import Sequence
from datetime import datetime

from horae.domain.calendar import calendar_of
from horae.domain.instants import TICK
from horae.domain.records import JobRecord
from tests.contract.world import Row, World


async def runs_of(world: World, job: JobRecord) -> list[datetime]:
    """The occurrences that became runs, live or ended, in order."""
    rows = [*await world.live(job), *await world.history(job)]
    return sorted(row["scheduled_for"] for row in rows if row["trigger"] == "schedule" and row["status"] != "skipped")


async def skipped_of(world: World, job: JobRecord) -> list[tuple[str, int]]:
    """(reason, how many) of each skipped row, oldest first."""
    rows = sorted(await world.history(job, status="skipped"), key=lambda row: row["scheduled_for"])
    return [(row["reason"], row["occurrences"]) for row in rows]


async def assert_complete(world: World, job: JobRecord, *, after: datetime | None = None) -> None:
    """Exactly one row accounts for each occurrence up to `fired_through` (`after` an edit, if there was one)."""
    job = await world.look(job)
    rows = [*await world.live(job), *await world.history(job)]
    assert_accounted(job, [row for row in rows if row["trigger"] == "schedule"], after)


def assert_accounted(job: JobRecord, rows: Sequence[Row], after: datetime | None = None) -> None:
    calendar = calendar_of(job.spec.schedule, job.anchor_at)
    start = job.anchor_at - TICK if after is None else max(after, job.anchor_at - TICK)
    rows = sorted((row for row in rows if row["scheduled_for"] > start), key=lambda row: row["scheduled_for"])
    if job.fired_through is None:
        assert rows == []
        return
    reached = start
    for row in rows:
        first, last = row["scheduled_for"], row.get("scheduled_until") or row["scheduled_for"]
        assert first > reached, f"{first} is accounted for twice"
        assert row.get("occurrences", 1) == calendar.count(first - TICK, last)
        reached = last
    assert sum(row.get("occurrences", 1) for row in rows) == calendar.count(start, job.fired_through)
