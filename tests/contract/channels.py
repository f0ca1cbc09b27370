"""Channels, notices and deliveries, for the tests about them."""

from typing import Any

from horae.accounts import channels
from horae.accounts.channels import ChannelChange
from horae.domain.notify.channel import ChannelRecord, ChannelSpec
from horae.domain.notify.delivery import Due
from horae.domain.notify.notice import NewNotice, NoticeKind, Severity
from horae.lifecycle.watching.deliver import Routed, route, take_due
from horae.sealing import Keyring
from tests.contract.world import Row, World

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
