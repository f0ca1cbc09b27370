"""Hints through a real PostgreSQL, and through a proxy that does what networks and poolers do."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest
import uvloop

from horae.ports import Hint
from horae.wakeups import postgresql
from horae.wakeups.postgresql import PostgresqlWakeups
from tests.integration.wakeups.hearing import hear
from tests.integration.wakeups.proxy import Proxy
from tests.waiting import until

pytestmark = pytest.mark.postgresql


@pytest.fixture
def url(make_database: Callable[..., str]) -> str:
    return make_database("postgresql")


@pytest.fixture
async def make(url: str) -> AsyncIterator[Callable[..., PostgresqlWakeups]]:
    made: list[PostgresqlWakeups] = []

    def build(through: str = url) -> PostgresqlWakeups:
        made.append(PostgresqlWakeups(through))
        return made[-1]

    yield build
    for wakeups in made:
        await wakeups.close()


@pytest.fixture
async def proxy(url: str) -> AsyncIterator[Proxy]:
    parts = urlsplit(url)
    async with Proxy(parts.hostname or "localhost", parts.port or 5432) as proxy:
        yield proxy


@pytest.fixture
def through(url: str, proxy: Proxy) -> str:
    """The database's URL by way of the proxy."""
    parts = urlsplit(url)
    login = parts.netloc.rpartition("@")[0]
    return parts._replace(
        netloc=f"{login}@127.0.0.1:{proxy.port}" if login else f"127.0.0.1:{proxy.port}",
        query="sslmode=disable",
    ).geturl()


async def ready(wakeups: PostgresqlWakeups) -> None:
    await until(lambda: wakeups.reliable)


async def ask(url: str, query: str) -> Any:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()


async def connections(url: str) -> int:
    count: int = await ask(url, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
    return count - 1


async def alone(url: str) -> Any:
    return await connections(url) == 0


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


async def test_one_connection_serves_to_listen_and_to_send(make, url):
    wakeups = make()
    heard = await hear(wakeups, {"runs"})
    await ready(wakeups)
    await wakeups.send(["runs:mail"])
    await until(partial(heard.count, "runs:mail"))
    assert await connections(url) == 1


async def test_hints_merge_while_one_is_under_way(make, url):
    wakeups = make()
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


async def test_close_while_the_database_is_away_is_quick(make, unused_tcp_port):
    wakeups = make(f"postgresql://u:p@127.0.0.1:{unused_tcp_port}/d")
    await wakeups.start({"runs"}, lambda _: None)
    await wakeups.send(["runs:default"])
    async with asyncio.timeout(1):
        await wakeups.close()


async def test_a_lost_connection_comes_back_and_hints_every_topic(make, url, caplog):
    caplog.set_level(logging.INFO, "horae.wakeups")
    wakeups = make()
    heard = await hear(wakeups, {"runs", "jobs"})
    await ready(wakeups)
    for _ in range(2):
        heard.clear()
        caplog.clear()
        await ask(
            url,
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            "WHERE datname = current_database() AND application_name = 'horae wake-ups'",
        )
        await until(lambda: "lost" in caplog.text)
        await until(lambda: wakeups.reliable and set(heard) == {"runs", "jobs"})
        await wakeups.send(["runs:default"])
        await until(partial(heard.count, "runs:default"))
        assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]


async def test_while_the_database_is_away_hints_wait_and_it_is_said_once(make, through, proxy, caplog, monkeypatch):
    monkeypatch.setattr(postgresql, "RETRY_MAX", 0.05)
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


async def test_a_silent_partition_is_noticed(make, through, proxy, monkeypatch):
    monkeypatch.setattr(postgresql, "PING_EVERY", 0.1)
    monkeypatch.setattr(postgresql, "COMMAND_TIMEOUT", 0.3)
    wakeups = make(through)
    await wakeups.start({"runs"}, lambda _: None)
    await ready(wakeups)
    proxy.freeze()
    await until(lambda: not wakeups.reliable)
    proxy.thaw()
    await ready(wakeups)


async def test_behind_a_pooler_that_drops_notifications_it_polls_and_says_so_once(
    make, through, proxy, url, caplog, monkeypatch
):
    monkeypatch.setattr(postgresql, "PROBE_TIMEOUT", 0.2)
    proxy.drop_notifications = True
    wakeups, direct = make(through), make()
    pooled, heard = await hear(wakeups, {"runs"}), await hear(direct, {"runs"})
    await until(lambda: "polling instead" in caplog.text)
    assert not wakeups.reliable
    assert pooled == ["runs"]
    await ready(direct)
    await wakeups.send(["runs:from-the-pool"])
    await until(partial(heard.count, "runs:from-the-pool"))
    proxy.refuse()
    proxy.accept()
    await until(lambda: pooled == ["runs", "runs"])
    assert caplog.text.count("polling instead") == 1


@pytest.mark.skipif(not os.environ.get("HORAE_TEST_PGBOUNCER_URL"), reason="HORAE_TEST_PGBOUNCER_URL is not set")
async def test_behind_a_real_pgbouncer_in_transaction_mode_it_polls(make, caplog):
    """By hand: the URL of a database by way of pgbouncer."""
    wakeups = make(os.environ["HORAE_TEST_PGBOUNCER_URL"])
    await wakeups.start({"runs"}, lambda _: None)
    await until(lambda: "polling instead" in caplog.text)
    await wakeups.send(["runs:default"])
    await until(lambda: not wakeups._pending)
    assert "cannot be sent" not in caplog.text
    assert "lost" not in caplog.text


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


async def test_options_that_only_libpq_knows_are_not_sent_to_the_server(make, url):
    sign = "&" if "?" in url else "?"
    wakeups = make(f"{url}{sign}connect_timeout=3&keepalives=1&channel_binding=prefer&application_name=mine")
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
