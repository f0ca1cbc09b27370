"""Hints through a real PostgreSQL."""

from functools import partial
from typing import Any

import asyncpg
import pytest

from horae.wakeups.postgresql import PostgresqlWakeups
from tests.integration.wakeups.hearing import ask, hear, ready
from tests.waiting import until

pytestmark = pytest.mark.postgresql


async def connections(url: str) -> int:
    count: int = await ask(url, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
    return count - 1


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
