"""Many requests in one transaction: each has its own key and answer, and takes effect once."""

import asyncio
from typing import Any

import pytest

from horae.accounts import usage
from horae.domain.errors import InvalidInput, NotFound, QuotaReached
from horae.domain.people.quota import Quota
from horae.lifecycle.submit import TriggerRequest
from horae.lifecycle.trigger_many import (
    Answer,
    Apart,
    KeyedCreation,
    KeyedTrigger,
    OnceKey,
    Verdict,
    create_once,
    trigger_many,
)
from tests.contract.world import World, lost_reply, spec

SUBMITTED, DUPLICATE, REFUSED, LATER = Verdict.SUBMITTED, Verdict.DUPLICATE, Verdict.REFUSED, Verdict.LATER


def asked(world: World, job: str, key: str, request: str = "", text: str | None = None) -> KeyedTrigger:
    return KeyedTrigger(
        OnceKey(key.ljust(64, "-"), [request.ljust(64, "r")]), job, TriggerRequest(world.ids.new(), text)
    )


async def many(world: World, *requests: KeyedTrigger, reply_lost: bool = False) -> list[Answer]:
    verb = lost_reply(trigger_many) if reply_lost else trigger_many
    whose: Any = {"project_id": world.project, "actor": "key:intake", "holder": world.ids.new()}
    return await world.store.transact(verb, **whose, asked=requests)


def verdicts(answers: list[Answer]) -> list[Verdict]:
    return [answer.verdict for answer in answers]


async def keys(world: World) -> set[str]:
    return {row["digest"].rstrip("-") for row in await world.rows("SELECT digest FROM idempotency_keys")}


async def test_each_takes_effect_once(world: World):
    one, two = await world.job(), await world.job()
    first = await many(
        world, asked(world, one.spec.name, "a"), asked(world, two.id, "b"), asked(world, one.spec.name, "a")
    )
    assert verdicts(first) == [SUBMITTED, SUBMITTED, DUPLICATE]
    again = await many(
        world, asked(world, one.spec.name, "a"), asked(world, one.spec.name, "c"), asked(world, one.spec.name, "b", "x")
    )
    assert verdicts(again) == [DUPLICATE, SUBMITTED, REFUSED]
    assert "used for another request" in str(again[2].error)
    assert sorted(row["triggered_by"] for row in await world.live()) == ["key:intake"] * 3
    assert (len(await world.live(one)), len(await world.live(two))) == (2, 1)


async def test_a_lost_reply_changes_nothing(world: World):
    job = await world.job()
    requests = [asked(world, job.spec.name, key) for key in "ab"]
    assert verdicts(await many(world, *requests, reply_lost=True)) == [SUBMITTED, SUBMITTED]
    assert len(await world.live()) == 2


async def test_bad_ones_spoil_nothing_and_leave_no_key(world: World):
    job = await world.job()
    answers = await many(
        world,
        asked(world, job.spec.name, "good", text='{"x": 1}'),
        asked(world, job.spec.name, "bad input", text="[1]"),
        asked(world, "nowhere", "unknown"),
        asked(world, job.spec.name, "good too"),
    )
    assert verdicts(answers) == [SUBMITTED, REFUSED, REFUSED, SUBMITTED]
    assert isinstance(answers[1].error, InvalidInput)
    assert isinstance(answers[2].error, NotFound)
    assert (await keys(world), len(await world.live())) == ({"good", "good too"}, 2)
    corrected = await many(world, asked(world, job.spec.name, "bad input", "corrected"))
    assert verdicts(corrected) == [SUBMITTED]


async def test_a_quota_admits_as_many_as_it_has_places_for(world: World):
    job = await world.job()
    await world.store.transact(
        usage.set_quotas, project_id=world.project, limits={Quota.LIVE_RUNS: 2}, actor="user:ann"
    )
    requests = [asked(world, job.spec.name, key) for key in "abc"]
    answers = await many(world, *requests)
    assert verdicts(answers) == [SUBMITTED, SUBMITTED, LATER]
    assert isinstance(answers[2].error, QuotaReached)
    assert await keys(world) == {"a", "b"}
    await world.store.transact(
        usage.set_quotas, project_id=world.project, limits={Quota.LIVE_RUNS: None}, actor="user:ann"
    )
    assert verdicts(await many(world, *requests)) == [DUPLICATE, DUPLICATE, SUBMITTED]


async def test_jobs_with_a_gate_are_alone_in_their_transaction(world: World):
    plain, gated = await world.job(), await world.job(max_instances=1)
    requests = [asked(world, job.spec.name, f"{job.spec.name} {n}") for n in range(2) for job in (plain, gated)]
    with pytest.raises(Apart) as apart:
        await many(world, *requests)
    assert (apart.value.refs, await keys(world)) == ({gated.spec.name}, set())
    assert verdicts(await many(world, *(one for one in requests if one.ref == gated.spec.name))) == [
        SUBMITTED,
        SUBMITTED,
    ]
    assert sorted(bool(row["held"]) for row in await world.live(gated)) == [False, True]


async def test_of_two_consumers_at_once_one_submits(world: World):
    job = await world.job()
    crowd = await world.crowd(3)
    answers = await asyncio.gather(*(many(one, *(asked(one, job.spec.name, key) for key in "dacb")) for one in crowd))
    assert [sum(answer[n].verdict is SUBMITTED for answer in answers) for n in range(4)] == [1, 1, 1, 1]
    assert len(await world.live()) == 4


async def test_a_job_is_created_once(world: World):
    async def create(name: str, *, reply_lost: bool = False) -> Answer:
        made = spec(name=name)
        creation = KeyedCreation(OnceKey("k" * 64, [name.ljust(64, "r")]), world.ids.new(), made, True, ())
        verb = lost_reply(create_once) if reply_lost else create_once
        whose: Any = {"project_id": world.project, "actor": "key:intake", "holder": world.ids.new()}
        return await world.store.transact(verb, **whose, creation=creation)

    assert (await create("mail", reply_lost=True)).verdict is SUBMITTED
    assert (await create("mail")).verdict is DUPLICATE
    assert (await create("other")).verdict is REFUSED
    assert [row["name"] for row in await world.rows("SELECT name FROM jobs")] == ["mail"]
