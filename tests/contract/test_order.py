"""Turns follow the database's clock: ids contain the clocks of the callers, which may be wrong."""

from horae.clock import SystemIds
from horae.domain.notify.notice import NoticeKind
from tests.contract.channels import create, deliveries, notice, take, tell
from tests.contract.world import World


class _Ahead(SystemIds):
    """Ids of a machine whose clock is an hour ahead."""

    def new(self) -> str:
        made = super().new()
        millis = int(made[:8] + made[9:13], 16) + 3_600_000
        return f"{millis >> 16:08x}-{millis & 0xFFFF:04x}{made[13:]}"


async def _ahead(world: World) -> World:
    return await World.open(world.url, world.stack, clock=world.clock, ids=_Ahead())


async def _order(world: World) -> list[str]:
    order = []
    while claimed := await world.claim():
        (run,) = claimed
        order.append(run.id)
        await world.finish(run)
    return order


async def test_held_runs_start_in_the_order_of_their_requests(world: World) -> None:
    ahead = await _ahead(world)
    job = await world.job(max_instances=1)
    await world.trigger(job)
    (second,) = await ahead.trigger(job)
    later = [(await world.trigger(job))[0].id for _ in range(3)]
    assert second.id > later[-1], "its id says that it came last"
    assert (await _order(world))[1:] == [second.id, *later]


async def test_what_is_caught_up_by_two_schedulers_goes_in_order(world: World) -> None:
    ahead = await _ahead(world)
    await world.job(every="1h", catch_up="all", overlap="queue_all", max_instances=1)
    for hours, scheduler in ((3, ahead), (5, world)):
        later = await scheduler.later(hours=hours, minutes=30)
        assert (await later.fire()).runs > 0
    last = await world.later(hours=6)
    times = []
    while claimed := await last.claim():
        times += [run.scheduled_for for run in claimed]
        await last.finish(*claimed)
    assert len(times) == 6
    assert times == sorted(times, key=lambda at: at or last.clock.now())


async def test_the_oldest_makes_room(world: World) -> None:
    ahead = await _ahead(world)
    job = await world.job(every="1h", max_instances=2, overlap="cancel_running")
    (oldest,) = await ahead.trigger(job)
    (newer,) = await world.trigger(job)
    later = await world.later(hours=1)
    await later.fire()
    assert (await later.find(oldest)).status == "cancelled"
    assert (await later.find(newer)).status == "queued"


async def test_what_closes_an_incident_is_sent_last_and_what_reopens_it_is_news(world: World) -> None:
    """A scheduler whose clock is ahead routed the first notice, and another one the rest."""
    ahead = await _ahead(world)
    await create(world)
    await tell(ahead, notice(world, "job:1", kind=NoticeKind.FAILURE))
    await tell(world, notice(world, "job:1", kind=NoticeKind.RECOVERY))
    await tell(world, notice(world, "job:1", kind=NoticeKind.FAILURE))
    assert [row["kind"] for row in await deliveries(world)] == ["failure", "recovery", "failure"]
    (first,) = await take(world)
    assert first.message is not None
    assert first.message.lines[0].kind == "failure"
    assert await take(world) == [], "the others wait for it"
