"""Channels on every database: created, changed, named by jobs, deleted; secrets stay secret."""

import json
from typing import Any

import pytest

from horae.accounts import channels, projects
from horae.accounts.channels import ChannelChange
from horae.domain.errors import Conflict, InvalidInput, NotFound
from horae.domain.notify.delivery import Sent
from horae.domain.people.project import Project
from horae.domain.text.ids import NIL
from horae.lifecycle.watching.deliver import Routed, route, settle
from horae.sealing import Keyring
from tests.contract.channels import HOOK, MAIL, SEALS, channel_spec, create, deliveries, edit, notice, put, take, tell
from tests.contract.values import lost_reply
from tests.contract.world import PERMANENT, World, spec


async def test_secret_fields_are_encrypted_and_bound_to_their_channel(world: World) -> None:
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
    await world.ended(job, PERMANENT)  # no one to tell, and nothing fails
    assert spec(name="b").notify == ()


async def test_an_unset_notify_is_not_stored(world: World) -> None:
    """Processes of the version before refuse definitions with fields that they do not know."""
    await world.job()
    (row,) = await world.rows("SELECT spec FROM job_versions")
    assert "notify" not in str(row["spec"])


async def test_an_unreadable_channel_does_not_send_its_secret_to_a_new_server(world: World) -> None:
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


async def test_a_repetition_after_a_lost_reply_succeeds(world: World) -> None:
    for project_id in (world.project, NIL):
        made = await create(world, project_id=project_id)
        given: dict[str, Any] = {"project_id": project_id, "force": False, "actor": "user:ann"}
        await world.store.transact(lost_reply(channels.delete_channel), ref=made.id, **given)
        with pytest.raises(NotFound):
            await world.store.transact(channels.delete_channel, ref=made.id, **given)


async def test_a_deleted_project_leaves_nothing_behind(world: World) -> None:
    made = Project(world.ids.new(), "short", "Short")
    await world.store.transact(projects.create_project, project=made, actor="user:ann")
    await create(world, project_id=made.id)
    await put(world, notice(world, project_id=made.id), notice(world, "b", project_id=made.id))
    await world.store.transact(route, limit=1)
    await world.execute(
        "INSERT INTO series (project_id, subject, step, at, data) SELECT project_id, 'all', 60, created_at, '{}' "
        "FROM channels WHERE project_id = :id",
        id=made.id,
    )
    await world.store.transact(projects.delete_project, project_id=made.id, actor="user:ann")
    assert await world.store.transact(route) == Routed(1, 0, 0), "nobody is left to be told"
    for table in ("channels", "deliveries", "series", "notices"):
        assert await world.rows(f"SELECT project_id FROM {table} WHERE project_id = :id", id=made.id) == [], table
