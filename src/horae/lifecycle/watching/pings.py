"""Pings: create, change and delete; receive signals, and detect missing ones."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime

from horae.accounts.audit import did
from horae.accounts.projects import hold_project
from horae.accounts.quotas import take
from horae.domain.errors import Conflict, DuplicateKey, InvalidInput, NotFound, StaleVersion, Unreadable
from horae.domain.jobs.difference import Change
from horae.domain.people.audit import differing
from horae.domain.people.quota import Quota
from horae.domain.pings import rules
from horae.domain.pings.ping import KEPT, NewPing, PingEvent, PingMessage, PingRecord, PingStanding, Signal
from horae.domain.pings.spec import PingSpec
from horae.domain.pings.token import UrlToken
from horae.lifecycle.watching.ping_alerts import alert_down, clear_down, refresh_down
from horae.ports import Transaction

_TRIM_EVERY = 20  # events after which the oldest are deleted


async def create_ping(tx: Transaction, *, ping: NewPing) -> PingRecord:
    if tx.repeated and (done := await tx.pings.find(ping.project_id, ping.id)):
        return done
    await hold_project(tx, ping.project_id)
    await take(tx, ping.project_id, {Quota.JOBS: 1})
    try:
        await tx.pings.add(ping, rules.begin(ping.spec, await tx.now()))
    except DuplicateKey:
        raise _taken(ping.spec) from None
    await _audit(tx, "ping.create", ping.project_id, ping.id, ping.spec.name, ping.created_by)
    return await find_ping(tx, ping.project_id, ping.id)


async def edit_ping(
    tx: Transaction,
    *,
    project_id: str,
    ref: str,
    change: Callable[[PingSpec], PingSpec],
    expected_version: int | None,
    actor: str,
) -> PingRecord:
    ping = await find_ping(tx, project_id, ref, lock=True)
    if tx.repeated and expected_version == ping.version - 1 and change(ping.spec) == ping.spec:
        return ping  # done; only the reply was lost
    _check_version(ping, expected_version)
    if ping.spec.fault is not None:
        raise Unreadable(f"this ping cannot be read ({ping.spec.fault}): delete it, or edit it with a newer Horae")
    spec = change(ping.spec)
    if spec == ping.spec:
        return ping
    try:
        await tx.pings.edit(ping, spec, rules.edited(ping.spec, spec, ping.standing, await tx.now()), actor)
    except DuplicateKey:
        raise _taken(spec) from None
    changes = differing(ping.spec.to_json(), spec.to_json())
    await _audit(tx, "ping.edit", project_id, ping.id, ping.spec.name, actor, changes)
    return await find_ping(tx, project_id, ping.id)


async def delete_ping(
    tx: Transaction, *, project_id: str, ref: str, actor: str, expected_version: int | None = None
) -> None:
    """With its events and badges; its URL stops working."""
    gone = tx.repeated and await tx.pings.find(project_id, ref) is None
    if gone and await did(tx, "ping.delete", project_id, ref, actor):
        return
    ping = await find_ping(tx, project_id, ref, lock=True)
    _check_version(ping, expected_version)
    await clear_down(tx, [ping])
    await tx.badges.delete_of(project_id, "ping", ping.id)
    await tx.ping_events.delete(ping.id)
    await tx.pings.delete(ping.id)
    await _audit(tx, "ping.delete", project_id, ping.id, ping.spec.name, actor)


async def rotate_token(tx: Transaction, *, project_id: str, ref: str, token: UrlToken, actor: str) -> PingRecord:
    """The previous URL stops working at once."""
    ping = await find_ping(tx, project_id, ref, lock=True)
    await tx.pings.set_token(ping.id, token, actor)
    await _audit(tx, "ping.rotate", project_id, ping.id, ping.spec.name, actor)
    return await find_ping(tx, project_id, ping.id)


async def pause_ping(tx: Transaction, *, project_id: str, ref: str, until: datetime | None, actor: str) -> PingRecord:
    """Expects nothing until it is resumed or the given time. Signals are still recorded."""
    ping = await find_ping(tx, project_id, ref, lock=True)
    if until is not None and until <= await tx.now():
        raise InvalidInput("until", "must be in the future")
    await tx.pings.stand([(ping, rules.paused(ping.standing, until), ping.events)])
    await clear_down(tx, [ping])
    changes = differing(_switch(ping.standing), {"paused": True, "paused_until": until})
    await _audit(tx, "ping.pause", project_id, ping.id, ping.spec.name, actor, changes)
    return await find_ping(tx, project_id, ping.id)


async def resume_ping(tx: Transaction, *, project_id: str, ref: str, actor: str) -> PingRecord:
    ping = await find_ping(tx, project_id, ref, lock=True)
    if not ping.standing.paused:
        return ping
    resumed = rules.resumed(ping.spec, ping.standing, await tx.now())
    await tx.pings.stand([(ping, resumed, ping.events)])
    changes = differing(_switch(ping.standing), _switch(resumed))
    await _audit(tx, "ping.resume", project_id, ping.id, ping.spec.name, actor, changes)
    return await find_ping(tx, project_id, ping.id)


async def hear(tx: Transaction, *, digest: str, signal: Signal, message: PingMessage) -> bool:
    """Records a signal of an external job; False if no ping has this token. Repeating it is harmless."""
    ping = await tx.pings.by_digest(digest, lock=True)
    if ping is None:
        return False
    now, before = await tx.now(), ping.standing
    begun = None
    if signal.rid is not None and signal.sign != "start" and signal.rid not in {start.rid for start in before.starts}:
        begun = await tx.ping_events.started(ping.id, signal.rid)
    outcome = rules.heard(ping.spec, before, signal, now, begun)
    number = ping.events + 1
    await tx.pings.stand([(ping, outcome.standing, number)])
    event = PingEvent(ping.id, number, now, signal.sign, signal.exit_code, signal.rid, outcome.duration_ms, message)
    await tx.ping_events.add([event])
    if number % _TRIM_EVERY == 0:
        await tx.ping_events.keep_from(ping.id, number - KEPT + 1)
    if signal.sign != "start":
        await _alert(tx, replace(ping, standing=outcome.standing), before, now)
    return True


async def _alert(tx: Transaction, ping: PingRecord, before: PingStanding, now: datetime) -> None:
    """What the end of a run means for the alerts of a ping that stood elsewhere before."""
    down = ping.standing.status == "down" and not before.paused
    if before.reason == ping.standing.reason:
        if down:
            await refresh_down(tx, ping, now)
        return
    if before.status == "down":
        await clear_down(tx, [ping])
    if down:
        await alert_down(tx, [ping], now)


async def notice_missing(tx: Transaction, *, limit: int) -> int:
    """Handles pings whose deadline has passed: they go down, or their pause ends. Returns how many."""
    due = await tx.pings.due(limit)
    if not due:
        return 0
    now = await tx.now()
    stood, events, down = [], [], []
    for ping in due:
        standing = rules.overdue(ping.spec, ping.standing, now)
        if standing.status != "down" or standing.reason is None:
            stood.append((ping, standing, ping.events))
            continue
        stood.append((ping, standing, ping.events + 1))
        events.append(PingEvent(ping.id, ping.events + 1, now, standing.reason))
        down.append(replace(ping, standing=standing))
    await tx.pings.stand(stood)
    await tx.ping_events.add(events)
    await alert_down(tx, down, now)
    return len(due)


async def find_ping(tx: Transaction, project_id: str, ref: str, *, lock: bool = False) -> PingRecord:
    found = await tx.pings.find(project_id, ref, lock=lock)
    if found is None:
        raise NotFound("there is no such ping")
    return found


def _check_version(ping: PingRecord, expected: int | None) -> None:
    if expected is not None and expected != ping.version:
        raise StaleVersion


def _taken(spec: PingSpec) -> Conflict:
    return Conflict(f"a ping named {spec.name!r} already exists", "name")


def _switch(standing: PingStanding) -> dict[str, object]:
    return {"paused": standing.paused, "paused_until": standing.paused_until}


async def _audit(
    tx: Transaction,
    action: str,
    project_id: str,
    ping_id: str,
    name: str,
    actor: str,
    changes: Collection[Change] = (),
) -> None:
    await tx.audit.add(action, actor=actor, project_id=project_id, id=ping_id, name=name, changes=[*changes])
