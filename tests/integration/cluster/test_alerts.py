"""Alerts through real processes: broken for real, evaluated by one scheduler, taken over by another that is left."""

import json
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from horae.accounts import channels
from horae.accounts.channels import ChannelChange
from horae.domain.notify.channel import ChannelSpec
from horae.domain.text.ids import NIL
from horae.sealing import Keyring
from tests.integration.cluster.cluster import IDS, PATIENCE, Cluster, Make, Member, eventually
from tests.integration.notifiers.receiving import Receiver, receiving
from tests.waiting import until

pytestmark = pytest.mark.slow

RULES = ["failing", "no_worker"]
FAILING, NO_WORKER = "nightly failed", "No worker is online"


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as made:
        yield made


async def announce(cluster: Cluster, project_id: str, url: str) -> None:
    spec = {"target": {"kind": "webhook", "url": url, "key": "a key that nobody knows"}, "events": ["alert"]}
    await cluster.store.transact(
        channels.create_channel,
        channel_id=IDS.new(),
        project_id=project_id,
        change=ChannelChange("ops", True, ChannelSpec.model_validate(spec)),
        seals=Keyring(cluster.settings["HORAE_SECRET_KEY"]),
        actor="the test",
    )


def told(receiver: Receiver) -> list[tuple[str, str]]:
    notices = [json.loads(body)["notices"][0] for _, _, body in receiver.got]
    return sorted((one["title"], one["kind"]) for one in notices)


async def becomes(cluster: Cluster, condition: str, message: str) -> None:
    async def so() -> bool:
        return [row["rule"] for row in await cluster.ask(f"SELECT rule FROM alerts {condition} ORDER BY rule")] == RULES

    await eventually(so, message=message)


async def minutes_pass(cluster: Cluster, column: str) -> datetime:
    """A rule must hold for a minute before its alert clears, and an open alert is updated every minute."""
    now = await cluster.store.read(lambda tx: tx.now())
    await cluster.tell(f"UPDATE alerts SET {column} = :then", then=now - timedelta(minutes=2))
    return now


async def sent(cluster: Cluster, count: int) -> None:
    async def so() -> bool:
        (row,) = await cluster.ask("SELECT COUNT(*) AS n FROM deliveries WHERE state = 'sent'")
        return int(row["n"]) == count

    await eventually(so, message=f"{count} messages are noted as sent")


async def evaluating(cluster: Cluster, schedulers: list[Member]) -> Member:
    """The one that holds the first shard."""
    (shard,) = [one for one in await cluster.store.read(lambda tx: tx.processes.shards()) if one.shard == 0]
    return next(one for one in schedulers if one.id == shard.owner_id)


@pytest.mark.postgresql
async def test_alerts_fire_once_and_clear_once_though_a_scheduler_is_killed_in_between(
    make_cluster: Make, receiver: Receiver, tmp_path: Path
) -> None:
    cluster = await make_cluster(
        "postgresql", HORAE_SHARD_LEASE="2s", HORAE_ALERT_FAILING="1", HORAE_ALERT_NO_WORKER="2s"
    )
    for project_id in (cluster.project_id, NIL):
        await announce(cluster, project_id, receiver.url)
    worker = await cluster.start_worker()
    mended = tmp_path / "mended"
    target = {"kind": "script", "source": f"test -e {mended}"}
    await cluster.ended(await cluster.start_run("nightly", target, retry={"max_attempts": 1}))
    await worker.stop()
    schedulers = [await cluster.start_scheduler(), await cluster.start_scheduler()]
    await becomes(cluster, "WHERE state = 'open'", "both alerts open")
    opened = [(NO_WORKER, "alert"), (FAILING, "alert")]
    await until(lambda: told(receiver) == opened, timeout=PATIENCE, message="both are announced")
    await sent(cluster, 2)  # a scheduler that is killed before it has noted that sends it again

    await (await evaluating(cluster, schedulers)).kill()
    now = await minutes_pass(cluster, "last_seen_at")
    await becomes(cluster, f"WHERE last_seen_at > '{now.isoformat()}'", "the other scheduler evaluates")
    assert told(receiver) == opened

    mended.touch()
    await cluster.start_worker()
    await cluster.run("nightly")
    await becomes(cluster, "WHERE quiet_since IS NOT NULL", "all is well")
    await minutes_pass(cluster, "quiet_since")
    await becomes(cluster, "WHERE state = 'cleared'", "both clear")
    both = sorted([*opened, *((f"Resolved: {title}", "cleared") for title in (FAILING, NO_WORKER))])
    await until(lambda: told(receiver) == both, timeout=PATIENCE, message="the end of both is announced")
    assert await cluster.count("alerts") == 2
    assert await cluster.count("notices") == 0
    assert await cluster.count("deliveries") == 4
