"""Shared by scenarios of outages: a cluster under steady load, and what is watched while its database is
unreachable."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
import psutil

from tests.faults.stage import Stage
from tests.integration.cluster.cluster import PATIENCE, Member, eventually
from tests.waiting import until

JOBS = 4
QUICK = 15.0  # seconds in which any request is answered while the database is silent; the first ones find that out
MOST_LINES = 6  # that a process may write for an outage: it begins, it lasts, it is over; and so for wake-ups
MOST_CPU = 0.25  # of a processor, that a process may use while it waits
_POOL = 8  # connections that a process holds at most
_SPARE = 2  # connections and descriptors that may be just being replaced


class Troupe:
    """A `serve`, a scheduler and two workers on the stage's database, or through a proxy before it."""

    def __init__(self, stage: Stage, members: list[Member], host: str) -> None:
        self.stage, self.members = stage, members
        self.serve, self.scheduler, *self.workers = members
        self.web = httpx.AsyncClient(trust_env=False, base_url=f"http://{host}:{self.serve.port}", timeout=QUICK)
        self.file = stage.cluster.url.removeprefix("sqlite:///")  # if it is one
        self._held: dict[int, Counter[str]] = {}
        self._lines: dict[int, int] = {}
        self._outages = 0

    # before

    async def steady(self, times: int) -> None:
        """Jobs that are due all the time, for about so many seconds, and the first of them done."""
        ended = len(self.stage.oracle.notes("end"))
        await self.stage.plan(JOBS, times=times)
        await self.stage.noted("end", count=ended + 2)

    def remember(self) -> None:
        self._held = {member.pid: _open_files(member) for member in self.members}
        self._lines = {member.pid: len(member.lines()) for member in self.members}

    # during

    async def is_refused(self, within: float = PATIENCE) -> None:
        """`serve` is alive, is not ready, and refuses requests with its own message."""

        async def not_ready() -> bool:
            return (await self.web.get("/health/ready")).status_code == 503

        await eventually(not_ready, timeout=within, message="it is not ready")
        assert (await self.web.get("/health/live")).status_code == 200
        answer = await self.web.get("/api/v1/jobs", headers={"authorization": "Bearer hk1_" + "a" * 43})
        assert answer.status_code in (401, 503), answer.text
        if answer.status_code == 503:
            assert answer.headers["content-type"] == "application/problem+json"
            assert int(answer.headers["retry-after"]) > 0

    @asynccontextmanager
    async def waiting(self) -> AsyncIterator[None]:
        """No process busy-waits while the database is down."""
        before, since = {member.pid: _spent(member) for member in self.members}, time.monotonic()
        yield
        lasted = time.monotonic() - since
        for member in self.members:
            spent = _spent(member) - before[member.pid]
            assert spent <= 0.3 + lasted * MOST_CPU, f"a {member.role} spent {spent:.2f} s of {lasted:.2f} s on waiting"

    async def endure(self, cut: Callable[[], object], mend: Callable[[], object]) -> None:
        """Outages of more than a lease, one for each round, and everything that must be right after them."""
        stage = self.stage
        self.remember()
        for _ in stage.rounds():
            await self.steady(times=round(2 * stage.lease) + 8)
            await stage.pass_by(stage.chance.random())
            cut()
            await self.is_refused()
            async with self.waiting():
                await stage.pass_by(stage.chance.random() * stage.lease)
            mend()
            await self.resumes(time.time())
            await stage.settle()
        await self.has_let_go()

    # after

    async def resumes(self, returned: float) -> None:
        """Waits for the first run that ends since the database is back, and until `serve` is ready."""
        (first, *_) = await self.stage.noted("end", lambda note: note.at > returned)
        await self.stage.cluster.ended(first.run_id)
        took = time.time() - returned
        self._outages += 1
        self.stage.recovered(took)

        async def ready() -> bool:
            return (await self.web.get("/health/ready")).status_code == 200

        await eventually(ready, message="it is ready again")
        for member in self.members:
            assert member.code is None, f"a {member.role} ended: {member.output[-2_000:]}"

    async def has_let_go(self) -> None:
        """Every slot is free, as many descriptors as before (connections are among them), and no flood of words."""
        await self.stage.every_slot(self.workers)
        for member in self.members:
            await self._has_closed(member)
            said = [line.get("event") for line in member.lines()[self._lines[member.pid] :]]
            usual = ("shards", "interrupting the remaining runs; they are queued again", "runs not logged")
            words = [event for event in said if event not in usual and not str(event).startswith("run ")]
            assert len(words) <= MOST_LINES * self._outages, f"the {member.role} said {words}"

    async def _has_closed(self, member: Member) -> None:
        held = self._held[member.pid].copy()
        for name in (self.file, f"{self.file}-wal"):  # connections are made when they are needed, up to a number
            held[name] = max(held[name], _POOL)

        def more() -> Counter[str]:
            return _open_files(member) - held

        try:
            await until(lambda: more().total() <= _SPARE, timeout=PATIENCE)
        except AssertionError:
            raise AssertionError(f"the {member.role} has not closed what it does not need: {dict(more())}") from None


@asynccontextmanager
async def gathered(stage: Stage, *, before: Sequence[str] = (), **settings: str) -> AsyncIterator[Troupe]:
    cluster = stage.cluster
    members = await asyncio.gather(
        cluster.start_serve(before=before, **settings),
        cluster.start_scheduler(before=before, **settings),
        cluster.start_worker(before=before, **settings),
        cluster.start_worker(before=before, **settings),
    )
    troupe = Troupe(stage, list(members), settings.get("HORAE_HOST", "127.0.0.1"))
    yield troupe
    await troupe.web.aclose()


def _open_files(member: Member) -> Counter[str]:
    """Descriptors, by what they lead to: a file, or any socket or pipe."""
    found: Counter[str] = Counter()
    for entry in Path(f"/proc/{member.pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            found[str(entry.readlink()).partition(":")[0]] += 1
    return found


def _spent(member: Member) -> float:
    times = psutil.Process(member.pid).cpu_times()
    return float(times.user + times.system)
