"""Sinks through real processes: events of runs on a worker, sent by a scheduler, and by another if that one dies."""

import asyncio
import json
import secrets
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from horae.accounts import sinks
from horae.accounts.sinks import SinkChange
from horae.domain.sinks.sink import SinkSpec
from horae.sealing import Keyring
from tests.integration.cluster.cluster import IDS, PATIENCE, Cluster, Make, Row
from tests.integration.notifiers.receiving import Receiver, receiving
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

SECRET = "averysecrettoken"


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as made:
        yield made


async def create(cluster: Cluster, url: str) -> None:
    target = {"kind": "webhook", "url": f"{url}/{SECRET}", "key": "a key that nobody knows", "batch": 10}
    await cluster.store.transact(
        sinks.create_sink,
        sink_id=IDS.new(),
        project_id=cluster.project_id,
        change=SinkChange("all", True, SinkSpec.model_validate({"target": target})),
        seals=Keyring(cluster.settings["HORAE_SECRET_KEY"]),
        actor="the test",
    )
    await cluster.store.learn()


def ended(receiver: Receiver) -> set[str]:
    return {one["subject"] for one in told(receiver) if one["type"] == "horae.run.ended"}


def told(receiver: Receiver) -> list[Row]:
    return [one for _, _, body in receiver.got for one in json.loads(body)]


async def test_nothing_is_lost_and_runs_stay_in_order_though_the_receiver_fails_and_a_scheduler_dies(
    make_cluster: Make, receiver: Receiver
) -> None:
    cluster = await make_cluster("sqlite")
    await create(cluster, receiver.url)
    receiver.answers = [web.Response(status=503, text=f"down, {SECRET}")]
    await cluster.start_worker()
    first = await cluster.start_scheduler()
    await cluster.create("work", {"kind": "script", "source": "true"})
    runs = await cluster.run("work", 5)
    await until(lambda: len(ended(receiver)) == 5, timeout=PATIENCE, message="all have ended")
    receiver.hang = asyncio.Event()
    seen = len(receiver.got)
    runs += await cluster.run("work", 5)
    await until(lambda: len(receiver.got) > seen, timeout=PATIENCE, message="it sends more")
    await first.kill()  # after the call, before it is recorded
    receiver.hang.set()
    await cluster.tell("UPDATE event_sinks SET lease_until = created_at")  # a minute has passed
    await cluster.start_scheduler()
    subjects = {f"runs/{run_id}" for run_id in runs}
    await until(lambda: ended(receiver) == subjects, timeout=PATIENCE, message="the others have ended, too")

    by_run: dict[str, dict[str, str]] = defaultdict(dict)  # the first occurrence of each event
    for one in told(receiver):
        by_run[one["subject"]].setdefault(one["id"], one["type"])
    orders = [list(kinds.values()) for subject, kinds in by_run.items() if subject in subjects]
    assert orders == [["horae.run.queued", "horae.run.started", "horae.run.ended"]] * 10
    ids = [one["id"] for one in told(receiver)]
    assert len(ids) > len(set(ids)), "those of the scheduler that died came twice"
    for table in ("event_sinks", "event_outbox", "audit_log"):
        assert SECRET not in str(await cluster.ask(f"SELECT * FROM {table}"))
    assert not [member.role for member in cluster.members if SECRET in member.output]
    assert cluster.tracebacks() == []


async def test_the_command_line(make_cluster: Make, receiver: Receiver, tmp_path: Path) -> None:
    cluster = await make_cluster("sqlite")
    api = await cluster.with_api("owner")
    await cluster.start_scheduler()
    secret = tmp_path / "secret"
    secret.write_text(f"{receiver.url}/{SECRET}\n")
    made = await cluster.command(
        *("sinks", "create", "lake", "--secret-file", str(secret), "--type", "run.ended", "--job", "mail-*"),
        *("--tag", "finance", "--keep-for", "2h", "--max-waiting", "500", "--batch", "20"),
        **api,
    )
    assert (made["types"], made["jobs"], made["keep_for"]) == (["run.ended"], ["mail-*"], 7_200)
    assert made["signing_key"].startswith("whsec_")
    tried = await cluster.command("sinks", "test", "lake", **api)
    assert (tried["sent"], tried["waiting"], tried["last_error"]) == (1, 0, None)
    assert [one["type"] for one in told(receiver)] == ["horae.sink.test"]
    (listed,) = (await cluster.command("sinks", "list", **api))["items"]
    assert (listed["name"], listed["address"]) == ("lake", f"{receiver.url}/…")
    changed = await cluster.command("sinks", "edit", "lake", "--unset", "jobs", "--batch", "1", "--disable", **api)
    assert (changed["jobs"], changed["enabled"], changed["target"]["batch"]) == ([], False, 1)
    old, new = cluster.settings["HORAE_SECRET_KEY"], secrets.token_hex(32)
    rotated = await cluster.command("secrets", "rotate", HORAE_SECRET_KEY=new, HORAE_SECRET_KEY_PREVIOUS=old)
    assert rotated == {"sealed": 1, "cannot_open": []}
    assert (await cluster.command("sinks", "delete", "lake", "--yes", **api))["deleted"]
