"""Routing on every database: notices become messages by the rules of channels, once."""

import json
from datetime import datetime, timedelta

import pytest

from horae.accounts import channels
from horae.domain.notify.delivery import Sent
from horae.domain.notify.notice import NoticeKind, Severity
from horae.domain.text.ids import NIL
from horae.lifecycle.watching.deliver import route, settle
from tests.contract.channels import create, deliveries, notice, put, take, tell
from tests.contract.noting import noted
from tests.contract.world import PERMANENT, World


async def test_a_failed_run_becomes_a_message_once(world: World) -> None:
    await create(world)
    job = await world.job(name="nightly", tags=["finance"])
    await world.ended(job, PERMANENT)
    routed = await world.store.transact(route)
    assert (routed.notices, routed.messages) == (1, 1)
    assert (await world.store.transact(route)).notices == 0
    (row,) = await deliveries(world)
    assert (row["state"], row["kind"], row["title"], row["notices"]) == ("pending", "dead_letter", "nightly failed", 1)
    assert await world.rows("SELECT * FROM notices") == []


async def test_the_same_failure_is_sent_once_and_repeats_are_counted(world: World) -> None:
    await create(world)
    job = await world.job()
    for _ in range(3):
        await world.ended(job, PERMANENT)
    await world.store.transact(route)
    await world.ended(job, PERMANENT)
    await world.store.transact(route)
    assert [row["notices"] for row in await deliveries(world)] == [4]
    later = await world.later(hours=2)
    await later.ended(job, PERMANENT)
    await later.store.transact(route)
    assert len(await deliveries(later)) == 2


async def test_a_recovery_goes_to_channels_that_got_the_failure(world: World) -> None:
    told, quiet = await create(world, "told"), await create(world, "quiet", severity="critical")
    job = await world.job()
    await world.ended(job, PERMANENT)
    later = await world.later(seconds=1)
    await later.ended(job)
    await later.roll_up()
    await later.store.transact(route)
    rows = await deliveries(later)
    assert [(row["channel_id"], row["kind"]) for row in rows] == [(told.id, "dead_letter"), (told.id, "recovery")]
    assert quiet.id not in {row["channel_id"] for row in rows}


async def test_the_end_is_sent_after_the_job_was_deleted_and_after_a_digest(world: World) -> None:
    await create(world, "on call", target={"kind": "pagerduty", "routing_key": "R" * 32}, tags=["prod"])
    await create(world, "digests", digest=60, events=["alert"])
    job = await world.job(tags=["prod"])
    about = {"subject_kind": "job", "subject_id": job.id, "subject_name": job.spec.name}
    await tell(world, notice(world, "a", **about))
    await world.delete(job)
    later = await world.later(seconds=61)
    assert len(await take(later)) == 2
    await tell(later, notice(later, "a", kind=NoticeKind.CLEARED, **about))
    assert sorted((row["kind"], row["incident"] or "") for row in await deliveries(world)) == [
        ("alert", "a"),
        ("cleared", "a"),
        ("digest", ""),
        ("digest", ""),
    ]


async def test_rules_choose_by_tag_job_event_and_severity(world: World) -> None:
    await create(world, "finance", tags=["finance"])
    await create(world, "nightly", jobs=["night*"])
    await create(world, "named", named_only=True)
    await create(world, "alerts", events=["alert"])
    await create(world, "critical", severity="critical")
    a = await world.job(name="nightly-report", tags=["finance"])
    b = await world.job(name="daily", notify=["named"])
    await world.ended(a, PERMANENT)
    await world.ended(b, PERMANENT)
    await world.store.transact(route)
    names = {row["id"]: row["name"] for row in await world.rows("SELECT id, name FROM channels")}
    found = sorted((names[row["channel_id"]], row["title"]) for row in await deliveries(world))
    assert found == [
        ("finance", "nightly-report failed"),
        ("named", "daily failed"),
        ("nightly", "nightly-report failed"),
    ]


async def test_what_comes_in_quiet_hours_waits_for_their_end_in_one_digest(world: World) -> None:
    now: datetime = await world.store.read(lambda tx: tx.now())
    window = {"start": f"{now:%H:%M}", "end": f"{now + timedelta(hours=1):%H:%M}"}
    await create(world, quiet={"windows": [window], "timezone": "UTC"})
    await tell(world, *(notice(world, f"alert:{n}") for n in range(3)))
    await tell(world, notice(world, "alert:0"), notice(world, "alert:9", severity=Severity.CRITICAL))
    digest, critical = sorted(await deliveries(world), key=lambda row: row["kind"], reverse=True)
    assert (critical["kind"], critical["severity"]) == ("alert", "critical")
    assert (digest["kind"], digest["notices"], digest["title"]) == ("digest", 4, "4 alerts")
    (due,) = await take(world)
    assert due.id == critical["id"]
    await world.store.transact(settle, due=due, sent=Sent(), chance=0.5)
    assert await take(world) == []
    assert [due.id for due in await take(await world.later(hours=1, minutes=1))] == [digest["id"]]


async def test_digests_collect_until_they_are_due(world: World) -> None:
    await create(world, digest=300)
    await tell(world, notice(world, "alert:1"))
    await tell(world, notice(world, "alert:2"), notice(world, "alert:1", kind=NoticeKind.CLEARED))
    assert await take(world) == []
    later = await world.later(seconds=301)
    (due,) = await take(later)
    assert due.message is not None
    assert [(line.kind, line.count) for line in due.message.lines] == [("cleared", 2), ("alert", 1)]
    await tell(later, notice(later, "alert:3"))
    assert len(await deliveries(later)) == 2, "what comes while a digest is on its way begins the next one"


async def test_beyond_the_rate_notices_are_collected(world: World) -> None:
    await create(world, per_hour=3)
    await tell(world, *(notice(world, f"alert:{n}") for n in range(10)))
    rows = await deliveries(world)
    assert sorted(row["kind"] for row in rows) == ["alert", "alert", "alert", "digest"]
    assert sum(row["notices"] for row in rows) == 10
    later = await world.later(hours=2)
    await tell(later, notice(later, "alert:new"))
    assert (await deliveries(later))[-1]["kind"] == "alert"


async def test_a_channel_of_the_installation_gets_only_its_notices(world: World) -> None:
    own, ours = await create(world, project_id=NIL), await create(world)
    await tell(world, notice(world, "a"), notice(world, "b", project_id=None))
    assert {row["channel_id"]: row["incident"] for row in await deliveries(world)} == {own.id: "b", ours.id: "a"}


async def test_a_damaged_channel_or_notice_does_not_affect_others(world: World) -> None:
    broken, sound, newer = await create(world, "broken"), await create(world, "sound"), await create(world, "newer")
    document = "'{\"target\": 7}'"
    await world.execute(f"UPDATE channels SET spec = {document} WHERE name = 'broken'")
    await world.execute('UPDATE channels SET spec = \'{"target": {"kind": "pigeon"}}\' WHERE name = \'newer\'')
    await world.store.transact(lambda tx: tx.notices.add([notice(world, "bad"), notice(world, "good")]))
    await world.execute("UPDATE notices SET kind = 'unheard-of' WHERE incident = 'bad'")
    routed = await world.store.transact(route)
    assert (routed.notices, routed.unknown) == (2, 1)
    (row,) = await deliveries(world)
    assert (row["channel_id"], row["incident"]) == (sound.id, "good")
    for one in (broken, newer):
        found = await world.store.read(channels.find_channel, world.project, one.id)
        assert found.fault
    assert len((await world.store.read(lambda tx: tx.channels.page(world.project, limit=9, after=None))).items) == 3


async def test_a_damaged_message_is_given_up_and_the_next_is_sent(world: World) -> None:
    channel = await create(world)
    await tell(world, notice(world, "a"))
    await world.execute("UPDATE deliveries SET message = '{}'")
    await tell(world, notice(world, "b"))
    (due,) = await take(world)
    assert (due.message, due.channel_id) == (None, channel.id)
    assert await world.store.transact(settle, due=due, sent=Sent("damaged", permanent=True), chance=0.5) == "failed"
    (due,) = await take(world)
    assert due.message is not None


async def test_many_notices_are_digested_in_bounded_statements(world: World) -> None:
    """Ten batches here, and as many statements for each as for the first; their rows are bounded by the batch."""
    await create(world, digest=60)
    watched, notes = await noted(world)
    costs, sizes = [], []
    for _ in range(10):
        await put(world, *(notice(world, f"alert:{world.ids.new()}") for _ in range(500)))
        notes.clear()
        assert (await watched.store.transact(route, limit=500)).notices == 500
        costs.append(len(notes.statements))
        sizes.append(notes.rows)
    assert max(costs) <= 12
    assert max(sizes) <= 600
    (row,) = await deliveries(world)
    assert row["notices"] == 5_000
    assert len(row["message"] if isinstance(row["message"], str) else json.dumps(row["message"])) < 30_000


@pytest.mark.slow
@pytest.mark.parametrize("world", [pytest.param("sqlite", marks=pytest.mark.sqlite)], indirect=True)
async def test_thousands_of_notices(world: World) -> None:
    """Some one by one, the rest in one digest for each channel, at the same few statements for each batch. On the
    database that is quickest to fill: the others take the same statements."""
    await create(world, "digest", digest=60)
    await create(world, "rate", per_hour=10)
    for _ in range(20):
        await put(world, *(notice(world, f"alert:{world.ids.new()}") for _ in range(1_000)))
    watched, notes = await noted(world)
    while (await watched.store.transact(route, limit=500)).notices:
        assert len(notes.statements) <= 12
        assert notes.rows <= 600
        notes.clear()
    found = [(row["kind"], row["notices"]) for row in await deliveries(world)]
    assert sorted(found) == [*[("alert", 1)] * 10, ("digest", 19_990), ("digest", 20_000)]
