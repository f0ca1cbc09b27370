"""Deliveries on every database: leased, sent, settled; one message at a time for each channel."""

from horae.domain.jobs.retention import Retention
from horae.domain.notify.delivery import Sent
from horae.domain.notify.notice import NoticeKind
from horae.lifecycle.prune import prune
from horae.lifecycle.watching.deliver import idle_for, route, settle
from tests.contract.channels import create, deliveries, notice, put, take, tell
from tests.contract.world import World


async def test_two_schedulers_do_not_send_the_same(world: World) -> None:
    await create(world)
    await tell(world, notice(world))
    (due,) = await take(world)
    assert await take(await world.later(seconds=59)) == []
    assert await world.store.transact(settle, due=due, sent=Sent(), chance=0.5) == "sent"
    assert await take(await world.later(hours=9)) == []


async def test_after_a_failover_a_message_is_sent_again_and_the_first_sender_is_fenced_off(world: World) -> None:
    await create(world)
    await tell(world, notice(world))
    (first,) = await take(world)
    later = await world.later(seconds=61)
    (second,) = await take(later)
    assert (second.id, second.tries) == (first.id, 2)
    assert await later.store.transact(settle, due=first, sent=Sent("late"), chance=0.5) == "stale"
    assert await later.store.transact(settle, due=second, sent=Sent(), chance=0.5) == "sent"


async def test_a_failure_is_tried_again_later_and_given_up_in_the_end(world: World) -> None:
    await create(world)
    await tell(world, notice(world))
    at, tries = world, 0
    while True:
        (due,) = await take(at)
        tries += 1
        state = await at.store.transact(settle, due=due, sent=Sent("HTTP 503"), chance=0.5)
        if state == "failed":
            break
        assert await take(at) == []
        at = await world.later(days=tries)
    assert tries == 24
    (row,) = await deliveries(at)
    assert (row["state"], row["last_error"]) == ("failed", "HTTP 503")
    (channel,) = await at.rows("SELECT last_state, last_error FROM channels")
    assert (channel["last_state"], channel["last_error"]) == ("failed", "HTTP 503")


async def test_retry_after_is_respected(world: World) -> None:
    await create(world)
    await tell(world, notice(world))
    (due,) = await take(world)
    await world.store.transact(settle, due=due, sent=Sent("HTTP 429", retry_after=600.0), chance=0.5)
    assert await take(await world.later(seconds=590)) == []
    assert len(await take(await world.later(seconds=610))) == 1


async def test_a_closing_message_does_not_overtake_the_opening_one(world: World) -> None:
    await create(world)
    await tell(world, notice(world, "a"), notice(world, "b"))
    await tell(world, notice(world, "a", kind=NoticeKind.CLEARED))
    (first,) = await take(world)  # one at a time for each channel
    assert first.message is not None
    assert first.message.lines[0].kind == "alert"
    await world.store.transact(settle, due=first, sent=Sent("HTTP 503", retry_after=3_600.0), chance=0.5)
    (second,) = await take(world)
    assert second.message is not None
    assert second.message.lines[0].key == "b"
    await world.store.transact(settle, due=second, sent=Sent(), chance=0.5)
    assert await take(world) == []


async def test_a_busy_channel_holds_up_no_other(world: World) -> None:
    slow, other = await create(world, "slow"), await create(world, "other")
    await tell(world, notice(world))
    assert {due.channel_id for due in await take(world, busy=(slow.id,))} == {other.id}


async def test_it_is_known_when_there_is_something_to_do(world: World) -> None:
    assert await world.store.read(idle_for) is None
    await create(world, digest=60)
    await world.store.transact(lambda tx: tx.notices.add([notice(world)]))
    assert await world.store.read(idle_for) == 0
    await world.store.transact(route)
    waits = await world.store.read(idle_for)
    assert waits is not None
    assert 30 < waits <= 60


async def test_the_log_is_pruned(world: World) -> None:
    await create(world)
    await tell(world, notice(world))
    (due,) = await take(world)
    await world.store.transact(settle, due=due, sent=Sent(), chance=0.5)
    for days, left in ((29, 1), (32, 0)):
        later = await world.later(days=days)
        await later.store.transact(prune, keep=Retention())
        assert len(await deliveries(later)) == left


async def test_an_answer_that_is_not_text_is_recorded(world: World) -> None:
    await create(world)
    await tell(world, notice(world, title="a\x00b", text="c\x00d"))
    (due,) = await take(world)
    assert await world.store.transact(settle, due=due, sent=Sent("HTTP 502: a\x00b"), chance=0.5) == "pending"
    (row,) = await deliveries(world)
    assert (row["title"], row["last_error"]) == ("a\ufffdb", "HTTP 502: a\ufffdb")


async def test_how_long_the_oldest_notification_waits(world: World) -> None:
    async def waits(world: World) -> float:
        return round(await world.store.read(lambda tx: tx.deliveries.oldest()) / 60)

    assert await waits(world) == 0
    await create(world, digest=3_600)
    await put(world, notice(world))
    assert await waits(await world.later(minutes=10)) == 10, "it was not routed"
    await world.store.transact(route)
    assert await waits(await world.later(minutes=50)) == 0, "it is being collected"
    later = await world.later(minutes=70)
    assert await waits(later) == 10, "it is due"
    (due,) = await take(later)
    await later.store.transact(settle, due=due, sent=Sent("HTTP 500"), chance=0.5)
    assert await waits(later) == 70
    await later.execute("UPDATE deliveries SET state = 'sent'")
    assert await waits(later) == 0
