"""A broker between simulated processes: messages are lost, doubled, late and in any order. Now and then it loses all of
them, or is away for a while."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, NamedTuple

from horae.domain.errors import BrokerUnavailable
from horae.domain.runs.claimable import Claimable
from horae.ports import RunMessage
from tests.simulation.loop import Actor, pause

if TYPE_CHECKING:
    from tests.simulation.process import Process
    from tests.simulation.world import World

_LATEST = 30.0  # seconds that a message may be under way
_AWAY = "the broker is away"


class Message(NamedTuple):
    number: int  # of this delivery
    run_id: str
    queue: str


class SimulatedBroker:
    """`returns`: what a consumer had and did not acknowledge is delivered again when it dies, as RabbitMQ does; Redis
    forgets it."""

    def __init__(self, world: World) -> None:
        self.world, self.actor = world, Actor("broker")
        self._chance = random.Random(f"{world.seed}/broker")
        self.returns = self._chance.random() < 0.5
        self._trouble_every = self._chance.choice((8.0, 20.0, 1000.0))  # seconds
        self._queues: dict[str, list[Message]] = {}
        self._consumers: list[SimulatedMessages] = []
        self._count = self._sent = 0
        self.away = False

    async def live(self) -> None:
        number = 0
        while True:
            await pause(self._chance.expovariate(1 / self._trouble_every))
            number, flush, seconds = number + 1, self._chance.random() < 0.5, self._chance.uniform(0.5, 12)
            key = f"broker:{number}"
            if not self.world.faults.on:
                return
            if not self.world.faults.wanted(key):
                continue
            if flush:
                self.world.trace.fault("broker", "loses all messages", key)
                self._queues.clear()
            else:
                self.world.trace.fault("broker", f"is away for {seconds:.1f} s", key)
                self.away = True
                for consumer in self._consumers:
                    self._take_back(consumer)
                await pause(seconds)
                self.away = False
                self.match()

    def publish(self, runs: Sequence[Claimable]) -> None:
        for run in runs:
            self._sent += 1
            fault = self.world.faults.message("broker", self._sent, self._chance)
            late = self._chance.random() * _LATEST
            if fault is not None:
                self.world.trace.note("broker", f"{run.id[-6:]} is {fault}", ("runs", run.id))
            for _ in range({"lost": 0, "twice": 2}.get(fault or "", 1)):
                if fault == "late":
                    self.world.loop.call_later(late, self._arrive_late, run, context=self.actor.context)
                else:
                    self.arrive(run.id, run.queue)
        self.match()

    def _arrive_late(self, run: Claimable) -> None:
        self.arrive(run.id, run.queue)
        self.match()

    def arrive(self, run_id: str, queue: str) -> None:
        self._count += 1
        self._queues.setdefault(queue, []).append(Message(self._count, run_id, queue))

    def depth(self, queue: str) -> int:
        return len(self._queues.get(queue, ()))

    def joined(self, consumer: SimulatedMessages) -> None:
        self._consumers.append(consumer)

    def left(self, consumer: SimulatedMessages) -> None:
        if consumer in self._consumers:
            self._consumers.remove(consumer)
            self._take_back(consumer)

    def _take_back(self, consumer: SimulatedMessages) -> None:
        held, consumer.held = list(consumer.held.values()), {}
        consumer.inbox.clear()
        for message in held if self.returns else ():
            self.arrive(message.run_id, message.queue)

    def match(self) -> None:
        """Gives messages to consumers that have room for them, in any order."""
        for consumer in [consumer for consumer in self._consumers if not consumer.process.alive]:
            self.left(consumer)
        for queue, waiting in list(self._queues.items()) if not self.away else ():
            while waiting and (free := [consumer for consumer in self._consumers if consumer.has_room(queue)]):
                message = waiting.pop(self._chance.randrange(len(waiting)))
                self._chance.choice(free).deliver(message, self._chance.random() * 0.02)


class SimulatedMessages:
    """See `Messages`: of one worker."""

    def __init__(self, broker: SimulatedBroker, process: Process) -> None:
        self._broker, self.process = broker, process
        self._queues: frozenset[str] = frozenset()
        self._wanted = 0
        self._on_message: Callable[[], None] = lambda: None
        self.inbox: list[Message] = []
        self.held: dict[int, Message] = {}  # not acknowledged yet

    @property
    def trouble(self) -> str | None:
        return _AWAY if self._broker.away else None

    def start(self, on_message: Callable[[], None]) -> None:
        self._on_message = on_message
        self._broker.joined(self)
        self._broker.match()

    def serve(self, queues: Collection[str]) -> None:
        self._queues = frozenset(queues)
        self._broker.match()

    def want(self, most: int) -> None:
        self._wanted = most
        if not most:
            self._give_back()
        self._broker.match()

    def take(self, most: int) -> list[RunMessage]:
        taken, self.inbox = self.inbox[:most], self.inbox[most:]
        return list(taken)

    def done(self, messages: Sequence[Any]) -> None:
        for message in messages:
            self.held.pop(message.number, None)
        self._broker.match()

    async def close(self) -> None:
        self._give_back()
        self._broker.left(self)

    def _give_back(self) -> None:
        for message in self.inbox:
            if self.held.pop(message.number, None) is not None:
                self._broker.arrive(message.run_id, message.queue)
        self.inbox.clear()

    def has_room(self, queue: str) -> bool:
        return queue in self._queues and len(self.held) < self._wanted

    def deliver(self, message: Message, seconds: float) -> None:
        self.held[message.number] = message
        self._broker.world.loop.call_later(seconds, self._got, message, context=self.process.main.context)

    def _got(self, message: Message) -> None:
        if message.number in self.held:
            self.inbox.append(message)
            self._on_message()


class SimulatedPublisher:
    """In the place of the publisher's thread of one process, which is stopped and dies with it."""

    state = "connected"

    def __init__(self, broker: SimulatedBroker, process: Process, confirmed: Callable[[list[str]], None]) -> None:
        self._broker, self._process, self._confirmed = broker, process, confirmed

    def start(self) -> None:
        """It needs no thread."""

    def add(self, runs: Sequence[Claimable]) -> None:
        self._soon(self._send, runs)

    def publish(self, runs: Sequence[Claimable]) -> Future[None]:
        return self._ask(lambda: self._broker.publish(runs))

    def depths(self, queues: Collection[str]) -> Future[Mapping[str, int]]:
        return self._ask(lambda: {queue: self._broker.depth(queue) for queue in queues})

    def _send(self, runs: Sequence[Claimable]) -> None:
        if not self._broker.away:
            self._broker.publish(runs)
            self._soon(self._confirmed, [run.id for run in runs])

    def _ask(self, act: Callable[[], Any]) -> Future[Any]:
        future: Future[Any] = Future()
        self._soon(self._answer, future, act)
        return future

    def _answer(self, future: Future[Any], act: Callable[[], Any]) -> None:
        result = None if self._broker.away else act()
        unheard = self._broker.away or self._process.hint_fault() == "lost"  # done, and no one learns of it
        if not future.done():
            if unheard:
                future.set_exception(BrokerUnavailable(_AWAY))
            else:
                future.set_result(result)

    def _soon(self, act: Callable[..., object], *given: Any) -> None:
        seconds = self._process.chance.random() * 0.02
        self._process.world.loop.call_later(seconds, act, *given, context=self._process.main.context)
