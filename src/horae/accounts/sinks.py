"""Sinks of events: create, change, delete, test, re-encrypt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from horae.accounts.audit import did
from horae.accounts.channels import audited
from horae.accounts.projects import hold_project
from horae.accounts.sealed_parts import open_part, opened_part, reseal_parts, seal_part
from horae.accounts.secrets import Resealed
from horae.domain.errors import Conflict, InvalidInput, NotFound
from horae.domain.notify.targets import merged_secrets
from horae.domain.people.audit import differing
from horae.domain.sinks.drafts import EventDraft
from horae.domain.sinks.sink import (
    MOST_SINKS,
    NewSink,
    SinkDue,
    SinkRecord,
    SinkSpec,
    WebhookSink,
    misplaced,
    place_of,
)
from horae.domain.sinks.types import SINK_TEST
from horae.domain.text.ids import NIL
from horae.ports import Seals, Transaction

_NOUN = "sink"
_TESTS = 10  # test events that may wait for a sink: the button must not become a way to flood a receiver


@dataclass(frozen=True, slots=True)
class SinkChange:
    """The requested state of a sink; `new_key` signs its calls if no other key is given or known."""

    name: str
    enabled: bool
    spec: SinkSpec
    new_key: str | None = None


async def create_sink(
    tx: Transaction, *, sink_id: str, project_id: str, change: SinkChange, seals: Seals, actor: str
) -> tuple[SinkRecord, str | None]:
    """Returns the sink, and the key that was generated for it, which is shown once."""
    if project_id != NIL:
        await hold_project(tx, project_id)
    existing = await tx.sinks.find(project_id, change.name)
    if existing is not None:
        if existing.id == sink_id:  # an earlier try of the same request
            return existing, _made(change)
        raise Conflict(f"there is a sink named {change.name!r} already")
    if await tx.sinks.count(project_id) >= MOST_SINKS:
        raise Conflict(f"there are {MOST_SINKS} sinks, which is the most: delete one first")
    made = _made(change)
    secrets = _secrets(project_id, change, None, {"key": made} if made else {})
    sink = _sink(sink_id, project_id, change, secrets, seals)
    await tx.sinks.add(sink, actor)
    await tx.audit.add(
        "sink.create", actor=actor, project_id=audited(project_id), id=sink_id, name=change.name,
        changes=differing({}, _plain(sink)),
    )  # fmt: skip
    tx.hint("sinks")
    return await find_sink(tx, project_id, sink_id), made


async def edit_sink(
    tx: Transaction,
    *,
    project_id: str,
    ref: str,
    change: Callable[[SinkRecord], SinkChange],
    seals: Seals,
    actor: str,
) -> SinkRecord:
    before = await find_sink(tx, project_id, ref, lock=True)
    wanted = change(before)
    if wanted.name != before.name and await tx.sinks.find(project_id, wanted.name) is not None:
        raise Conflict(f"there is a sink named {wanted.name!r} already")
    if before.spec is not None and wanted.spec.target.kind != before.spec.target.kind:
        raise InvalidInput("target.kind", "cannot be changed: create another sink")
    # A target that this version cannot read says nothing about where its secrets may be sent.
    known = opened_part(seals, _NOUN, before) if before.spec is not None else {}
    secrets = _secrets(project_id, wanted, before.spec, known)
    sink = _sink(before.id, project_id, wanted, secrets, seals)
    await tx.sinks.save(sink, actor)
    changes = differing(_plain(before), _plain(sink))
    changed = sorted(name for name, value in secrets.items() if value != known.get(name))
    if changed:  # only that they were set, never the values
        changes += differing({}, {f"target.{name}": "(set)" for name in changed})
    if changes:
        await tx.audit.add(
            "sink.edit", actor=actor, project_id=audited(project_id), id=before.id, name=wanted.name, changes=changes
        )
    tx.hint("sinks")
    tx.hint("events")
    return await find_sink(tx, project_id, before.id)


async def delete_sink(tx: Transaction, *, project_id: str, ref: str, actor: str) -> None:
    """With the events that wait for it, which a scheduler deletes."""
    gone = tx.repeated and await tx.sinks.find(project_id, ref) is None
    if gone and await did(tx, "sink.delete", audited(project_id), ref, actor):
        return
    sink = await find_sink(tx, project_id, ref, lock=True)
    await tx.sinks.delete(sink.id)
    await tx.audit.add("sink.delete", actor=actor, project_id=audited(project_id), id=sink.id, name=sink.name)
    tx.hint("sinks")


async def send_test_event(tx: Transaction, *, event_id: str, project_id: str, ref: str, actor: str) -> SinkRecord:
    """Queues an event that is sent like any other, regardless of the sink's filters."""
    sink = await find_sink(tx, project_id, ref, lock=True)
    if not sink.enabled:
        raise Conflict(f"the sink {sink.name!r} is disabled: enable it first")
    waiting = await tx.outbox.first(sink.id, _TESTS, tags=False)
    if event_id not in {event.id for event in waiting}:
        if sum(event.type == SINK_TEST for event in waiting) >= _TESTS:
            raise Conflict(f"{_TESTS} test events wait for this sink already: {sink.last_error or 'try again later'}")
        data = {"sink": sink.name, "actor": actor}
        await tx.outbox.add([(sink.id, event_id, EventDraft(SINK_TEST, project_id, None, sink.id, data))])
        await tx.audit.add("sink.test", actor=actor, project_id=audited(project_id), id=sink.id, name=sink.name)
    tx.hint("events")
    return sink


def open_sink(seals: Seals, due: SinkDue) -> dict[str, str]:
    """What is secret about a sink. Raises CannotOpen."""
    return open_part(seals, _NOUN, due.project_id, due.id, due.sealed)


async def reseal_sinks(tx: Transaction, *, seals: Seals, after: tuple[str, str] | None = None) -> Resealed:
    return await reseal_parts(tx.sinks, _NOUN, seals, after)


async def find_sink(tx: Transaction, project_id: str, ref: str, *, lock: bool = False) -> SinkRecord:
    sink = await tx.sinks.find(project_id, ref, lock=lock)
    if sink is None:
        raise NotFound(f"there is no sink {ref!r}")
    return sink


def _made(change: SinkChange) -> str | None:
    """The key that the server generated for a webhook without one."""
    target = change.spec.target
    return change.new_key if isinstance(target, WebhookSink) and target.key is None else None


def _secrets(project_id: str, change: SinkChange, before: SinkSpec | None, known: dict[str, str]) -> dict[str, str]:
    target = change.spec.target
    if (why := misplaced(project_id, target)) is not None:
        raise InvalidInput(*why)
    return merged_secrets(target, before.target if before else None, known)


def _sink(id: str, project_id: str, change: SinkChange, secrets: dict[str, str], seals: Seals) -> NewSink:
    spec = change.spec.model_copy(update={"address": place_of(change.spec.target, secrets)})
    sealed = seal_part(seals, _NOUN, project_id, id, secrets)
    return NewSink(id, project_id, change.name, change.enabled, spec, sealed)


def _plain(sink: NewSink | SinkRecord) -> dict[str, object]:
    """What the audit trail compares: no secrets."""
    known: dict[str, object] = {"name": sink.name, "enabled": sink.enabled}
    if sink.spec is None:
        return known
    target = {f"target.{name}": value for name, value in sink.spec.target.public().items()}
    return {**known, **sink.spec.model_dump(mode="json", exclude={"target"}), **target}
