"""Hints through a real PostgreSQL."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import uvloop

from horae.ports import Hint
from horae.wakeups.postgresql import PostgresqlWakeups
from tests.integration.wakeups.hearing import ask, hear, ready
from tests.waiting import until

pytestmark = pytest.mark.postgresql


async def connections(url: str) -> int:
    count: int = await ask(url, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
    return count - 1


async def alone(url: str) -> Any:
    return await connections(url) == 0


async def test_everyone_gets_a_hint_of_a_topic_they_asked_for(make_postgresql):
    sender, worker, scheduler = make_postgresql(), make_postgresql(), make_postgresql()
    at_worker, at_scheduler = await hear(worker, {"runs", "cancel"}), await hear(scheduler, {"jobs"})
    await ready(worker)
    await ready(scheduler)
    await until(lambda: set(at_worker) == {"runs", "cancel"} and at_scheduler == ["jobs"])
    at_worker.clear()
    at_scheduler.clear()

    await sender.send(["runs:default", "jobs", "cancel:w1"])

    await until(lambda: len(at_worker) == 2 and len(at_scheduler) == 1)
    assert (sorted(at_worker), at_scheduler) == (["cancel:w1", "runs:default"], ["jobs"])


async def test_one_connection_serves_to_listen_and_to_send(make_postgresql, url):
    wakeups = make_postgresql()
    heard = await hear(wakeups, {"runs"})
    await ready(wakeups)
    await wakeups.send(["runs:mail"])
    await until(partial(heard.count, "runs:mail"))
    assert await connections(url) == 1


async def test_hints_merge_while_one_is_under_way(make_postgresql, url):
    wakeups = make_postgresql()
    await wakeups.start({"runs"}, lambda _: None)
    await ready(wakeups)
    listener = await asyncpg.connect(url)
    payloads: list[str] = []
    await listener.add_listener("horae", lambda *event: payloads.append(event[-1]))
    for n in range(1_000):
        await wakeups.send([f"runs:{n % 7}"])
        if n % 100 == 0:
            await until(lambda: True, every=0)
    await wakeups.send(["runs:last"])
    await until(lambda: any("runs:last" in payload for payload in payloads))
    assert len(payloads) <= 20
    assert {hint for payload in payloads for hint in payload.split("\n")} == {
        "runs:last", *(f"runs:{n}" for n in range(7))
    }  # fmt: skip
    await listener.close()


async def test_any_text_arrives_as_it_was_sent(make_postgresql):
    wakeups = make_postgresql()
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


async def test_many_hints_are_split_below_the_servers_limit(make_postgresql):
    wakeups = make_postgresql()
    heard = await hear(wakeups, {"runs"})
    await ready(wakeups)
    hints = [f"runs:{n}é'{'y' * 80}" for n in range(1_000)]
    await wakeups.send(hints)
    await until(lambda: set(hints) <= set(heard))


async def test_close_sends_what_waits_and_leaves_nothing(url):
    before = set(Path("/proc/self/fd").iterdir())
    tasks = asyncio.all_tasks()
    listening, sender = PostgresqlWakeups(url), PostgresqlWakeups(url)
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

    await until(lambda: alone(url))


async def test_the_password_is_never_shown(url, caplog, monkeypatch):
    async def connect(dsn: str, **_: Any) -> Any:
        raise OSError(f"cannot connect to {dsn}: s3cret/word")

    monkeypatch.setattr(asyncpg, "connect", connect)
    wakeups = PostgresqlWakeups("postgresql://me:s3cret%2Fword@localhost/x?password=0ther")
    await wakeups.start({"runs"}, lambda _: None)
    await until(lambda: "lost" in caplog.text)
    await wakeups.close()
    assert "s3cret" not in caplog.text
    assert "0ther" not in caplog.text
    assert "s3cret" not in repr(wakeups)


async def test_options_that_only_libpq_knows_are_not_sent_to_the_server(make_postgresql, url):
    sign = "&" if "?" in url else "?"
    wakeups = make_postgresql(f"{url}{sign}connect_timeout=3&keepalives=1&channel_binding=prefer&application_name=mine")
    await wakeups.start({"runs"}, lambda _: None)
    await ready(wakeups)
    names = "SELECT string_agg(application_name, '') FROM pg_stat_activity WHERE datname = current_database()"
    assert await ask(url, names) == "mine"


def test_works_on_uvloop(url: str) -> None:
    async def exchange() -> None:
        wakeups = PostgresqlWakeups(url)
        heard: list[Hint] = []
        await wakeups.start({"runs"}, heard.append)
        await ready(wakeups)
        await wakeups.send(["runs:default"])
        await until(partial(heard.count, "runs:default"))
        await wakeups.close()

    uvloop.run(exchange())


async def test_a_callback_that_fails_does_not_end_the_listening(make_postgresql):
    wakeups = make_postgresql()
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
