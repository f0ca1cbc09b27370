"""Wrong clocks, and a long time during which nothing ran: the clock of the database is the one that counts."""

import subprocess
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from horae.clock import SystemClock
from tests.faults.scenario import SERVERS, scenario
from tests.faults.scenarios.workers import begun_again, kill, now
from tests.faults.stage import RETRY, Stage

DOWN = timedelta(hours=3)
SHIFTED = {
    "runs": ("created_at", "due_at", "started_at", "lease_until"),
    "workers": ("started_at", "heartbeat_at"),
    "schedulers": ("started_at", "heartbeat_at"),
}


class Clocks:
    """Environments in which the wall clock is wrong."""

    def __init__(self, folder: Path) -> None:
        self._library = folder / "skew.so"
        source = Path(__file__).parents[1] / "skew.c"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", str(self._library), str(source), "-ldl"], check=True)

    def off_by(self, hours: int) -> dict[str, str]:
        return {"LD_PRELOAD": str(self._library), "SKEW": str(hours * 3_600)}

    def off_as_said_in(self, file: Path) -> dict[str, str]:
        """By so many seconds as the file says, which may change: the clock jumps."""
        return {"LD_PRELOAD": str(self._library), "SKEW_FILE": str(file)}


@scenario(
    "clocks-off",
    "the clocks of a scheduler, a worker or both are an hour fast or slow, and a worker is killed",
    kinds=SERVERS,
    fast=("postgresql",),
    needs="cc",
)
async def clocks_off(stage: Stage) -> None:
    """What attempts write down comes from scripts, whose environment is their own: their clocks are right. Not on
    SQLite: it has no clock but that of the host, which all processes share."""
    clocks = Clocks(stage.cluster.folder)
    first, second = stage.chance.choice([(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1), (1, 1), (-1, -1)])
    await stage.cluster.start_scheduler(**clocks.off_by(first))
    await stage.cluster.start_scheduler()
    victim = await stage.cluster.start_worker(**clocks.off_by(second))
    await stage.cluster.start_worker(**clocks.off_by(second))
    await stage.sharing(2)
    await stage.plan(16, times=5, target=stage.noting(0, "script"))
    runs = await stage.ask_for(8, stage.noting(1.5 * stage.lease, "script"))
    await stage.noted("start", lambda note: note.run_id in runs, count=8)
    await stage.pass_by(stage.chance.random())
    held, since = await kill(stage, victim)
    await begun_again(stage, held & set(runs), since)


@scenario(
    "all-down",
    "everything is killed and stays away for three hours (stored times are shifted)",
    fast=("sqlite",),
)
async def all_down(stage: Stage) -> None:
    """By any rule for what was missed, every occurrence has a row in the end. What was under way is done again;
    recovery counts from when the processes are started, so it includes their start."""
    members = [await stage.cluster.start_scheduler(), await stage.cluster.start_worker()]
    runs = await stage.ask_for(4, stage.noting(2.0, "script"))
    await stage.noted("start", count=4)
    await stage.pass_by(stage.chance.random())
    for member in members:
        await member.kill()
    for table, columns in SHIFTED.items():
        await shift(stage, table, "id", columns)
    await shift(stage, "shards", "shard", ("lease_until",))
    for rule in ("all", "last", "first", "none"):
        await missed(stage, rule)
    back = now()
    await stage.cluster.start_scheduler()
    await stage.cluster.start_worker()
    await begun_again(stage, runs, back)


async def missed(stage: Stage, rule: str) -> None:
    """Jobs that were due each minute of that time, and are no more."""
    end = SystemClock().now()
    start = end - DOWN
    schedule = {"every": "1m", "start_at": start.isoformat(), "end_at": end.isoformat()}
    fields = {"schedule": schedule, "catch_up": rule, "overlap": "allow", "retry": RETRY, "target": stage.noting()}
    ids = await stage.cluster.create_many([{"name": f"{rule}-{n}", **fields} for n in range(2)])
    for job_id in ids:
        await stage.cluster.tell("UPDATE jobs SET next_run_at = :at WHERE id = :id", at=start, id=job_id)
        stage.checker.calendar[job_id] = [
            start + timedelta(minutes=n) for n in range(int(DOWN.total_seconds()) // 60 + 1)
        ]


async def shift(stage: Stage, table: str, key: str, columns: tuple[str, ...]) -> None:
    for row in await stage.cluster.ask(f"SELECT {', '.join((key, *columns))} FROM {table}"):
        past: dict[str, Any] = {name: row[name] - DOWN for name in columns if isinstance(row[name], datetime)}
        if past:
            sets = ", ".join(f"{name} = :{name}" for name in past)
            await stage.cluster.tell(f"UPDATE {table} SET {sets} WHERE {key} = :key", key=row[key], **past)
