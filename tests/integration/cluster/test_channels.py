"""Channels through real processes: a run fails on a worker, a scheduler sends a message, and another takes over."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from horae.accounts import channels
from horae.accounts.channels import ChannelChange
from horae.domain.notify.channel import ChannelSpec
from horae.sealing import Keyring
from tests.integration.cluster.cluster import IDS, KINDS, PATIENCE, Cluster, Make, Row, eventually
from tests.integration.notifiers.receiving import Receiver, receiving
from tests.waiting import until

pytestmark = pytest.mark.slow

ONCE = {"max_attempts": 1}
SECRET = "T01234567/averysecrettoken"


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as made:
        yield made


def fails_unless(file: Path) -> Row:
    return {"kind": "script", "source": f"test -e {file}"}


async def create(cluster: Cluster, url: str, **fields: Any) -> str:
    target = {"kind": "webhook", "url": f"{url}/{SECRET}", "key": "a key that nobody knows"}
    made, _ = await cluster.store.transact(
        channels.create_channel,
        channel_id=IDS.new(),
        project_id=cluster.project_id,
        change=ChannelChange("ops", True, ChannelSpec.model_validate({"target": target, **fields})),
        seals=Keyring(cluster.settings["HORAE_SECRET_KEY"]),
        actor="the test",
    )
    return made.id


async def delivery(cluster: Cluster, state: str, kind: str = "dead_letter") -> Row:
    async def there() -> Row | None:
        rows = await cluster.ask(
            "SELECT * FROM deliveries WHERE state = :state AND kind = :kind", state=state, kind=kind
        )
        return rows[0] if rows else None

    found = await eventually(there, message=f"a delivery is {state}")
    assert found is not None
    return found


def told(receiver: Receiver) -> list[str]:
    return [json.loads(body)["notices"][0]["kind"] for _, _, body in receiver.got]


@pytest.mark.parametrize("kind", KINDS[1:2])  # on all: contract/test_deliveries.py, test_path_of_a_message.py
async def test_failure_and_recovery_arrive_though_the_receiver_fails_first(
    make_cluster: Make,
    kind: str,
    receiver: Receiver,
    tmp_path: Path,
) -> None:
    cluster = await make_cluster(kind, HORAE_PUBLIC_URL="https://horae.example.org")
    await create(cluster, receiver.url)
    receiver.answers = [web.Response(status=503, text=f"down, {SECRET}")]
    await cluster.start_scheduler()
    await cluster.start_worker()
    flag = tmp_path / "mended"
    run_id = await cluster.start_run("nightly", fails_unless(flag), retry=ONCE)
    await cluster.ended(run_id)
    row = await delivery(cluster, "sent")
    assert row["tries"] == 2
    first, second = receiver.got
    assert first[1]["webhook-id"] == second[1]["webhook-id"] == row["id"]
    assert json.loads(first[2])["notices"][0]["url"] == f"https://horae.example.org/runs/{run_id}"
    assert json.loads(first[2])["project"] == "default"
    flag.touch()
    await cluster.run("nightly")
    await delivery(cluster, "sent", "recovery")
    assert told(receiver) == ["dead_letter", "dead_letter", "recovery"]
    for table in ("channels", "deliveries", "notices", "audit_log"):
        assert SECRET not in str(await cluster.ask(f"SELECT * FROM {table}"))
    assert not [member.role for member in cluster.members if "averysecrettoken" in member.output]
    assert cluster.tracebacks() == []


@pytest.mark.sqlite
async def test_a_scheduler_that_dies_before_it_routes_or_while_it_sends_loses_nothing(
    make_cluster: Make,
    receiver: Receiver,
    tmp_path: Path,
) -> None:
    cluster = await make_cluster("sqlite")
    await create(cluster, receiver.url)
    await cluster.start_worker()
    run_id = await cluster.start_run("nightly", fails_unless(tmp_path / "never"), retry=ONCE)
    await cluster.ended(run_id)
    assert await cluster.count("notices") == 1, "nobody routes it yet"
    receiver.hang = asyncio.Event()
    first = await cluster.start_scheduler()
    await until(lambda: receiver.got, timeout=PATIENCE, message="it sends it")
    await first.kill()
    receiver.hang.set()
    assert (await cluster.ask("SELECT state FROM deliveries"))[0]["state"] == "pending"
    await cluster.tell("UPDATE deliveries SET lease_until = created_at")  # a minute has passed
    await cluster.start_scheduler()
    row = await delivery(cluster, "sent")
    assert row["tries"] == 2
    assert {headers["webhook-id"] for _, headers, _ in receiver.got} == {row["id"]}
    assert len(receiver.got) == 2
    assert await cluster.count("notices") == 0


@pytest.mark.sqlite
async def test_the_command_line(make_cluster: Make, receiver: Receiver, tmp_path: Path) -> None:
    cluster = await make_cluster("sqlite")
    api = await cluster.with_api("editor")
    await cluster.start_scheduler()
    secret = tmp_path / "secret"
    secret.write_text(f"{receiver.url}/{SECRET}\n")
    made = await cluster.command(
        *("channels", "create", "chat", "--kind", "slack", "--secret-file", str(secret), "--severity", "warning"),
        *("--quiet", "22:00-07:00", "--timezone", "Europe/Berlin", "--digest", "5m", "--tag", "finance"),
        **api,
    )
    assert (made["digest"], made["severity"], made["quiet"]["timezone"]) == (300, "warning", "Europe/Berlin")
    tried = await cluster.command("channels", "test", "chat", **api)
    assert tried["state"] == "sent"
    assert "Test of the channel chat" in receiver.got[0][2].decode()
    assert receiver.got[0][0] == f"/{SECRET}"
    (listed,) = (await cluster.command("channels", "list", **api))["items"]
    assert (listed["name"], listed["last_delivery"]["state"]) == ("chat", "sent")
    changed = await cluster.command("channels", "edit", "chat", "--unset", "quiet", "--disable", **api)
    assert (changed["quiet"], changed["enabled"], changed["digest"]) == (None, False, 300)
    old, new = cluster.settings["HORAE_SECRET_KEY"], secrets.token_hex(32)
    rotated = await cluster.command("secrets", "rotate", HORAE_SECRET_KEY=new, HORAE_SECRET_KEY_PREVIOUS=old)
    assert rotated == {"sealed": 1, "cannot_open": []}
    (sent,) = (await cluster.command("channels", "deliveries", "chat", **api))["items"]
    assert sent["id"] == tried["id"]
    assert (await cluster.command("channels", "delete", "chat", "--yes", **api))["deleted"]
