"""The ledger of a job: which of its occurrences became runs, which were skipped, and whether that is all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from horae.domain.jobs.job_record import JobRecord, VersionRecord
from horae.domain.time.calendar import calendar_of
from horae.domain.time.instants import TICK
from horae.domain.time.schedule import AtSchedule, CronSchedule, EverySchedule, Schedule
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


# ---- over edits


@dataclass
class Reign:
    """A stretch of time in which one schedule held, over one or more versions of the job."""

    schedule: Schedule
    since: datetime
    until: datetime | None  # when the next one took over
    versions: set[int]


def _reigns(versions: Sequence[VersionRecord]) -> list[Reign]:
    """From the versions of a job, newest first."""
    reigns: list[Reign] = []
    for version in reversed(versions):
        if reigns and reigns[-1].schedule == version.spec.schedule:
            reigns[-1].versions.add(version.version)
            continue
        if reigns:
            reigns[-1].until = version.created_at
        reigns.append(Reign(version.spec.schedule, version.created_at, None, {version.version}))
    return reigns


async def assert_accounted_over_edits(world: World, job: JobRecord, *, gaps: bool = False) -> None:
    """Exactly one row accounts for each occurrence of each schedule that the job ever had, while it had it; of the
    last one, up to `fired_through`. With `gaps`, also each gap of daylight saving that is to be skipped has its row
    (it has none while the job is off)."""
    job = await world.look(job)
    rows = [*await world.live(job), *await world.history(job)]
    assert_reigns(job, await world.versions(job), rows, gaps=gaps)


def assert_reigns(
    job: JobRecord, versions: Sequence[VersionRecord], rows: Sequence[Row], *, gaps: bool = False
) -> None:
    """The same for a job, its versions and rows as they were read."""
    rows = sorted((row for row in rows if row["trigger"] == "schedule"), key=lambda row: row["scheduled_for"])
    fired, reached = 0, None
    for reign in _reigns(versions):
        mine = [row for row in rows if row["version"] in reign.versions]
        if not isinstance(reign.schedule, CronSchedule | EverySchedule | AtSchedule):
            assert mine == []
            continue
        there, expected = _assert_reign(reign, mine, reached, job.fired_through, fired)
        assert not gaps or there == expected
        fired += sum(row["status"] != "skipped" for row in mine)
        reached = max([row.get("scheduled_until") or row["scheduled_for"] for row in mine], default=reached)
    assert fired == job.fired_count


def _assert_reign(
    reign: Reign, rows: list[Row], reached: datetime | None, fired_through: datetime | None, fired: int
) -> tuple[set[datetime], set[datetime]]:
    """The gaps that have their row, and those that there were."""
    schedule = reign.schedule
    assert isinstance(schedule, CronSchedule | EverySchedule | AtSchedule)
    calendar = calendar_of(schedule, reign.since)
    begin = min(reign.since, schedule.at) if isinstance(schedule, AtSchedule) else reign.since
    start = begin - TICK if reached is None else max(begin - TICK, reached)
    until = reign.until or fired_through or start
    gaps = [row["scheduled_for"] for row in rows if row.get("reason") == "dst_gap"]
    rows = [row for row in rows if row.get("reason") != "dst_gap"]
    runs = [row["scheduled_for"] for row in rows if row["status"] != "skipped"]
    if schedule.max_runs is not None:
        assert fired + len(runs) <= max(schedule.max_runs, fired)
        if fired + len(runs) >= schedule.max_runs:  # no occurrence was left after that
            until = max(runs, default=start)
    last = start
    for row in rows:
        first, end = row["scheduled_for"], row.get("scheduled_until") or row["scheduled_for"]
        assert first > last, f"{first} is accounted for twice, or was not this schedule's"
        assert row.get("occurrences", 1) == calendar.count(first - TICK, end), f"{first} to {end} is miscounted"
        assert calendar.count(last, first - TICK) == 0, f"nothing accounts for what lies between {last} and {first}"
        last = end
    assert last <= max(until, start), f"{last} lies beyond {until}, where this schedule ended"
    assert calendar.count(last, until) == 0, f"nothing accounts for what lies between {last} and {until}"
    expected = set(calendar.gaps(start, until))
    assert set(gaps) <= expected
    assert len(set(gaps)) == len(gaps), "a gap left two rows"
    return set(gaps), expected
