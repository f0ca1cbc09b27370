"""Hints when PostgreSQL is away, cut off, or behind a pooler that swallows them."""

import logging
from functools import partial

import pytest

from horae.wakeups import postgresql
from tests.databases import server_url
from tests.integration.wakeups.hearing import ask, hear, ready
from tests.waiting import until

pytestmark = pytest.mark.postgresql


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


async def test_a_silent_partition_is_noticed(make, through, proxy, monkeypatch):
    monkeypatch.setattr(postgresql, "PING_EVERY", 0.1)
    monkeypatch.setattr(postgresql, "PING_TIMEOUT", 0.3)
    monkeypatch.setattr(postgresql, "YOUNG", 0)
    told = []

    async def tell() -> None:
        told.append("lost")

    wakeups = make(through)
    wakeups.on_lost = tell
    await wakeups.start({"runs"}, lambda _: None)
    await ready(wakeups)
    proxy.freeze()
    await until(lambda: not wakeups.reliable)
    proxy.thaw()
    await ready(wakeups)
    assert told == ["lost"]
    wakeups.doubt()  # the process that doubts may not know all that should
    await until(lambda: len(told) == 2 and wakeups.reliable)


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


async def test_a_connection_that_is_doubted_is_replaced_and_every_topic_hinted(make, url, monkeypatch):
    monkeypatch.setattr(postgresql, "YOUNG", 0)
    wakeups = make()
    heard = await hear(wakeups, {"runs", "jobs"})
    await ready(wakeups)
    numbers = "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE application_name = 'horae wake-ups' "
    before = await ask(url, numbers + "AND datname = current_database()")
    heard.clear()
    wakeups.doubt()
    await until(lambda: wakeups.reliable and set(heard) == {"runs", "jobs"})
    now = await ask(url, numbers + "AND datname = current_database()")
    assert now not in (before, None)
    monkeypatch.setattr(postgresql, "YOUNG", 60)  # what is learned of later was about the one before
    wakeups.doubt()
    await wakeups.send(["runs:default"])
    await until(partial(heard.count, "runs:default"))
    assert await ask(url, numbers + "AND datname = current_database()") == now


async def test_behind_a_real_pgbouncer_in_transaction_mode_it_polls(make, caplog):
    wakeups = make(server_url("pgbouncer"))
    await wakeups.start({"runs"}, lambda _: None)
    await until(lambda: "polling instead" in caplog.text)
    await wakeups.send(["runs:default"])
    await until(lambda: not wakeups._pending)
    assert "cannot be sent" not in caplog.text
    assert "lost" not in caplog.text
