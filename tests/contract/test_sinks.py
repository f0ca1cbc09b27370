"""Sinks on every database: leased, sent to in order, settled; failures wait, and dropped events are reported."""

from __future__ import annotations

import json
from typing import Any

import pytest

from horae.accounts import sinks
from horae.accounts.sealed_parts import opened_part
from horae.domain.errors import Conflict, InvalidInput
from horae.domain.notify.delivery import Sent
from horae.domain.sinks.drafts import EventDraft
from horae.domain.sinks.sink import NewSink, Shipped, SinkRecord, SinkSpec
from horae.domain.text.ids import NIL
from horae.lifecycle.watching.emit import SinkProgress, accept, clear_outbox, refuse
from horae.ports import Transaction
from horae.sealing import Keyring
from tests.contract.cost import metered
from tests.contract.sinks import HOOK, SEALS, Receiver, create_sink, outbox, row_of, send_all, take
from tests.contract.world import World

DOWN = Shipped(0, Sent("HTTP 503", status=503))


async def put(world: World, sink: SinkRecord, *subjects: str, kind: str = "run.ended", **fields: Any) -> None:
    events = [
        (sink.id, world.ids.new(), EventDraft(kind, world.project, fields.get("job_id"), subject, {"id": subject}))
        for subject in subjects
    ]
    await world.store.transact(lambda tx: tx.outbox.add(events))


def told(receiver: Receiver) -> list[tuple[str, Any]]:
    """The type and subject of each; of a gap, how many were dropped."""
    found = []
    for event in receiver.got:
        document = json.loads(event.body)
        found.append((document["type"].removeprefix("horae."), document.get("subject") or document["data"]["count"]))
    return found


# ---- sending


async def test_events_are_sent_in_order_and_then_gone(world: World) -> None:
    job = await world.job(name="nightly", tags=["a"])
    sink = await create_sink(world)
    run = await world.ended(job)
    duty = await send_all(world, receiver := Receiver())
    subject = f"runs/{run.id}"
    assert told(receiver) == [("run.queued", subject), ("run.started", subject), ("run.ended", subject)]
    document = json.loads(receiver.got[-1].body)
    assert {name: document[name] for name in ("specversion", "source", "project", "datacontenttype")} == {
        "specversion": "1.0", "source": "/horae", "project": "default", "datacontenttype": "application/json",
    }  # fmt: skip
    assert (document["data"]["job_name"], document["data"]["status"]) == ("nightly", "succeeded")
    assert receiver.got[-1].key == "default.run.ended"
    assert await outbox(world) == []
    row = await row_of(world, sink)
    assert (row["sent"], row["failing_since"], row["token"]) == (3, None, None)
    assert row["last_sent_at"] is not None
    assert duty.emitted["webhook", "sent"] == 3


async def test_two_schedulers_do_not_send_to_the_same_sink(world: World) -> None:
    sink = await create_sink(world)
    await put(world, sink, "a", "b")
    (due,) = await take(world)
    assert await take(await world.later(seconds=59)) == []
    made = SinkProgress(accepted=[event.seq for event in due.events])
    assert await world.store.transact(accept, due=due, made=made, lease=60.0) is None
    assert await outbox(world) == []
    assert (await row_of(world, sink))["token"] is None


async def test_after_a_failover_events_are_sent_again_with_their_ids_and_the_first_sender_is_fenced_off(
    world: World,
) -> None:
    sink = await create_sink(world)
    await put(world, sink, "a", "b")
    (first,) = await take(world)
    later = await world.later(seconds=61)
    (second,) = await take(later)
    assert [event.id for event in second.events] == [event.id for event in first.events]
    made = SinkProgress(accepted=[event.seq for event in first.events])
    assert await later.store.transact(accept, due=first, made=made, lease=60.0) is None
    assert len(await outbox(world)) == 2
    await later.store.transact(refuse, due=first, made=made, refused=None, sent=Sent("late"), chance=0.5)
    assert (len(await outbox(world)), (await row_of(world, sink))["last_error"]) == (2, None)


async def test_a_sink_that_fails_waits_alone_and_begins_with_one_event(world: World) -> None:
    bad, good = await create_sink(world, "bad"), await create_sink(world, "good")
    await put(world, bad, "a", "b", "c")
    receiver = Receiver()
    receiver.answers = [Shipped(1, Sent("HTTP 503", status=503))]
    await send_all(world, receiver)
    row = await row_of(world, bad)
    assert (row["tries"], row["last_error"], row["sent"]) == (1, "HTTP 503", 1)
    assert row["failing_since"] is not None
    await put(world, good, "d")
    await send_all(world, receiver)
    assert told(receiver) == [("run.ended", "runs/a"), ("run.ended", "runs/d")]
    later = await world.later(minutes=1)
    receiver.answers = [DOWN]
    await send_all(later, receiver)
    assert (await row_of(world, bad))["tries"] == 2
    await send_all(await world.later(hours=1), receiver)
    assert told(receiver)[2:] == [("run.ended", "runs/b"), ("run.ended", "runs/c")]
    assert (await row_of(world, bad))["failing_since"] is None


async def test_what_it_does_not_want_any_more_is_not_sent(world: World) -> None:
    mine, other = await world.job(name="mail-a", tags=["x"]), await world.job(name="web", tags=["y"])
    sink = await create_sink(world, jobs=["mail-*"], tags=["x", "z"], types=["run.ended"])
    for job in (mine, other):
        await put(world, sink, f"of {job.spec.name}", job_id=job.id)
    await put(world, sink, "of a deleted job", job_id=world.ids.new())
    await put(world, sink, "of another type", kind="run.queued", job_id=mine.id)
    await put(world, sink, "of a newer version", kind="run.dreamt", job_id=mine.id)
    await send_all(world, receiver := Receiver())
    assert told(receiver) == [("run.ended", "runs/of mail-a"), ("run.ended", "runs/of a deleted job")]
    assert await outbox(world) == []


# ---- what is dropped


async def test_events_that_are_too_many_or_too_old_are_dropped_and_the_next_one_says_so(world: World) -> None:
    sink = await create_sink(world, max_waiting=100, keep_for=600)
    await put(world, sink, *(f"old {n}" for n in range(130)))
    receiver = Receiver()
    receiver.answers = [DOWN]
    await send_all(world, receiver)
    assert len(await outbox(world)) == 100
    row = await row_of(world, sink)
    assert (row["dropped"], row["gap"]) == (30, 30)
    first = row["gap_id"]
    later = await world.later(seconds=590)
    receiver.answers = [DOWN]
    await put(later, sink, "new")
    await send_all(later, receiver)
    row = await row_of(world, sink)
    assert (row["dropped"], row["gap_id"]) == (31, first)
    much_later = await world.later(seconds=1_100)
    await send_all(much_later, receiver)
    assert told(receiver) == [("sink.gap", 130), ("run.ended", "runs/new")]
    assert receiver.got[0].id == first
    row = await row_of(world, sink)
    assert (row["dropped"], row["gap"], row["gap_id"]) == (130, 0, None)


async def test_a_damaged_row_is_dropped_and_reported(world: World) -> None:
    sink = await create_sink(world)
    await put(world, sink, "a", "b", "c")
    (_, bad, _) = await outbox(world)
    await world.execute("UPDATE event_outbox SET data = '[]' WHERE seq = :seq", seq=bad["seq"])
    await send_all(world, receiver := Receiver())
    assert told(receiver) == [("run.ended", "runs/a"), ("run.ended", "runs/c"), ("sink.gap", 1)]
    assert (await row_of(world, sink))["dropped"] == 1


async def test_an_event_that_the_receiver_keeps_refusing_does_not_block_the_others(world: World) -> None:
    sink = await create_sink(world)
    await put(world, sink, "poison", "b")
    receiver, tries = Receiver(), 0
    while not receiver.got:
        receiver.answers = [Shipped(0, Sent("HTTP 422", permanent=True, status=422))] if tries < 10 else []
        await send_all(await world.later(hours=tries), receiver)
        tries += 1
    assert tries == 11
    assert told(receiver) == [("sink.gap", 1), ("run.ended", "runs/b")]


async def test_an_address_that_refuses_everything_loses_nothing(world: World) -> None:
    sink = await create_sink(world)
    await put(world, sink, "a")
    receiver = Receiver()
    for n in range(11):  # one more than the refusals that drop an event
        receiver.answers = [Shipped(0, Sent("HTTP 403", permanent=True, status=403))]
        await send_all(await world.later(hours=n), receiver)
    assert (await row_of(world, sink))["tries"] == 11
    await send_all(await world.later(hours=12), receiver)
    assert told(receiver) == [("run.ended", "runs/a")]


async def test_what_waits_for_a_sink_that_is_gone_or_disabled_is_cleared(world: World) -> None:
    kept, gone, off = [await create_sink(world, name) for name in ("kept", "gone", "off")]
    for sink in (kept, gone, off):
        await put(world, sink, "a", "b")
    await world.store.transact(sinks.delete_sink, project_id=world.project, ref="gone", actor="ann")
    await world.execute("UPDATE event_sinks SET enabled = FALSE WHERE id = :id", id=off.id)
    assert await world.store.transact(clear_outbox, limit=3) == 3
    assert await world.store.transact(clear_outbox, limit=3) == 1
    assert {row["sink_id"] for row in await outbox(world)} == {kept.id}
    assert [due.id for due in await take(world)] == [kept.id]


async def test_an_unreadable_sink_waits(world: World) -> None:
    sink = await create_sink(world)
    await put(world, sink, "a")
    await world.execute("""UPDATE event_sinks SET spec = '{"target": {"kind": "pigeon"}}' WHERE id = :id""", id=sink.id)
    await send_all(world, receiver := Receiver())
    assert (receiver.got, len(await outbox(world))) == ([], 1)
    assert "cannot be read" in (await row_of(world, sink))["last_error"]


async def test_looking_for_work_among_many_sinks_costs_little(world: World) -> None:
    observed, meter = await metered(world)
    await put(world, await create_sink(world), "a")
    costs = []
    for more in (30, 270):
        await world.store.transact(_add_sinks, world, more)
        meter.read = 0
        assert await observed.store.read(lambda tx: tx.sinks.any_due())
        costs.append(meter.read)
    assert costs[1] < 20 * max(costs[0], 10), costs


async def _add_sinks(tx: Transaction, world: World, count: int) -> None:
    for _ in range(count):
        sink_id = world.ids.new()
        await tx.sinks.add(
            NewSink(sink_id, world.ids.new(), "all", True, SinkSpec.model_validate({"target": HOOK}), None), "ann"
        )


# ---- changing them


async def test_what_is_secret_is_sealed_kept_and_sealed_again(world: World) -> None:
    sink = await create_sink(world)
    assert "very-secret" not in str(await row_of(world, sink))
    assert opened_part(SEALS, "sink", sink) == {"url": HOOK["url"], "key": HOOK["key"]}
    newer = Keyring("n" * 32, "k" * 32)
    assert (await world.store.transact(sinks.reseal_sinks, seals=newer)).done == 1
    found = await world.store.read(lambda tx: tx.sinks.find(world.project, "all"))
    assert found is not None
    assert opened_part(Keyring("n" * 32), "sink", found) == {"url": HOOK["url"], "key": HOOK["key"]}


async def test_brokers_are_only_for_the_installation(world: World) -> None:
    for target in ({"kind": "amqp"}, {"kind": "redis"}):
        with pytest.raises(InvalidInput) as refused:
            await create_sink(world, target=target)
        assert refused.value.field == "target.kind"
        made = await create_sink(world, target["kind"], project_id=NIL, target=target)
        assert made.spec is not None
    with pytest.raises(InvalidInput) as refused:
        await create_sink(world, target={**HOOK, "url": "{{ secrets.URL }}"})
    assert refused.value.field == "target.url"


async def test_a_test_is_an_event_like_any_other_but_only_ten_may_wait(world: World) -> None:
    sink = await create_sink(world, types=["run.ended"])
    given = {"project_id": world.project, "ref": "all", "actor": "ann"}
    for _ in range(10):
        await world.store.transact(sinks.send_test_event, event_id=world.ids.new(), **given)
    with pytest.raises(Conflict):
        await world.store.transact(sinks.send_test_event, event_id=world.ids.new(), **given)
    await send_all(world, receiver := Receiver())
    assert told(receiver) == [("sink.test", f"sinks/{sink.id}")] * 10
