"""The heart of it: over a year of outages, pauses, switches, edits and runs of any length, exactly one row accounts for
each occurrence of each schedule that a job ever had.

A story is a list of steps; time stands still between them. A story that fails is printed as a timeline, shortened to
what is needed to fail."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from horae.domain.errors import InvalidInput
from horae.domain.jobs.job_record import JobRecord
from horae.domain.jobs.standing import paused_at
from tests.contract.ledger import assert_accounted_over_edits
from tests.contract.world import FAILED, SUCCEEDED, Row, World
from tests.databases import Databases

pytestmark = pytest.mark.timeout(900)  # long on a busy machine

YEAR = timedelta(days=365)

# ---- schedules: instants are written as days from when the schedule is saved, since only then is the time known

CRONS = {  # and the most jitter that they take
    "* * * * *": 50,
    "*/20 * * * * *": 15,
    "*/15 * * * *": 800,
    "30 * * * *": 3_000,
    "30 2 * * *": 3_600,
    "15,45 1-3 * * *": 1_000,
    "0 0 2 * * SUN": 3_600,
    "0 9 * * MON-FRI": 3_600,
    "0 12 L * *": 3_600,
    "59 23 13 * FRI": 3_600,
    "@hourly": 3_000,
}
EVERYS = {"1s": 0.5, "90s": 60, "10m": 500, "PT1H30M": 3_600, "1d": 3_600, "50h": 3_600}
ZONES = (
    *("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Chatham"),
    *("America/Santiago", "Africa/Casablanca", "Asia/Kolkata"),
)
WEEKLY = (
    {"days": ["SAT", "SUN"], "start": "00:00", "end": "24:00"},
    {"start": "22:00", "end": "06:30"},
    {"days": ["WED"], "start": "01:30", "end": "02:30"},
)


@st.composite
def timed(draw: st.DrawFn) -> Row:
    every = draw(st.booleans())
    pool = EVERYS if every else CRONS
    text = draw(st.sampled_from(sorted(pool)))
    schedule: Row = {"every": text} if every else {"cron": text}
    schedule["timezone"] = draw(st.sampled_from(ZONES))
    if not every:
        schedule["dst_gap"] = draw(st.sampled_from(("run_after", "skip")))
        schedule["dst_fold"] = draw(st.sampled_from(("first", "second", "both")))
    if draw(st.integers(0, 3)) == 0:
        schedule["jitter"] = pool[text]
    if draw(st.integers(0, 3)) == 0:
        schedule["max_runs"] = draw(st.integers(1, 40))
    if draw(st.integers(0, 4)) == 0:
        schedule["start_at"] = draw(st.integers(-40, 40))
    if draw(st.integers(0, 4)) == 0:
        schedule["end_at"] = schedule.get("start_at", 0) + draw(st.integers(1, 200))
    ranges = st.tuples(st.integers(-5, 90), st.floats(0.01, 50)).map(lambda b: {"start": b[0], "end": b[0] + b[1]})
    if draw(st.booleans()):
        schedule["blackouts"] = draw(st.lists(st.sampled_from(WEEKLY) | ranges, min_size=1, max_size=3))
    return schedule


def schedules() -> st.SearchStrategy[Row]:
    at = st.integers(-2, 60).map(lambda days: {"at": days})
    return st.one_of(timed(), timed(), timed(), timed(), timed(), at, st.just({"manual": True}))


def saved_at(schedule: Row, now: datetime) -> Row:
    """With instants in the place of days."""

    def instant(value: Any) -> Any:
        return now + timedelta(days=value) if isinstance(value, int | float) else value

    blackouts = [
        {name: instant(value) for name, value in blackout.items()} for blackout in schedule.get("blackouts", ())
    ]
    told = {name: instant(value) if name in ("at", "start_at", "end_at") else value for name, value in schedule.items()}
    return told | ({"blackouts": blackouts} if blackouts else {})


POLICIES = st.fixed_dictionaries(
    {
        "catch_up": st.sampled_from(("last", "all", "first", "none")),
        "catch_up_window": st.sampled_from((0, 600, 3_600, 40_000, 86_400, 2_000_000)),
        "overlap": st.sampled_from(("skip", "queue_one", "queue_all", "cancel_running", "allow")),
        "max_instances": st.sampled_from((1, 1, 2, 3)),
    }
)

# ---- what happens in a year

WAITS = st.one_of(
    st.integers(1, 120),  # seconds
    st.integers(1, 600).map(lambda n: n * 60),
    st.integers(1, 72).map(lambda n: n * 3_600),
    st.integers(1, 45).map(lambda n: n * 86_400),
)
STEPS = st.one_of(
    st.tuples(st.just("wait"), WAITS),
    st.tuples(st.just("wait and fire"), WAITS),
    st.tuples(st.just("wait and fire"), WAITS),
    st.tuples(st.just("live"), st.lists(st.sampled_from((0, 1, 30, 59, 61, 300)), min_size=1, max_size=5)),
    st.tuples(st.just("live"), st.lists(st.sampled_from((0, 1, 30, 59)), min_size=1, max_size=5)),
    st.tuples(st.just("halfway"), st.none()),
    st.tuples(st.just("work"), st.integers(1, 3)),
    st.tuples(st.just("pause"), st.none() | WAITS),
    st.tuples(st.just("resume"), st.none()),
    st.tuples(st.just("disable"), st.none()),
    st.tuples(st.just("enable"), st.none()),
    st.tuples(st.just("edit"), schedules()),
    st.tuples(st.just("tune"), POLICIES),
    st.tuples(st.just("trigger"), st.integers(1, 2)),
)


@dataclass(frozen=True)
class Story:
    begins: int  # on which day of the year
    enabled: bool
    schedule: Row
    policy: Row
    steps: list[tuple[str, Any]]


def stories(most: int) -> st.SearchStrategy[Story]:
    long = st.lists(STEPS, min_size=most // 2, max_size=most)
    return st.builds(
        Story,
        begins=st.integers(0, 364),
        enabled=st.sampled_from((True, True, False)),
        schedule=timed(),
        policy=POLICIES,
        steps=st.lists(STEPS, max_size=most) | long | long,  # what fails is shortened to the first kind
    )


# ---- time


class Wheel:
    """A clock that stands still until it is turned (SQLite takes its time from there)."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()


@dataclass
class Teller:
    """Plays a story on a database, and checks after each step what must always hold."""

    url: str
    world: World
    stack: AsyncExitStack
    job: JobRecord
    lines: list[str] = field(default_factory=list)
    under_way: int = 0
    switched_off: bool = False

    @classmethod
    async def begin(cls, url: str, story: Story, stack: AsyncExitStack) -> Teller:
        if url.startswith("sqlite"):
            wheel = Wheel(datetime(2026, 1, 3, 12, tzinfo=UTC) + timedelta(days=story.begins))
            world = await World.open(url, stack, clock=wheel, inline=True, connections=1)
        else:
            world = await World.open(url, stack, shift=story.begins * 86_400, connections=1)
        fields = saved_at(story.schedule, await world.now())
        job = await world.job(enabled=story.enabled, retry={"max_attempts": 1}, **story.policy, **fields)
        teller = cls(url, world, stack, job, switched_off=not story.enabled)
        teller.tell(f"made {'' if story.enabled else 'disabled '}{story.schedule} {story.policy}", job.anchor_at)
        return teller

    def tell(self, what: str, now: datetime) -> None:
        job = self.job
        state = "paused" if job.paused else "on" if job.enabled else "off"
        self.lines.append(
            f"{now:%Y-%m-%d %a %H:%M:%S}  {what}\n{'':25}{state}, next {_short(job.next_run_at)}, "
            f"through {_short(job.fired_through)}, {self.under_way} under way"
        )

    async def wait(self, seconds: float) -> None:
        if seconds <= 0:
            return
        if isinstance(self.world.clock, Wheel):
            self.world.clock.at += timedelta(seconds=seconds)
            return
        old = self.world
        self.world = await World.open(self.url, self.stack, shift=old.shift + seconds, connections=1)
        await old.store.close()

    async def step(self, what: str, how: Any) -> None:
        said = await getattr(self, f"_{what.replace(' ', '_')}")(how)
        before, self.job = self.job, await self.world.look(self.job)
        await self._check(before)
        self.tell(f"{what} {'' if how is None else how}{said or ''}", await self.world.now())

    async def _wait(self, seconds: float) -> None:
        await self.wait(seconds)

    async def _fire(self, how: None = None) -> str:
        fired = await self.world.fire()
        return f": {fired.runs} runs, {fired.skipped} rows skipped"

    async def _wait_and_fire(self, seconds: float) -> str:
        await self.wait(seconds)
        return await self._fire()

    async def _live(self, lags: list[int]) -> str:
        """A scheduler that is there when something is due, or a little later; and a worker."""
        told = []
        for lag in lags:
            now, next_run_at = await self.world.now(), (await self.world.look(self.job)).next_run_at
            if next_run_at is None or next_run_at - now > timedelta(days=20):
                break
            await self.wait((next_run_at - now).total_seconds() + lag)
            told.append(await self._fire())
            if lag % 2:
                await self._work(1)
        return "".join(told)

    async def _halfway(self, how: None) -> None:
        """To where nothing is due; a blackout may have begun."""
        if self.job.next_run_at is not None:
            await self.wait((self.job.next_run_at - await self.world.now()).total_seconds() / 2)

    async def _work(self, count: int) -> str:
        """Workers take what there is, and finish some of it; what runs on may be asked to cancel."""
        held = await self.world.rows(
            "SELECT id, token FROM runs WHERE status = 'running' AND job_id = :id ORDER BY id", id=self.job.id
        )
        claimed = await self.world.claim(5, lease=500 * 86_400)
        for number, run in enumerate(claimed[:count]):
            await self.world.finish(run, outcome=FAILED if number % 2 else SUCCEEDED)
        for row in held[:count]:
            await self.world.cancel(row["id"])
            await self.world.execute(
                "UPDATE runs SET lease_until = started_at WHERE id = :id AND status = 'running'", id=row["id"]
            )
        await self.world.recover()
        return f": {len(claimed)} taken, {len(claimed[:count])} finished, {len(held[:count])} cancelled and lost"

    async def _pause(self, seconds: float | None) -> None:
        now = await self.world.now()
        await self.world.pause(self.job, until=None if seconds is None else now + timedelta(seconds=seconds))

    async def _resume(self, how: None) -> None:
        await self.world.resume(self.job)

    async def _disable(self, how: None) -> None:
        self.switched_off = True
        await self.world.disable(self.job)

    async def _enable(self, how: None) -> None:
        await self.world.enable(self.job)

    async def _edit(self, schedule: Row) -> str:
        now = await self.world.now()
        saved = saved_at(schedule, now)
        try:
            await self.world.edit(self.job, **saved)
        except InvalidInput as refused:
            if refused.field != "schedule.at" or saved["at"] > now:
                raise
            return ": refused"  # everything up to there is accounted for: it could not run
        return ""

    async def _tune(self, policy: Row) -> None:
        await self.world.edit(self.job, **policy)

    async def _trigger(self, count: int) -> None:
        await self.world.trigger(self.job, count)

    async def _check(self, before: JobRecord) -> None:
        job, now = self.job, await self.world.now()
        assert before.fired_through is None or (job.fired_through and job.fired_through >= before.fired_through)
        assert job.enabled or job.next_run_at is None
        rows = await self.world.rows("SELECT held, in_order FROM runs WHERE job_id = :id", id=job.id)
        held = [row for row in rows if row["held"]]
        under_way, limit = len(rows) - len(held), job.spec.gate_limit
        if limit is None:
            assert held == [], "held without a limit"
        else:
            assert under_way <= max(limit, self.under_way), "more under way than the limit allows"
            assert under_way or not held, "held for ever"
            assert under_way >= limit or all(row["in_order"] for row in held), "held although a place is free"
        self.under_way = under_way
        assert job.fired_through is None or job.fired_through <= now

    async def end(self, begun: datetime) -> None:
        """The year is over: nothing is left open, and everything is accounted for."""
        await self.wait((begun + YEAR - await self.world.now()).total_seconds())
        await self.step("enable", None)
        await self.step("resume", None)
        for _ in range(50):
            await self.step("fire", None)
            if self.job.next_run_at is None or self.job.next_run_at > await self.world.now():
                break
        else:
            pytest.fail("the schedule got stuck")
        assert not paused_at(self.job, await self.world.now())
        await self.step("halfway", None)
        await self.step("edit", {"manual": True})
        await assert_accounted_over_edits(self.world, self.job, gaps=not self.switched_off)
        skipped = sum(row["occurrences"] for row in await self.world.history(self.job, status="skipped"))
        assert (await self.world.totals())["skipped"] == skipped
        for _ in range(3):
            await self.step("work", 3)
        await self.world.delete(self.job)

    async def rows(self) -> str:
        """The content of the database, to find the reason."""
        rows = [*await self.world.live(self.job), *await self.world.history(self.job)]
        rows = sorted((row for row in rows if row["trigger"] == "schedule"), key=lambda row: row["scheduled_for"])
        told = [
            f"{_short(row['scheduled_for'])} – {_short(row.get('scheduled_until'))}  v{row['version']} {row['status']} "
            f"{row.get('reason') or ''} {row.get('occurrences', 1)}"
            for row in rows
        ]
        return "\n".join(told if len(told) < 60 else [*told[:30], f"… {len(told) - 60} more …", *told[-30:]])


def _short(at: datetime | None) -> str:
    return "—" if at is None else f"{at:%m-%d %H:%M:%S.%f}".rstrip("0").rstrip(".")


async def tell(url: str, story: Story) -> None:
    async with AsyncExitStack() as stack:
        teller = await Teller.begin(url, story, stack)
        try:
            for what, how in story.steps:
                await teller.step(what, how)
            await teller.end(teller.job.created_at)
        except Exception:
            note("\n".join(["", *teller.lines, "", await teller.rows()]))
            raise


def told(examples: int, most: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """So many stories, of at most so many steps."""
    patient = settings(
        max_examples=examples,
        deadline=None,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    return lambda test: patient(given(story=stories(most))(test))


@pytest.mark.sqlite
@told(80, 40)
def test_a_year_on_sqlite(databases: Databases, template: Callable[[str], str], story: Story) -> None:
    in_a_database_of_its_own(databases, template, "sqlite", story)


@pytest.mark.postgresql
@told(8, 20)
def test_a_year_on_postgresql(databases: Databases, template: Callable[[str], str], story: Story) -> None:
    in_a_database_of_its_own(databases, template, "postgresql", story)


@pytest.mark.mysql
@told(8, 20)
def test_a_year_on_mariadb(databases: Databases, template: Callable[[str], str], story: Story) -> None:
    in_a_database_of_its_own(databases, template, "mysql", story)


def in_a_database_of_its_own(databases: Databases, template: Callable[[str], str], kind: str, story: Story) -> None:
    url = databases.create(kind, like=template(kind))
    try:
        asyncio.run(tell(url, story))
    finally:
        databases.drop(url)
