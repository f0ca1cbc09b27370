"""Hints through a real Redis: what only it does, and a server that is killed, refuses, or carries what others forge."""

import asyncio
import hashlib
import logging
import time
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from redis.asyncio import Redis

from horae.wakeups import connected, incoming, redis
from horae.wakeups.redis import RedisWakeups, reach
from horae.wakeups.redis_link import RedisLink, options_of
from tests.certificate import self_signed
from tests.integration.wakeups.hearing import hear, ready
from tests.own_redis import OwnRedis, own_redis
from tests.waiting import until

pytestmark = pytest.mark.redis

PASSWORD = "s3cret/word"
SAFE = "s3cret%2Fword"


@pytest.fixture
def carrier() -> str:
    return "redis"


@pytest.fixture
async def anyone(url: str) -> AsyncIterator[Redis]:
    """Another client of this Redis."""
    async with Redis.from_url(url) as client:
        yield client


@pytest.fixture
def own(tmp_path: Path, unused_tcp_port: int) -> Iterator[OwnRedis]:
    """Not started yet."""
    with own_redis(tmp_path, unused_tcp_port, "--requirepass", PASSWORD) as server:
        yield server


def channel(installation: str, number: int = 0) -> str:
    return f"horae:wake:{number}:{hashlib.sha256(installation.encode()).hexdigest()[:16]}"


async def test_two_installations_on_one_redis_do_not_wake_each_other(make, url):
    one, other = uuid4().hex, uuid4().hex
    here, there, elsewhere = make(installation=one), make(installation=other), make(f"{url[:-1]}1", one)
    heard = {each: await hear(each, {"runs"}) for each in (here, there, elsewhere)}
    for each in heard:
        await ready(each)
    sender = make(installation=one)
    await sender.send(["runs:here"])
    await until(partial(heard[here].count, "runs:here"))
    await there.send(["runs:there"])
    await elsewhere.send(["runs:elsewhere"])
    await until(lambda: "runs:there" in heard[there] and "runs:elsewhere" in heard[elsewhere])
    assert sorted(hint for each in heard.values() for hint in each if ":" in hint) == [
        "runs:elsewhere", "runs:here", "runs:there"
    ]  # fmt: skip


async def test_nothing_is_sent_before_the_installation_is_known(url):
    wakeups, installation = RedisWakeups(url), uuid4().hex
    heard = await hear(wakeups, {"runs"})
    await wakeups.send(["runs:early"])
    assert wakeups._task is None
    wakeups.join(installation)
    await until(partial(heard.count, "runs:early"))
    await wakeups.close()


async def test_flushall_costs_nothing(make, tmp_path, unused_tcp_port):
    with own_redis(tmp_path, unused_tcp_port) as server:
        await server.start()
        wakeups = make(server.url)
        heard = await hear(wakeups, {"runs"})
        await ready(wakeups)
        async with Redis.from_url(server.url) as client:
            await client.flushall()
        await wakeups.send(["runs:after"])
        await until(partial(heard.count, "runs:after"))
        assert wakeups.reliable


async def test_a_killed_redis_comes_back_and_it_is_said_once_without_the_password(
    make, own, caplog, monkeypatch, unused_tcp_port
):
    monkeypatch.setattr(connected, "RETRY_MAX", 0.2)
    monkeypatch.setattr(redis, "TROUBLE_AFTER", 0.0)
    caplog.set_level(logging.INFO, "horae.wakeups")
    lost: list[str] = []

    async def on_lost() -> None:
        lost.append("lost")

    wakeups = make(f"redis://:{SAFE}@127.0.0.1:{unused_tcp_port}/0")
    wakeups.on_lost = on_lost
    heard = await hear(wakeups, {"runs", "jobs"})  # it starts although there is no server yet
    await until(lambda: wakeups.trouble)
    assert wakeups.trouble == "wake-ups: Redis cannot be reached"
    assert not wakeups.reliable
    for turn in range(2):
        await own.start()
        await ready(wakeups)
        assert set(heard) == {"runs", "jobs"}
        assert wakeups.trouble is None
        await wakeups.send(["runs:default"])
        await until(partial(heard.count, "runs:default"))
        heard.clear()
        own.kill()
        await until(lambda: not wakeups.reliable)
        await until(lambda times=turn + 1: len(lost) == times)  # type: ignore[misc]
    await until(lambda: wakeups.trouble)
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO", "WARNING", "INFO", "WARNING"]
    assert "s3cret" not in caplog.text


async def test_a_wrong_password_is_refused_and_never_shown(make, own, caplog, monkeypatch):
    monkeypatch.setattr(redis, "TROUBLE_AFTER", 0.0)
    await own.start()
    wrong = f"redis://me:wr0ng@127.0.0.1:{own.port}/0"
    wakeups = make(wrong)
    await wakeups.start({"runs"}, lambda _: None)
    await until(lambda: "are lost" in caplog.text)
    assert wakeups.trouble == "wake-ups: Redis refuses the user, the password or a command"
    assert await reach(wrong) == "Redis refuses the user, the password or a command"
    assert await reach(f"redis://:{SAFE}@127.0.0.1:{own.port}/0") is None
    assert "wr0ng" not in caplog.text


async def test_with_tls_the_certificate_is_verified(make, tmp_path, unused_tcp_port_factory):
    file, port = self_signed(tmp_path), unused_tcp_port_factory()
    tls = ["--tls-port", str(port), "--tls-cert-file", str(file), "--tls-key-file", str(file)]
    with own_redis(tmp_path, unused_tcp_port_factory(), *tls, "--tls-auth-clients", "no") as server:
        await server.start()
        trusted = f"ssl_ca_certs={file}"
        wakeups = make(f"rediss://localhost:{port}/0?{trusted}")
        heard = await hear(wakeups, {"runs"})
        await ready(wakeups)
        await wakeups.send(["runs:sealed"])
        await until(partial(heard.count, "runs:sealed"))
        found = {
            options: await reach(f"rediss://{options.format(port=port)}")
            for options in (
                "localhost:{port}/0",
                f"127.0.0.1:{{port}}/0?{trusted}",
                f"127.0.0.1:{{port}}/0?{trusted}&ssl_check_hostname=false",
                "127.0.0.1:{port}/0?ssl_cert_reqs=none",
            )
        }
        away = "Redis cannot be reached"
        assert list(found.values()) == [away, away, None, None], "nobody vouches, another name, not checked twice"


async def test_a_user_with_the_least_rights_suffices(make, own):
    await own.start()
    async with Redis(port=own.port, password=PASSWORD) as admin:
        await admin.execute_command(
            "ACL", "SETUSER", "horae", "on", ">pw", "resetchannels", "&horae:wake:*", "+ping", "+publish", "+subscribe"
        )
    wakeups = make(f"redis://horae:pw@127.0.0.1:{own.port}/3")
    heard = await hear(wakeups, {"runs"})
    await ready(wakeups)
    await wakeups.send(["runs:mail"])
    await until(partial(heard.count, "runs:mail"))


async def test_a_user_who_may_not_publish_is_reported(make, own, caplog):
    await own.start()
    async with Redis(port=own.port, password=PASSWORD) as admin:
        await admin.execute_command("ACL", "SETUSER", "horae", "on", ">pw", "allchannels", "+ping", "+subscribe")
    wakeups = make(f"redis://horae:pw@127.0.0.1:{own.port}/0")
    await wakeups.start((), lambda _: None)
    await wakeups.send(["runs:mail"])
    await until(lambda: "hints cannot be sent" in caplog.text)
    assert "publish" in caplog.text


async def test_what_others_publish_is_validated_and_bounded(make, anyone):
    installation = uuid4().hex
    wakeups = make(installation=installation)
    heard = await hear(wakeups, {"runs", "cancel"})
    await ready(wakeups)
    heard.clear()
    name = channel(installation)
    for message in (
        b"", b"\n\n\n", b"jobs", b"unknown:x", b"\xff\xfe", b"runs", b"runs:\x1b[2J", b"runs:" + b"q" * 500,
        b"runs:\xff", b"x" * 1_000_000, b"runs:too-long\n" * 70_000,
    ):  # fmt: skip
        await anyone.publish(name, message)
    await wakeups.send(["runs:real"])
    await until(partial(heard.count, "runs:real"))
    assert set(heard) == {"runs", "runs:\ufffd", "runs:real"}
    assert wakeups.reliable


async def test_a_message_that_is_too_long_is_never_held_in_memory(url, anyone):
    options, _ = options_of(url)
    link, name = RedisLink(options), uuid4().hex
    await link.open()
    try:
        await link.ask([("SUBSCRIBE", name)])
        for message in (b"a" * 1_000_000, b"b" * incoming.MESSAGE_LIMIT, b"c"):
            await anyone.publish(name, message)
        assert [len((await link.read())[2]) for _ in range(3)] == [0, incoming.MESSAGE_LIMIT, 1]
    finally:
        await link.close()


async def test_a_flood_wakes_now_and_then_and_the_process_goes_on(make, anyone, monkeypatch):
    monkeypatch.setattr(incoming, "RATE", 100.0)
    installation = uuid4().hex
    wakeups = make(installation=installation)
    heard = await hear(wakeups, {"runs"})
    await ready(wakeups)
    heard.clear()
    name, began = channel(installation), time.monotonic()
    for _ in range(20):
        pipe = anyone.pipeline(transaction=False)
        for n in range(1_000):
            pipe.publish(name, f"runs:forged-{n}")
        await pipe.execute()
    await until(partial(heard.count, "runs"))
    await asyncio.wait_for(until(lambda: wakeups.reliable), 5)
    assert len(heard) < 100 + 2 * 100 * (time.monotonic() - began)
    monkeypatch.setattr(incoming, "RATE", 10_000.0)
    await wakeups.send(["runs:real"])
    await until(partial(heard.count, "runs:real"))


async def test_a_silent_partition_is_noticed_and_a_doubt_checked_at_once(make, through, proxy, monkeypatch):
    monkeypatch.setattr(redis, "PROBE_EVERY", 60.0)
    monkeypatch.setattr(redis, "PROBE_TIMEOUT", 0.3)
    monkeypatch.setattr("horae.wakeups.redis_link.COMMAND_TIMEOUT", 0.3)
    wakeups = make(through)
    heard = await hear(wakeups, {"runs"})
    await ready(wakeups)
    wakeups.doubt()
    await wakeups.send(["runs:fine"])
    await until(partial(heard.count, "runs:fine"))
    assert heard.count("runs") == 1  # it was checked, and kept
    proxy.freeze()
    wakeups.doubt()
    await until(lambda: not wakeups.reliable)
    proxy.thaw()
    await until(lambda: wakeups.reliable and heard.count("runs") == 2)


async def test_a_hundred_hints_at_once_are_few_messages(make, anyone):
    installation = uuid4().hex
    wakeups = make(installation=installation)
    await wakeups.start((), lambda _: None)
    async with anyone.pubsub() as listening:
        await listening.subscribe(channel(installation))
        await listening.get_message(timeout=5)
        for n in range(1_000):
            await wakeups.send([f"runs:{n % 7}"])
        await wakeups.send(["runs:last"])
        seen: list[bytes] = []
        while not seen or b"runs:last" not in seen[-1]:
            if message := await listening.get_message(ignore_subscribe_messages=True, timeout=5):
                seen.append(message["data"])
    assert len(seen) <= 3
