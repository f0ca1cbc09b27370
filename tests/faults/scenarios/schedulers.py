"""Schedulers that are killed, stopped or put to sleep: the others fire for them, and nothing fires twice.

Recovery is the lateness of the latest occurrence that was due since the fault.
"""

from datetime import datetime

from horae.clock import SystemClock
from tests.faults.scenario import ALL, BOTH, SERVERS, scenario
from tests.faults.stage import Stage
from tests.integration.cluster.cluster import Member, eventually

JOBS = 20  # enough that each of three schedulers has some


async def three(stage: Stage) -> list[Member]:
    members = [stage.cluster.start("scheduler") for _ in range(3)]
    worker = stage.cluster.start_worker()
    for member in members:
        await member.ready()
    await worker
    await stage.sharing(3)
    return members


async def owned_by(stage: Stage, scheduler: Member) -> set[str]:
    """The jobs of its shards."""
    shards = await stage.cluster.store.read(lambda tx: tx.processes.shards())
    its = {shard.shard for shard in shards if shard.owner_id == scheduler.id}
    return {row["id"] for row in await stage.cluster.ask("SELECT id, shard FROM jobs") if row["shard"] in its}


async def lively(stage: Stage) -> list[str]:
    """Jobs that are due all the time, until long after the others have taken over; returns at a random moment of it."""
    jobs = await stage.plan(JOBS, times=round(2 * stage.shard_lease) + 4)
    await stage.noted("end", count=len(stage.oracle.notes("end")) + JOBS)
    await stage.pass_by(stage.chance.random())
    return jobs


async def taken_over(stage: Stage, gone: Member, its: set[str], since: datetime) -> None:
    """Waits until every job that had been the scheduler's, and is still due, was fired by another."""
    its = {job_id for job_id in its if any(at > since for at in stage.checker.calendar[job_id])}
    if not its:
        return  # there is nothing to measure by

    async def again() -> bool:
        rows = await stage.cluster.ask(
            "SELECT job_id FROM run_history WHERE scheduled_for > :since AND scheduler_id <> :gone "
            "UNION SELECT job_id FROM runs WHERE scheduled_for > :since AND scheduler_id <> :gone",
            since=since,
            gone=gone.id,
        )
        return its <= {row["job_id"] for row in rows}

    await eventually(again, message="others fire for it")
    stage.recovered(await stage.latest(its, since))


@scenario(
    "scheduler-killed",
    "one of three schedulers is killed (-9) at a random moment",
    times=BOTH,
    fast=ALL,
    rounds=5,
    bound=10,
)
async def scheduler_killed(stage: Stage) -> None:
    members = await three(stage)
    for _ in stage.rounds():
        jobs = await lively(stage)
        victim = members.pop(stage.chance.randrange(3))
        its = await owned_by(stage, victim) & set(jobs)
        since = SystemClock().now()
        await victim.kill()
        await taken_over(stage, victim, its, since)
        members.append(await stage.cluster.start_scheduler())
        await stage.sharing(3)


@scenario(
    "active-standby",
    "with one shard, one of two schedulers is active: it is killed, and the other takes over",
    fast=("sqlite",),
    rounds=3,
    bound=10,
)
async def active_standby(stage: Stage) -> None:
    await stage.cluster.tell("DELETE FROM shards WHERE shard > 0")
    await stage.cluster.tell("UPDATE installation SET shard_count = 1")
    await stage.cluster.close()
    await stage.cluster.open()  # who makes jobs has to know it as well
    members = [await stage.cluster.start_scheduler(), await stage.cluster.start_scheduler()]
    await stage.cluster.start_worker()
    for _ in stage.rounds():
        jobs = await lively(stage)

        async def at_work() -> list[Member]:
            owners = await stage.cluster.shards()
            return [member for member in members if member.id in owners]

        (active,) = await eventually(at_work, message="one of them is at work")
        since = SystemClock().now()
        await active.kill()
        await taken_over(stage, active, set(jobs), since)
        members.remove(active)
        members.append(await stage.cluster.start_scheduler())


@scenario(
    "scheduler-stopped",
    "one of three schedulers is stopped in order and hands over",
    times=BOTH,
    fast=("postgresql",),
    rounds=5,
    bound=1,
)
async def scheduler_stopped(stage: Stage) -> None:
    members = await three(stage)
    for _ in stage.rounds():
        jobs = await lively(stage)
        leaver = members.pop(stage.chance.randrange(3))
        its = await owned_by(stage, leaver) & set(jobs)
        since = SystemClock().now()
        assert await leaver.stop() == 0
        await taken_over(stage, leaver, its, since)
        members.append(await stage.cluster.start_scheduler())
        await stage.sharing(3)


@scenario(
    "scheduler-paused",
    "a scheduler sleeps (SIGSTOP) beyond its lease, others fire, it wakes up",
    kinds=SERVERS,
    times=BOTH,
    fast=("postgresql",),
    rounds=5,
    bound=10,
)
async def scheduler_paused(stage: Stage) -> None:
    """Not on SQLite: suspended within a transaction it would hold the one lock that all processes need."""
    members = await three(stage)
    for _ in stage.rounds():
        jobs = await lively(stage)
        sleeper = stage.chance.choice(members)
        its = await owned_by(stage, sleeper) & set(jobs)
        since = SystemClock().now()
        sleeper.pause()
        await taken_over(stage, sleeper, its, since)
        sleeper.resume()
        await stage.sharing(3)
