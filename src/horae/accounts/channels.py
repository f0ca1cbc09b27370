"""Notification channels: create, change, delete, test, re-encrypt; and the rules for definitions that name them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from pydantic import ValidationError

from horae.accounts.audit import did
from horae.accounts.projects import hold_project
from horae.accounts.sealed_parts import open_part, opened_part, reseal_parts, seal_part
from horae.accounts.secrets import Resealed
from horae.domain.errors import Conflict, InvalidInput, NotFound
from horae.domain.jobs.job import JobSpec
from horae.domain.notify.channel import (
    MOST_CHANNELS,
    ChannelRecord,
    ChannelSpec,
    NewChannel,
    unknown_channel,
)
from horae.domain.notify.delivery import DeliveryRecord, Due, NewDelivery
from horae.domain.notify.message import trial
from horae.domain.notify.routing import drained
from horae.domain.notify.targets import Target, WebhookTarget, merged_secrets, named_secret, shown_address
from horae.domain.people.audit import differing
from horae.domain.secrets.secret import unknown
from horae.domain.text.ids import NIL
from horae.domain.text.validation_text import readable
from horae.ports import Seals, Transaction

_LISTED = 10
_NOUN = "channel"


@dataclass(frozen=True, slots=True)
class ChannelChange:
    """The requested state of a channel; `new_key` signs its webhooks if no other key is given or known."""

    name: str
    enabled: bool
    spec: ChannelSpec
    new_key: str | None = None


def audited(project_id: str) -> str | None:
    return None if project_id == NIL else project_id


async def create_channel(
    tx: Transaction, *, channel_id: str, project_id: str, change: ChannelChange, seals: Seals, actor: str
) -> tuple[ChannelRecord, str | None]:
    """Returns the channel, and the key that was generated for it, which is shown once."""
    if project_id != NIL:
        await hold_project(tx, project_id)
    existing = await tx.channels.find(project_id, change.name)
    if existing is not None:
        if existing.id == channel_id:  # an earlier try of the same request
            return existing, _made(change)
        raise Conflict(f"there is a channel named {change.name!r} already")
    if await tx.channels.count(project_id) >= MOST_CHANNELS:
        raise Conflict(f"there are {MOST_CHANNELS} channels, which is the most: delete one first")
    await _check_references(tx, project_id, change.spec.target)
    made = _made(change)
    secrets = merged_secrets(change.spec.target, None, {"key": made} if made else {})
    channel = _channel(channel_id, project_id, change, secrets, seals)
    await tx.channels.add(channel, actor)
    await tx.audit.add(
        "channel.create", actor=actor, project_id=audited(project_id), id=channel_id, name=change.name,
        changes=differing({}, _plain(channel)),
    )  # fmt: skip
    return await find_channel(tx, project_id, channel_id), made


async def edit_channel(
    tx: Transaction,
    *,
    project_id: str,
    ref: str,
    change: Callable[[ChannelRecord], ChannelChange],
    seals: Seals,
    actor: str,
) -> ChannelRecord:
    before = await find_channel(tx, project_id, ref, lock=True)
    wanted = change(before)
    if wanted.name != before.name:
        if await tx.channels.find(project_id, wanted.name) is not None:
            raise Conflict(f"there is a channel named {wanted.name!r} already")
        await _refuse_named(tx, before, "rename")
    if before.spec is not None and wanted.spec.target.kind != before.spec.target.kind:
        raise InvalidInput("target.kind", "cannot be changed: create another channel")
    await _check_references(tx, project_id, wanted.spec.target)
    # A target that this version cannot read says nothing about where its secrets may be sent.
    known = opened(seals, before) if before.spec is not None else {}
    secrets = merged_secrets(wanted.spec.target, before.spec.target if before.spec else None, known)
    channel = _channel(before.id, project_id, wanted, secrets, seals)
    await tx.channels.save(channel, actor)
    if not wanted.enabled:
        await tx.deliveries.give_up(before.id, "the channel was disabled")
    changes = differing(_plain(before), _plain(channel))
    changed = sorted(name for name, value in secrets.items() if value != known.get(name) and not named_secret(value))
    if changed:  # only that they were set, never the values
        changes += differing({}, {f"target.{name}": "(set)" for name in changed})
    if changes:
        await tx.audit.add(
            "channel.edit", actor=actor, project_id=audited(project_id), id=before.id, name=wanted.name,
            changes=changes,
        )  # fmt: skip
    return await find_channel(tx, project_id, before.id)


async def delete_channel(tx: Transaction, *, project_id: str, ref: str, force: bool, actor: str) -> None:
    """Refused while a job names it, unless forced: the job then notifies one channel less."""
    gone = tx.repeated and await tx.channels.find(project_id, ref) is None
    if gone and await did(tx, "channel.delete", audited(project_id), ref, actor):
        return
    channel = await find_channel(tx, project_id, ref, lock=True)
    if not force:
        await _refuse_named(tx, channel, "delete")
    await tx.channels.delete(channel.id)
    await tx.audit.add("channel.delete", actor=actor, project_id=audited(project_id), id=channel.id, name=channel.name)


async def send_test(tx: Transaction, *, delivery_id: str, project_id: str, ref: str, actor: str) -> DeliveryRecord:
    """Queues a message that is sent like any other, regardless of the channel's rules."""
    channel = await find_channel(tx, project_id, ref, lock=True)
    if not channel.enabled:
        raise Conflict(f"the channel {channel.name!r} is disabled: enable it first")
    if await tx.deliveries.find(delivery_id) is None:
        now = await tx.now()
        await _count_test(tx, channel, now)
        message = trial(channel.name, now)
        await tx.deliveries.add([NewDelivery(delivery_id, channel.id, project_id, "test", message, 1)])
        await tx.audit.add(
            "channel.test", actor=actor, project_id=audited(project_id), id=channel.id, name=channel.name
        )
    tx.hint("notices")
    found = await tx.deliveries.find(delivery_id)
    assert found is not None
    return found


async def _count_test(tx: Transaction, channel: ChannelRecord, now: datetime) -> None:
    """A test is a message like any other: the button must not become a way to flood a mailbox."""
    most = channel.spec.per_hour if channel.spec is not None else 1
    level = drained(channel.level, channel.level_at, now, most) + 1
    if level > most:
        raise Conflict(f"this channel has sent its {most} messages of the hour (per_hour): try again later")
    await tx.channels.fill({channel.id: level})


async def check_notify(tx: Transaction, project_id: str, spec: JobSpec) -> None:
    """Refuses a definition that names an unknown channel."""
    known = await tx.channels.known(project_id, spec.notify)
    for place, name in enumerate(spec.notify):
        if name not in known:
            raise InvalidInput(f"notify[{place}]", unknown_channel(name))


def opened(seals: Seals, channel: ChannelRecord) -> dict[str, str]:
    return opened_part(seals, _NOUN, channel)


async def open_secrets(tx: Transaction, *, seals: Seals, due: Due) -> dict[str, str]:
    """What is secret about a message's channel, with the present values of the secrets that it names. Raises
    InvalidInput if one of these is missing or cannot be used, CannotOpen if no key opens it."""
    found = open_part(seals, _NOUN, due.project_id, due.channel_id, due.sealed)
    named = due.spec.target.references() if due.spec is not None else {}
    if due.spec is None or not named:
        return found
    rows = await tx.secrets.sealed({(due.project_id, name) for name in named.values()})
    values = {row.name: seals.open(row).rstrip("\r\n") for row in rows}  # files end with a line break
    for field, name in named.items():
        if name not in values:
            raise InvalidInput(f"target.{field}", unknown(name))
        found[field] = values[name]
    try:
        return due.spec.target.with_values(found).secrets()
    except ValidationError as error:
        ((field, message), *_) = readable(error.errors(include_url=False, include_input=False))
        raise InvalidInput(f"target.{field}", message) from None


async def reseal(tx: Transaction, *, seals: Seals, after: tuple[str, str] | None = None) -> Resealed:
    return await reseal_parts(tx.channels, _NOUN, seals, after)


def _made(change: ChannelChange) -> str | None:
    """The key that the server generated for a webhook without one."""
    target = change.spec.target
    return change.new_key if isinstance(target, WebhookTarget) and target.key is None else None


async def _refuse_named(tx: Transaction, channel: ChannelRecord, verb: str) -> None:
    # A transaction that saves a job locks its channels' rows until the job is visible here.
    if jobs := await tx.channels.named_by(channel.project_id, channel.name, _LISTED + 1):
        more = " and others" if len(jobs) > _LISTED else ""
        raise Conflict(f"cannot {verb} the channel: jobs name it in `notify`: {', '.join(jobs[:_LISTED])}{more}")


async def find_channel(tx: Transaction, project_id: str, ref: str, *, lock: bool = False) -> ChannelRecord:
    channel = await tx.channels.find(project_id, ref, lock=lock)
    if channel is None:
        raise NotFound(f"there is no channel {ref!r}")
    return channel


def _channel(id: str, project_id: str, change: ChannelChange, secrets: dict[str, str], seals: Seals) -> NewChannel:
    spec = change.spec.model_copy(update={"address": shown_address(change.spec.target, secrets)})
    values = {name: value for name, value in secrets.items() if not named_secret(value)}
    sealed = seal_part(seals, _NOUN, project_id, id, values)
    return NewChannel(id, project_id, change.name, change.enabled, spec, sealed)


async def _check_references(tx: Transaction, project_id: str, target: Target) -> None:
    """Refuses secrets that are not there. They stay until the channel is saved: their rows are locked."""
    named = target.references()
    known = await tx.secrets.known(project_id, set(named.values()))
    for field, name in named.items():
        if project_id == NIL:
            raise InvalidInput(
                f"target.{field}", "must be the value itself: the installation has no secrets to refer to"
            )
        if name not in known:
            raise InvalidInput(f"target.{field}", unknown(name))


def _plain(channel: NewChannel | ChannelRecord) -> dict[str, object]:
    """What the audit trail compares: no secrets."""
    spec = channel.spec
    if spec is None:
        return {"name": channel.name, "enabled": channel.enabled}
    fields = {**spec.model_dump(mode="json", exclude={"target"}), **{
        f"target.{name}": value for name, value in spec.target.public().items()
    }}  # fmt: skip
    return {"name": channel.name, "enabled": channel.enabled, **fields}
