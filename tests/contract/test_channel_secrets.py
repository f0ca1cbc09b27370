"""Channels that name secrets of their project: found when a message is sent, kept while they are in use."""

from typing import Any

import pytest

from horae.accounts import channels
from horae.accounts.channels import ChannelChange, open_secrets
from horae.accounts.secrets import delete_secret, set_secret
from horae.domain.errors import Conflict, InvalidInput
from horae.domain.notify.channel import ChannelRecord, ChannelSpec
from horae.domain.notify.delivery import Due
from horae.domain.text.ids import NIL
from horae.lifecycle.watching.deliver import take_due
from horae.sealing import Keyring
from tests.contract.world import World

SEALS = Keyring("k" * 32)


async def keep(world: World, name: str, value: str) -> None:
    await world.store.transact(set_secret, sealed=SEALS.seal(world.project, name, value), actor="user:ann")


async def create(world: World, target: dict[str, Any], project_id: str | None = None) -> ChannelRecord:
    channel, _ = await world.store.transact(
        channels.create_channel,
        channel_id=world.ids.new(),
        project_id=project_id or world.project,
        change=ChannelChange("ops", True, ChannelSpec.model_validate({"target": target}), "whsec_bWFkZQ=="),
        seals=SEALS,
        actor="user:ann",
    )
    return channel


async def due(world: World) -> Due:
    await world.store.transact(
        channels.send_test, delivery_id=world.ids.new(), project_id=world.project, ref="ops", actor="user:ann"
    )
    (found,) = await world.store.transact(take_due, token=world.ids.new(), lease=60.0, limit=1, busy=[])
    return found


async def test_the_value_is_looked_up_when_a_message_is_sent(world: World):
    await keep(world, "SLACK", "https://hooks.example.org/one")
    made = await create(world, {"kind": "slack", "url": "{{ secrets.SLACK }}"})
    assert made.sealed is None
    assert made.spec is not None
    assert (made.spec.address, made.spec.target.public()["url"]) == ("{{ secrets.SLACK }}", "{{ secrets.SLACK }}")
    await keep(world, "SLACK", "https://hooks.example.org/two\n")
    message = await due(world)
    assert await world.store.read(open_secrets, seals=SEALS, due=message) == {"url": "https://hooks.example.org/two"}
    await keep(world, "SLACK", "ftp://hooks.example.org/secret")
    with pytest.raises(InvalidInput, match=r"^target\.url: ") as refused:
        await world.store.read(open_secrets, seals=SEALS, due=message)
    assert "hooks.example.org" not in str(refused.value)


async def test_a_secret_in_use_is_deleted_only_by_force(world: World):
    await keep(world, "SLACK", "https://hooks.example.org/one")
    await create(world, {"kind": "webhook", "url": "{{ secrets.SLACK }}"})
    with pytest.raises(Conflict, match="channels use this secret: ops"):
        await world.store.transact(delete_secret, project_id=world.project, name="SLACK", force=False, actor="user:ann")
    message = await due(world)
    assert (await world.store.read(open_secrets, seals=SEALS, due=message))["key"] == "whsec_bWFkZQ=="
    await world.store.transact(delete_secret, project_id=world.project, name="SLACK", force=True, actor="user:ann")
    with pytest.raises(InvalidInput, match=r"target\.url: no secret named SLACK in this project"):
        await world.store.read(open_secrets, seals=SEALS, due=message)


@pytest.mark.parametrize("world", [pytest.param("sqlite", marks=pytest.mark.sqlite)], indirect=True)
async def test_a_secret_that_is_not_there_is_refused(world: World):
    with pytest.raises(InvalidInput, match=r"target\.url: no secret named SLACK in this project"):
        await create(world, {"kind": "slack", "url": "{{ secrets.SLACK }}"})
    with pytest.raises(InvalidInput, match=r"target\.url: must be the value itself"):
        await create(world, {"kind": "slack", "url": "{{ secrets.SLACK }}"}, NIL)
    assert await world.rows("SELECT id FROM channels") == []
