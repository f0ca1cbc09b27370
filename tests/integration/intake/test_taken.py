"""Requests of a real broker become runs and jobs; what is invalid goes to the dead-letter queue with the reason."""

import asyncio
import json
from typing import Any

import pytest

from horae.accounts import projects, usage
from horae.domain.people.project import Project
from horae.domain.people.quota import Quota
from horae.intake.caller import KeyRejected
from horae.lifecycle.submit import create_job
from horae.wiring.shared import IDS
from tests.contract.values import spec
from tests.integration.intake.brokers import SourceUnderTest
from tests.integration.intake.conftest import MAIL, Intakes
from tests.waiting import until

pytestmark = pytest.mark.sqlite


async def test_requests_become_runs_in_their_order(intakes: Intakes, source: SourceUnderTest):
    await source.send(*({"job": "mail", "input": n, "priority": 7} for n in range(30)))
    intake = await intakes.start(batch=10)
    await intakes.runs(30)
    rows = await intakes.cluster.ask("SELECT input, triggered_by, priority FROM runs ORDER BY id")
    assert [json.loads(row["input"]) for row in rows] == list(range(30))
    assert {(row["triggered_by"], row["priority"]) for row in rows} == {("key:test", 7)}
    await intakes.taken()
    assert (intake.count("submitted"), intake.process.readiness().ready) == (30, True)
    await source.send({"job": "mail"})  # while it waits
    await intakes.runs(31)


async def test_bad_requests_are_buried_with_the_reason_and_spoil_no_others(intakes: Intakes, source: SourceUnderTest):
    other = Project(IDS.new(), "other", "Other")
    await intakes.cluster.store.transact(projects.create_project, project=other, actor="test")
    job: Any = {"job_id": IDS.new(), "project_id": other.id, "enabled": True, "actor": "test"}
    await intakes.cluster.store.transact(create_job, **job, spec=spec(name="theirs", target=MAIL))
    huge = b'{"job": "mail", "input": "' + b"x" * (1 << 20) + b'"}'
    bad = [b"{", {"job": "nowhere"}, {"job": "theirs"}, {"job": "mail", "priority": 77}, huge]
    new = {"op": "create", "job": {"name": "new", "target": MAIL}}
    await source.send({"job": "mail"}, *bad, new, {"job": "mail", "input": 2})
    await intakes.start()
    await intakes.runs(2)
    await intakes.taken()
    letters = await source.dead()
    assert [letter.body for letter in letters[:1]] == [b"{"]
    assert [letter.reason.partition(":")[0] for letter in letters] == [
        *("the body is not valid JSON", "there is no job 'nowhere'", "there is no job 'theirs'", "priority"),
        *("the message is larger than 1 MiB", "this needs the permission jobs"),
    ]
    assert [row["name"] for row in await intakes.cluster.ask("SELECT name FROM jobs ORDER BY name")] == [
        "mail",
        "theirs",
    ]


async def test_a_job_is_created_and_triggered(intakes: Intakes, source: SourceUnderTest):
    new = {"op": "create", "job": {"name": "new", "target": MAIL}, "idempotency_key": "new 1"}
    code = {"op": "create", "job": {"name": "code", "target": {"kind": "python", "function": "nothing"}}}
    await source.send(new, {"job": "new", "idempotency_key": "new 2"}, new, code)
    intake = await intakes.start(role="editor")
    await intakes.runs(1)
    await intakes.taken()
    await until(lambda: intake.count("refused") == 1)
    assert (intake.count("submitted"), intake.count("duplicate")) == (2, 1)
    assert "jobs:code" in (await source.dead())[0].reason


async def test_what_was_committed_and_not_acknowledged_is_not_run_twice(intakes: Intakes, source: SourceUnderTest):
    """It dies between the commit and the acknowledgement."""
    await source.send(*({"job": "mail", "input": n} for n in range(5)))
    first = await intakes.start()

    async def never(*_: object) -> None:
        await asyncio.Event().wait()

    first.source.settle = never  # type: ignore[method-assign, assignment]
    await intakes.runs(5)
    first.source.tend = never  # type: ignore[method-assign]
    await first.die()
    if source.kind == "queue":  # as the kernel does for a process that is gone
        await first.source.close()
    second = await intakes.start()
    await until(lambda: second.count("duplicate") == 5)
    await intakes.taken()
    await intakes.runs(5)


async def test_a_viewers_key_is_refused_at_once(intakes: Intakes, source: SourceUnderTest):
    await source.send({"job": "mail"})
    for key, words in ((await intakes.cluster.key("viewer"), "at least operator"), ("horae_x", "not valid")):
        intake = await intakes.start(key=key)
        with pytest.raises(KeyRejected, match=words):
            await intake.task
    assert await source.waiting() == 1


async def test_a_revoked_key_stops_it_and_messages_stay(intakes: Intakes, source: SourceUnderTest):
    await source.send({"job": "mail"})
    intake = await intakes.start()
    await intakes.runs(1)
    await intakes.cluster.tell("DELETE FROM api_keys")
    async with asyncio.timeout(20):
        with pytest.raises(KeyRejected, match="revoked"):
            await intake.task
    assert intake.process.readiness().leaving
    await source.send({"job": "mail"})
    assert await source.waiting() == 1
    await intakes.start()
    await intakes.runs(2)


async def test_a_full_quota_is_waited_for(intakes: Intakes, source: SourceUnderTest):
    store, project = intakes.cluster.store, intakes.cluster.project_id

    async def allow(runs: int | None) -> None:
        await store.transact(usage.set_quotas, project_id=project, limits={Quota.LIVE_RUNS: runs}, actor="user:ann")

    await allow(2)
    await source.send(*({"job": "mail", "input": n} for n in range(4)))
    intake = await intakes.start()
    await until(lambda: intake.count("delayed") >= 2)
    assert (intake.count("submitted"), await source.dead()) == (2, [])
    assert "quota" in intake.process.readiness().reasons[0]
    await allow(3)
    await intakes.runs(3)
    await intake.stop()
    impatient = await intakes.start(quota_wait=0)
    await until(lambda: impatient.count("delayed") == 1)
    await intakes.taken()
    assert "quota live_runs is 3" in (await source.dead())[0].reason
    await intakes.runs(3)
