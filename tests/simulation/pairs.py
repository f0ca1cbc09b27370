"""Pairs of verbs that meet at the same rows, and what must be true when both are through."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from horae.domain.errors import StaleVersion
from horae.domain.runs.claim import Claimant, ClaimRequest
from horae.domain.runs.dead_letter import DeadFilter
from horae.lifecycle import claim, redrive
from tests.contract.ledger import assert_complete
from tests.contract.world import FAILED, OFFERS, PERMANENT, World, ids

Act = Callable[[World], Awaitable[Any]]
Check = Callable[[World, list[Any]], Awaitable[None]]


@dataclass(frozen=True)
class Pair:
    first: Act
    second: Act
    check: Check
    later: float = 0.0  # seconds by which the two are ahead of what was prepared


async def _nothing_more(world: World, results: list[Any]) -> None:
    """The oracle says it all."""


async def fire_fire(world: World) -> Pair:
    job = await world.job(every="20s", overlap="queue_all")

    async def fire(one: World) -> Any:
        return await one.fire()

    async def check(after: World, results: list[Any]) -> None:
        await assert_complete(after, job)

    return Pair(fire, fire, check, later=25)


async def fire_edit(world: World) -> Pair:
    job = await world.job(every="20s", overlap="queue_all")

    async def change(one: World) -> Any:
        return await one.edit(job, every="7s")

    async def check(after: World, results: list[Any]) -> None:
        times = [row["scheduled_for"] for row in await after.live(job)]
        assert len(times) == len(set(times)) >= 2

    return Pair(lambda one: one.fire(), change, check, later=25)


async def edit_edit(world: World) -> Pair:
    job = await world.job()

    def change(text: str) -> Act:
        async def act(one: World) -> Any:
            try:
                return await one.edit(job, expect=1, description=text)
            except StaleVersion:
                return None

        return act

    async def check(after: World, results: list[Any]) -> None:
        assert sum(result is not None for result in results) == 1, "two edits of one version were saved"

    return Pair(change("one"), change("other"), check)


async def claim_claim(world: World) -> Pair:
    await world.trigger(await world.job(), 3)

    async def take(one: World) -> Any:
        """In its own transaction, which stays open for a while: where it is one statement, too."""
        claimant = Claimant(one.ids.new(), OFFERS)
        request = ClaimRequest(claimant, one.ids.new(), lease=15, limit=2, queues=["default"])
        return await one.store.transact(claim.claim, request)

    async def check(after: World, results: list[Any]) -> None:
        first, second = results
        assert not ids(first.runs) & ids(second.runs), "two workers have the same run"

    return Pair(take, take, check)


async def trigger_trigger(world: World) -> Pair:
    job = await world.job(every="1h", start_at="2099-01-01T00:00:00Z", max_instances=1)
    return Pair(lambda one: one.trigger(job), lambda one: one.trigger(job, 2), _nothing_more)


async def finish_finish(world: World) -> Pair:
    """Two runs of one job end while others wait."""
    job = await world.job(max_instances=2)
    await world.trigger(job, 4)
    first, second = await world.claim()
    return Pair(lambda one: one.finish(first), lambda one: one.finish(second, outcome=PERMANENT), _nothing_more)


async def finish_cancel(world: World) -> Pair:
    job = await world.job(max_instances=1, retry={"max_attempts": 3})
    run = await world.running(job)
    await world.trigger(job)

    async def check(after: World, results: list[Any]) -> None:
        found = await after.find(run)
        assert found.status in ("queued", "cancelled"), "neither the cancel nor the failure won"
        assert found.status == "cancelled" or found.cancel_requested_at is None

    return Pair(lambda one: one.finish(run, outcome=FAILED), lambda one: one.cancel(run), check)


async def recover_finish(world: World) -> Pair:
    job = await world.job(max_instances=1, retry={"max_attempts": 1})
    run = await world.running(job)
    await world.trigger(job)

    async def check(after: World, results: list[Any]) -> None:
        taken, report = results
        assert taken + report.ended == 1, "both ended the run, or neither"

    return Pair(lambda one: one.recover(), lambda one: one.finish(run), check, later=60)


async def redrive_redrive(world: World) -> Pair:
    job = await world.job(retry={"max_attempts": 1})
    await world.trigger(job, 3)
    dead = await world.claim()
    await world.finish(*dead, outcome=PERMANENT)

    async def resolve(one: World) -> Any:
        return await one.store.transact(
            redrive.resolve,
            operation_id=one.ids.new(),
            project_id=one.project,
            resolution=redrive.Resolution(redrive.REDRIVE, DeadFilter(job_id=job.id)),
            actor="tester",
        )

    async def check(after: World, results: list[Any]) -> None:
        repeated = [row["rerun_of"] for row in await after.live(job)]
        assert sorted(repeated) == sorted(ids(dead)), "a dead letter was redriven twice, or not at all"

    return Pair(resolve, resolve, check, later=1)


PAIRS: dict[str, Callable[[World], Awaitable[Pair]]] = {
    "fire/fire": fire_fire,
    "fire/edit": fire_edit,
    "edit/edit": edit_edit,
    "claim/claim": claim_claim,
    "trigger/trigger": trigger_trigger,
    "finish/finish": finish_finish,
    "finish/cancel": finish_cancel,
    "recover/finish": recover_finish,
    "redrive/redrive": redrive_redrive,
}
