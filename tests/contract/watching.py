"""A scheduler that evaluates alerts, one step at a time, on a clock that tests move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from horae.domain.alerts.alert import AlertFilter, AlertRecord
from horae.domain.alerts.thresholds import Thresholds
from horae.domain.cluster.process import WorkerSign
from horae.lifecycle.watching.alerts import Reach
from horae.ports import Transaction
from horae.processes.duties.alerts import AlertsDuty
from horae.processes.duties.duty import Post
from horae.processes.settings import SchedulerSettings
from tests.contract.world import PERMANENT, World, scheduler_sign, worker_sign

ADMIN = "user:admin"


async def evaluate(world: World, *, disk: Any = None, settling: float = 0.0, **thresholds: Any) -> None:
    """One evaluation, by a scheduler that has just started: it remembers nothing."""
    await world.roll_up()
    settings = SchedulerSettings(thresholds=Thresholds(**thresholds), settling=settling, disk=disk or (lambda: None))
    await AlertsDuty(post(world, settings)).step()


def post(world: World, settings: SchedulerSettings) -> Post:
    """The only scheduler of a cluster."""
    return Post(
        scheduler_sign(),
        world.store,
        settings,
        64,
        world.clock,
        world.ids,
        lambda: False,
        lambda host, other: False,
        shards=[0],
    )


async def alerts(world: World, state: str | None = "open", rule: str | None = None) -> list[AlertRecord]:
    where = AlertFilter(state=state, rule=rule)
    found = await world.store.read(lambda tx: tx.alerts.page(None, where, limit=200, after=None))
    return found.items


async def rules(world: World) -> list[str]:
    return sorted(alert.rule for alert in await alerts(world))


async def notices(world: World) -> list[tuple[str, str]]:
    """Kind and title of the notices about alerts, in order."""
    rows = await world.rows("SELECT kind, title FROM notices WHERE kind IN ('alert', 'cleared', 'budget') ORDER BY id")
    return [(row["kind"], row["title"]) for row in rows]


async def worker(world: World, **fields: Any) -> WorkerSign:
    """A live worker that can do anything."""
    sign = worker_sign(**{"queues": (), **fields})
    await world.store.transact(_register, sign)
    return sign


async def beat(world: World) -> None:
    """All processes stay alive."""
    for table in ("workers", "schedulers"):
        await world.execute(f"UPDATE {table} SET heartbeat_at = :now", now=await world.now())


async def _register(tx: Transaction, sign: WorkerSign) -> None:
    await tx.processes.register_worker(sign)


async def fail(world: World, job: Any, times: int = 1) -> None:
    for _ in range(times):
        await world.ended(job, PERMANENT)


def mine(world: World, *, everything: bool = False) -> Reach:
    return Reach(world.project, everything=everything)


def titles(found: Sequence[AlertRecord]) -> list[str]:
    return [alert.title for alert in found]


async def well_again(world: World, rule: str, **how: Any) -> World:
    """The problem is gone: the alert clears a minute later, once."""
    await evaluate(world, **how)
    assert rule in await rules(world)
    later = await world.later(seconds=61)
    await beat(later)
    await evaluate(later, **how)
    await evaluate(later, **how)
    assert rule not in await rules(later)
    assert len(await alerts(later, "cleared", rule)) == 1
    return later


async def only(world: World, rule: str) -> Any:
    (found,) = await alerts(world, rule=rule)
    assert found.action.text
    assert found.why
    assert found.since <= found.last_seen_at
    return found
