"""Sinks and their outbox, for the tests about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from horae.accounts import sinks
from horae.accounts.sinks import SinkChange
from horae.domain.notify.delivery import Sent
from horae.domain.sinks.sending import WireEvent
from horae.domain.sinks.sink import OpenSink, Shipped, SinkDue, SinkRecord, SinkSpec
from horae.lifecycle.watching.emit import read_events, take_sinks
from horae.processes.duties.duty import Post
from horae.processes.duties.events import EventsDuty
from horae.processes.settings import SchedulerSettings
from horae.sealing import Keyring
from tests.contract.world import Row, World, scheduler_sign

SEALS = Keyring("k" * 32)
KEY = "whsec_bWFkZSBieSB0aGUgc2VydmVy"
HOOK: dict[str, Any] = {"kind": "webhook", "url": "https://hooks.example.org/very-secret", "key": KEY}


async def create_sink(world: World, name: str = "all", *, project_id: str | None = None, **fields: Any) -> SinkRecord:
    """Which this process knows at once."""
    spec = SinkSpec.model_validate({"target": HOOK, **fields})
    made, _ = await world.store.transact(
        sinks.create_sink,
        sink_id=world.ids.new(),
        project_id=project_id or world.project,
        change=SinkChange(name, True, spec),
        seals=SEALS,
        actor="user:ann",
    )
    assert await world.store.learn()
    return made


async def outbox(world: World, sink: SinkRecord | None = None) -> list[Row]:
    rows = await world.rows("SELECT * FROM event_outbox ORDER BY seq")
    return [row for row in rows if sink is None or row["sink_id"] == sink.id]


async def types(world: World, sink: SinkRecord | None = None) -> list[str]:
    return [row["type"] for row in await outbox(world, sink)]


async def row_of(world: World, sink: SinkRecord) -> Row:
    (row,) = await world.rows("SELECT * FROM event_sinks WHERE id = :id", id=sink.id)
    return row


async def take(world: World, *, lease: float = 60.0) -> list[SinkDue]:
    """With their events."""
    due = await world.store.transact(take_sinks, token=world.ids.new(), lease=lease, limit=10, busy=[])
    return [await world.store.read(read_events, due=one) for one in due]


class Receiver:
    """An adapter that keeps what it gets, and answers as configured."""

    def __init__(self) -> None:
        self.got: list[WireEvent] = []
        self.answers: list[Shipped] = []

    async def send(self, sink: OpenSink, events: Sequence[WireEvent]) -> Shipped:
        answer = self.answers.pop(0) if self.answers else Shipped(len(events), Sent())
        self.got += events[: answer.count]
        return answer

    async def close(self) -> None:
        pass


def duty_of(world: World, receiver: Any) -> EventsDuty:
    settings = SchedulerSettings(seals=SEALS, events=receiver)
    given = (scheduler_sign(), world.store, settings, 64, world.clock, world.ids)
    return EventsDuty(Post(*given, lambda: False, lambda host, other: False, shards=[0]))


async def send_all(world: World, receiver: Any) -> EventsDuty:
    """Until nothing is due."""
    duty = duty_of(world, receiver)
    while await duty.step() == 0 or len(duty._busy):
        await duty._busy.over()
    return duty
