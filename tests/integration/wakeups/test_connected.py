"""What every server that carries hints must do: PostgreSQL and Redis."""

import asyncio
import logging
from functools import partial
from pathlib import Path
from uuid import uuid4

import uvloop

from horae.ports import Hint
from horae.wakeups import connected
from horae.wakeups.postgresql import PostgresqlWakeups
from horae.wakeups.redis import RedisWakeups
from tests.integration.wakeups.conftest import EVERY_CARRIER
from tests.integration.wakeups.hearing import hear, ready
from tests.waiting import until

pytestmark = EVERY_CARRIER


async def test_everyone_gets_a_hint_of_a_topic_they_asked_for(make):
    sender, worker, scheduler = make(), make(), make()
    at_worker, at_scheduler = await hear(worker, {"runs", "cancel"}), await hear(scheduler, {"jobs"})
    await ready(worker)
    await ready(scheduler)
    await until(lambda: set(at_worker) == {"runs", "cancel"} and at_scheduler == ["jobs"])
    at_worker.clear()
    at_scheduler.clear()

    await sender.send(["runs:default", "jobs", "cancel:w1"])

    await until(lambda: len(at_worker) == 2 and len(at_scheduler) == 1)
    assert (sorted(at_worker), at_scheduler) == (["cancel:w1", "runs:default"], ["jobs"])


async def test_any_text_arrives_as_it_was_sent(make):
    wakeups = make()
    heard = await hear(wakeups, {"runs", "jobs"})
    await ready(wakeups)
    heard.clear()
    odd = ["runs:it's", "runs:back\\slash\\'", "runs:ünïcødé 🎉", "runs:'); DROP TABLE runs; --", 'runs:"$1"']
    await wakeups.send(odd)
    await until(lambda: len(heard) == len(odd))
    assert heard == odd
    heard.clear()
    await wakeups.send(["runs:\x00", "runs:a\njobs", "runs:\ud800", "runs:" + "x" * 9_000])
    await until(lambda: heard)
    assert heard == ["runs"]


async def test_many_hints_are_split_below_the_servers_limit(make):
    wakeups = make()
    heard = await hear(wakeups, {"runs"})
    await ready(wakeups)
    hints = [f"runs:{n}é'{'y' * 80}" for n in range(1_000)]
    await wakeups.send(hints)
    await until(lambda: set(hints) <= set(heard))


async def test_close_sends_what_waits_and_leaves_nothing(make):
    before = set(Path("/proc/self/fd").iterdir())
    tasks = asyncio.all_tasks()
    listening, sender = make(), make()
    heard = await hear(listening, {"runs"})
    await ready(listening)
    await sender.send(["runs:0"])
    await until(partial(heard.count, "runs:0"))
    await sender.send(["runs:goodbye"])
    await sender.close()
    await until(partial(heard.count, "runs:goodbye"))
    await listening.close()
    await listening.close()
    await listening.send(["runs:too-late"])
    assert asyncio.all_tasks() == tasks
    await until(lambda: set(Path("/proc/self/fd").iterdir()) == before)


def test_works_on_uvloop(carrier: str, url: str) -> None:
    async def exchange() -> None:
        wakeups = PostgresqlWakeups(url) if carrier == "postgresql" else RedisWakeups(url)
        wakeups.join(uuid4().hex)
        heard: list[Hint] = []
        await wakeups.start({"runs"}, heard.append)
        await ready(wakeups)
        await wakeups.send(["runs:default"])
        await until(partial(heard.count, "runs:default"))
        await wakeups.close()

    uvloop.run(exchange())


async def test_a_callback_that_fails_does_not_end_the_listening(make):
    wakeups = make()
    heard: list[Hint] = []

    def fail(hint: Hint) -> None:
        heard.append(hint)
        if hint == "runs:bad":
            raise ValueError(hint)

    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda *_: None)
    await wakeups.start({"runs"}, fail)
    await ready(wakeups)
    await wakeups.send(["runs:bad"])
    await until(partial(heard.count, "runs:bad"))
    await wakeups.send(["runs:good"])
    await until(partial(heard.count, "runs:good"))
    assert wakeups.reliable


async def test_close_while_the_server_is_away_is_quick(make, carrier, unused_tcp_port):
    wakeups = make(f"{carrier}://u:p@127.0.0.1:{unused_tcp_port}/0")
    await wakeups.start({"runs"}, lambda _: None)
    await wakeups.send(["runs:default"])
    async with asyncio.timeout(1):
        await wakeups.close()


async def test_while_the_server_is_away_hints_wait_and_it_is_said_once(make, through, proxy, caplog, monkeypatch):
    monkeypatch.setattr(connected, "RETRY_MAX", 0.05)
    caplog.set_level(logging.INFO, "horae.wakeups")
    wakeups, other = make(through), make()
    heard = await hear(other, {"runs"})
    await wakeups.start({"runs"}, lambda _: None)
    await ready(wakeups)
    await ready(other)
    proxy.refuse()
    await until(lambda: not wakeups.reliable)
    await wakeups.send(["runs:patient"])
    await until(lambda: proxy.refused >= 5)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "runs:patient" not in heard
    proxy.accept()
    await until(partial(heard.count, "runs:patient"))
    assert wakeups.reliable
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]
