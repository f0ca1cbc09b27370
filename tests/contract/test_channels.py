"""Channels on every database: notices become messages by their rules, once; what is secret stays secret."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from horae.accounts import channels
from horae.accounts.channels import ChannelChange
from horae.domain.errors import Conflict, InvalidInput, NotFound
from horae.domain.jobs.retention import Retention
from horae.domain.notify.channel import ChannelRecord, ChannelSpec
from horae.domain.notify.delivery import Due, Sent
from horae.domain.notify.notice import NewNotice, NoticeKind, Severity
from horae.domain.text.ids import NIL
from horae.lifecycle.deliver import Routed, idle_for, route, settle, take_due
from horae.lifecycle.prune import prune
from horae.sealing import Keyring
from tests.contract.noting import noted
from tests.contract.world import PERMANENT, Row, World, spec

SEALS = Keyring("k" * 32)
HOOK: dict[str, Any] = {"kind": "slack", "url": "https://hooks.example.org/services/very-secret"}
MAIL = {"kind": "email", "to": ["ops@example.org"]}


def channel_spec(**fields: Any) -> ChannelSpec:
    return ChannelSpec.model_validate({"target": HOOK, **fields})


async def create(world: World, name: str = "ops", *, project_id: str | None = None, **fields: Any) -> ChannelRecord:
    channel, _ = await world.store.transact(
        channels.create_channel,
        channel_id=world.ids.new(),
        project_id=project_id or world.project,
        change=ChannelChange(name, True, channel_spec(**fields), "whsec_bWFkZSBieSB0aGUgc2VydmVy"),
        seals=SEALS,
        actor="user:ann",
    )
    return channel


async def edit(world: World, ref: str, seals: Keyring = SEALS, **fields: Any) -> ChannelRecord:
    def change(channel: ChannelRecord) -> ChannelChange:
        assert channel.spec is not None
        known = {**channel.spec.model_dump(exclude={"target", "address"}), "target": channel.spec.target.public()}
        return ChannelChange(fields.pop("name", channel.name), True, ChannelSpec.model_validate({**known, **fields}))

    return await world.store.transact(
        channels.edit_channel, project_id=world.project, ref=ref, change=change, seals=seals, actor="user:ann"
    )


def notice(world: World, key: str = "alert:1", **fields: Any) -> NewNotice:
    given: dict[str, Any] = {
        "id": world.ids.new(),
        "project_id": world.project,
        "kind": NoticeKind.ALERT,
        "severity": Severity.WARNING,
        "subject_kind": "queue",
        "subject_id": "default",
        "subject_name": "default",
        "title": "Nobody takes what is queued",
        "key": key,
    }
    return NewNotice(**{**given, **fields})


async def put(world: World, *notices: NewNotice) -> None:
    await world.store.transact(lambda tx: tx.notices.add(notices))


async def tell(world: World, *notices: NewNotice) -> Routed:
    await put(world, *notices)
    return await world.store.transact(route)


async def deliveries(world: World) -> list[Row]:
    return await world.rows("SELECT * FROM deliveries ORDER BY created_at, id")


async def take(world: World, *, lease: float = 60.0, busy: tuple[str, ...] = ()) -> list[Due]:
    return await world.store.transact(take_due, token=world.ids.new(), lease=lease, limit=10, busy=list(busy))


# ---- from notice to message


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


async def test_the_same_failure_is_told_once_and_its_repeats_are_counted(world: World) -> None:
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


async def test_recovery_is_told_to_those_who_heard_of_the_failure(world: World) -> None:
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


async def test_the_end_is_told_after_the_job_is_gone_and_after_a_digest(world: World) -> None:
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


async def test_an_installation_s_channel_hears_of_the_installation_alone(world: World) -> None:
    own, ours = await create(world, project_id=NIL), await create(world)
    await tell(world, notice(world, "a"), notice(world, "b", project_id=None))
    assert {row["channel_id"]: row["incident"] for row in await deliveries(world)} == {own.id: "b", ours.id: "a"}


async def test_a_damaged_channel_and_a_damaged_notice_harm_nobody_else(world: World) -> None:
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
async def test_a_hundred_thousand_notices(world: World) -> None:
    """Some one by one, the rest in one digest for each channel, at the same few statements for each batch. On the
    database that is quickest to fill: the others take the same statements."""
    await create(world, "digest", digest=60)
    await create(world, "rate", per_hour=10)
    for _ in range(100):
        await put(world, *(notice(world, f"alert:{world.ids.new()}") for _ in range(1_000)))
    watched, notes = await noted(world)
    while (await watched.store.transact(route, limit=500)).notices:
        assert len(notes.statements) <= 12
        assert notes.rows <= 600
        notes.clear()
    found = [(row["kind"], row["notices"]) for row in await deliveries(world)]
    assert sorted(found) == [*[("alert", 1)] * 10, ("digest", 99_990), ("digest", 100_000)]


# ---- from message to delivery


async def test_two_schedulers_do_not_send_the_same(world: World) -> None:
    await create(world)
    await tell(world, notice(world))
    (due,) = await take(world)
    assert await take(await world.later(seconds=59)) == []
    assert await world.store.transact(settle, due=due, sent=Sent(), chance=0.5) == "sent"
    assert await take(await world.later(hours=9)) == []


async def test_after_a_failover_a_message_is_sent_again_and_the_first_sender_is_fenced_off(world: World) -> None:
    await create(world)
    await tell(world, notice(world))
    (first,) = await take(world)
    later = await world.later(seconds=61)
    (second,) = await take(later)
    assert (second.id, second.tries) == (first.id, 2)
    assert await later.store.transact(settle, due=first, sent=Sent("late"), chance=0.5) == "stale"
    assert await later.store.transact(settle, due=second, sent=Sent(), chance=0.5) == "sent"


async def test_a_failure_is_tried_again_later_and_given_up_in_the_end(world: World) -> None:
    await create(world)
    await tell(world, notice(world))
    at, tries = world, 0
    while True:
        (due,) = await take(at)
        tries += 1
        state = await at.store.transact(settle, due=due, sent=Sent("HTTP 503"), chance=0.5)
        if state == "failed":
            break
        assert await take(at) == []
        at = await world.later(days=tries)
    assert tries == 24
    (row,) = await deliveries(at)
    assert (row["state"], row["last_error"]) == ("failed", "HTTP 503")
    (channel,) = await at.rows("SELECT last_state, last_error FROM channels")
    assert (channel["last_state"], channel["last_error"]) == ("failed", "HTTP 503")


async def test_what_the_other_side_asks_for_is_respected(world: World) -> None:
    await create(world)
    await tell(world, notice(world))
    (due,) = await take(world)
    await world.store.transact(settle, due=due, sent=Sent("HTTP 429", retry_after=600.0), chance=0.5)
    assert await take(await world.later(seconds=590)) == []
    assert len(await take(await world.later(seconds=610))) == 1


async def test_what_closes_does_not_overtake_what_opened(world: World) -> None:
    await create(world)
    await tell(world, notice(world, "a"), notice(world, "b"))
    await tell(world, notice(world, "a", kind=NoticeKind.CLEARED))
    (first,) = await take(world)  # one at a time for each channel
    assert first.message is not None
    assert first.message.lines[0].kind == "alert"
    await world.store.transact(settle, due=first, sent=Sent("HTTP 503", retry_after=3_600.0), chance=0.5)
    (second,) = await take(world)
    assert second.message is not None
    assert second.message.lines[0].key == "b"
    await world.store.transact(settle, due=second, sent=Sent(), chance=0.5)
    assert await take(world) == []


async def test_a_busy_channel_holds_up_no_other(world: World) -> None:
    slow, other = await create(world, "slow"), await create(world, "other")
    await tell(world, notice(world))
    assert {due.channel_id for due in await take(world, busy=(slow.id,))} == {other.id}


async def test_it_is_known_when_there_is_something_to_do(world: World) -> None:
    assert await world.store.read(idle_for) is None
    await create(world, digest=60)
    await world.store.transact(lambda tx: tx.notices.add([notice(world)]))
    assert await world.store.read(idle_for) == 0
    await world.store.transact(route)
    waits = await world.store.read(idle_for)
    assert waits is not None
    assert 30 < waits <= 60


async def test_the_log_is_pruned(world: World) -> None:
    await create(world)
    await tell(world, notice(world))
    (due,) = await take(world)
    await world.store.transact(settle, due=due, sent=Sent(), chance=0.5)
    for days, left in ((29, 1), (32, 0)):
        later = await world.later(days=days)
        await later.store.transact(prune, keep=Retention())
        assert len(await deliveries(later)) == left


# ---- channels themselves


async def test_what_is_secret_is_sealed_and_bound_to_its_place(world: World) -> None:
    channel = await create(world)
    assert channel.sealed is not None
    assert channels.opened(SEALS, channel) == {"url": HOOK["url"]}
    assert channel.spec is not None
    assert channel.spec.address == "https://hooks.example.org/…"
    everything = json.dumps([{k: str(v) for k, v in row.items()} for row in await world.rows("SELECT * FROM channels")])
    trail = json.dumps([str(dict(row)) for row in await world.rows("SELECT * FROM audit_log")])
    assert "very-secret" not in everything + trail
    await create(world, "other", target={**HOOK, "url": "https://other.example.org/"})
    await world.execute(
        "UPDATE channels SET sealed = (SELECT s FROM (SELECT sealed AS s FROM channels WHERE name = 'ops') x) "
        "WHERE name = 'other'"
    )
    moved = await world.store.read(lambda tx: tx.channels.find(world.project, "other"))
    assert moved is not None
    assert channels.opened(SEALS, moved) == {}


async def test_an_edit_keeps_what_is_not_given_but_sends_it_nowhere_else(world: World) -> None:
    server = {"host": "mail.example.org", "username": "horae"}
    target = {**MAIL, "server": server, "password": "very-secret"}
    await create(world, target=target)
    changed = await edit(world, "ops", severity="critical")
    assert channels.opened(SEALS, changed) == {"password": "very-secret"}
    with pytest.raises(InvalidInput, match="given again") as refused:
        await edit(world, "ops", target={**MAIL, "server": {**server, "host": "evil.example.org"}})
    assert refused.value.field == "target.password"
    with pytest.raises(InvalidInput, match="cannot be changed"):
        await edit(world, "ops", target=HOOK)
    moved = await edit(world, "ops", target={**MAIL, "server": {**server, "host": "b.example.org"}, "password": "new"})
    assert channels.opened(SEALS, moved) == {"password": "new"}
    assert channels.opened(SEALS, await edit(world, "ops", target=MAIL)) == {}


async def test_rotation_reseals_channels(world: World) -> None:
    channel = await create(world)
    new = Keyring("n" * 32, "k" * 32)
    step = await world.store.transact(channels.reseal, seals=new)
    assert (step.done, step.cannot, step.after) == (1, [], None)
    found = await world.store.read(lambda tx: tx.channels.find(world.project, channel.id))
    assert found is not None
    assert channels.opened(Keyring("n" * 32), found) == {"url": HOOK["url"]}
    assert (await world.store.transact(channels.reseal, seals=Keyring("x" * 32))).cannot == [
        f"channel ops ({channel.id})"
    ]


async def test_a_job_names_channels_that_exist(world: World) -> None:
    with pytest.raises(InvalidInput, match="no channel named 'ops'") as refused:
        await world.job(notify=["ops"])
    assert refused.value.field == "notify[0]"
    await create(world)
    job = await world.job(notify=["ops"])
    assert job.spec.notify == ("ops",)
    with pytest.raises(Conflict, match="jobs name it"):
        await world.store.transact(
            channels.delete_channel, project_id=world.project, ref="ops", force=False, actor="user:ann"
        )
    with pytest.raises(Conflict, match="jobs name it"):
        await edit(world, "ops", name="renamed")
    await world.store.transact(
        channels.delete_channel, project_id=world.project, ref="ops", force=True, actor="user:ann"
    )
    await world.ended(job, PERMANENT)  # nobody to tell, and nothing fails
    assert spec(name="b").notify == ()


async def test_an_unset_notify_is_not_stored(world: World) -> None:
    """Processes of the version before refuse definitions with fields that they do not know."""
    await world.job()
    (row,) = await world.rows("SELECT spec FROM job_versions")
    assert "notify" not in str(row["spec"])


async def test_what_cannot_be_read_keeps_its_secrets_from_new_places(world: World) -> None:
    target = {**MAIL, "server": {"host": "mail.example.org", "username": "horae"}, "password": "very-secret"}
    await create(world, target=target)
    await world.execute("UPDATE channels SET spec = '{}'")
    moved = channel_spec(target={**MAIL, "server": {"host": "evil.example.org", "username": "horae"}})
    with pytest.raises(InvalidInput, match="must be given") as refused:
        await world.store.transact(
            channels.edit_channel,
            project_id=world.project,
            ref="ops",
            change=lambda _: ChannelChange("ops", True, moved),
            seals=SEALS,
            actor="user:eve",
        )
    assert refused.value.field == "target.password"


async def test_a_disabled_channel_gives_up_what_is_pending(world: World) -> None:
    await create(world)
    await tell(world, notice(world, "a"), notice(world, "b"))
    (due,) = await take(world)
    await world.store.transact(
        channels.edit_channel,
        project_id=world.project,
        ref="ops",
        change=lambda channel: ChannelChange("ops", False, channel_spec()),
        seals=SEALS,
        actor="user:ann",
    )
    assert await world.store.transact(settle, due=due, sent=Sent(), chance=0.5) == "stale"
    assert {(row["state"], row["last_error"]) for row in await deliveries(world)} == {
        ("failed", "the channel was disabled")
    }
    assert (await tell(world, notice(world, "c"))).notices == 0


async def test_tests_are_counted_as_messages(world: World) -> None:
    await create(world, per_hour=2)

    async def test(at: World) -> None:
        await at.store.transact(
            channels.send_test, delivery_id=at.ids.new(), project_id=at.project, ref="ops", actor="user:ann"
        )

    await test(world)
    await test(world)
    with pytest.raises(Conflict, match="per_hour"):
        await test(world)
    await test(await world.later(hours=1))


async def test_names_are_unique_and_ids_of_others_are_not_found(world: World) -> None:
    channel = await create(world)
    with pytest.raises(Conflict, match="already"):
        await create(world)
    await create(world, project_id=NIL)
    with pytest.raises(NotFound):
        await world.store.read(channels.find_channel, NIL, channel.id)


async def test_a_deleted_channel_sends_nothing_more(world: World) -> None:
    await create(world)
    await tell(world, notice(world))
    await world.store.transact(
        channels.delete_channel, project_id=world.project, ref="ops", force=False, actor="user:ann"
    )
    assert await take(world) == []
    actions = [
        row["action"]
        for row in await world.rows("SELECT action FROM audit_log WHERE subject_kind = 'channel' ORDER BY id")
    ]
    assert actions == ["channel.create", "channel.delete"]
