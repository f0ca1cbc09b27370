"""Badges: create, revoke, and what they show."""

from __future__ import annotations

from dataclasses import replace

from horae.accounts.audit import did
from horae.accounts.projects import hold_project
from horae.domain.errors import Conflict, NotFound
from horae.domain.jobs.difference import Change
from horae.domain.pings.badge import MOST, BadgeRecord, BadgeState, NewBadge, job_badge, ping_badge
from horae.domain.pings.rules import state_of
from horae.lifecycle.find import found
from horae.lifecycle.watching.pings import find_ping
from horae.ports import Transaction


async def create_badge(tx: Transaction, *, badge: NewBadge) -> BadgeRecord:
    """For a job or a ping of the project; `subject_id` may be its name."""
    project_id, kind = badge.project_id, badge.subject_kind
    if tx.repeated and (done := await tx.badges.find(project_id, badge.id)):
        return done
    await hold_project(tx, project_id)
    subject_id, name = await subject_of(tx, project_id, kind, badge.subject_id)
    others = await tx.badges.page(project_id, (kind, subject_id), limit=MOST, after=None)
    if len(others.items) >= MOST:
        raise Conflict(f"this {kind} has {MOST} badges already: delete one of them first")
    await tx.badges.add(replace(badge, subject_id=subject_id))
    changes = [Change("subject", None, f"{kind} {name}"), Change("label", None, badge.label)]
    await tx.audit.add("badge.create", actor=badge.created_by, project_id=project_id, id=badge.id, changes=changes)
    made = await tx.badges.find(project_id, badge.id)
    assert made is not None
    return made


async def delete_badge(tx: Transaction, *, project_id: str, badge_id: str, actor: str) -> None:
    """Its URL stops working."""
    if await tx.badges.find(project_id, badge_id) is None:
        if tx.repeated and await did(tx, "badge.delete", project_id, badge_id, actor):
            return
        raise NotFound("there is no such badge")
    await tx.badges.delete(badge_id)
    await tx.audit.add("badge.delete", actor=actor, project_id=project_id, id=badge_id)


async def subject_of(tx: Transaction, project_id: str, kind: str, ref: str) -> tuple[str, str]:
    """The id and the name of a job or a ping."""
    if kind == "ping":
        ping = await find_ping(tx, project_id, ref)
        return ping.id, ping.spec.name
    job = await found(tx, project_id, ref)
    return job.id, job.spec.name


async def show_badge(tx: Transaction, *, digest: str) -> tuple[str, BadgeState] | None:
    """The content of a badge: its label and the state; None if there is no such badge. If its job or ping is gone, the
    state is unknown."""
    badge = await tx.badges.by_digest(digest)
    if badge is None:
        return None
    now = await tx.now()
    name, state = badge.subject_kind, BadgeState.UNKNOWN
    if badge.subject_kind == "ping" and (ping := await tx.pings.find(badge.project_id, badge.subject_id)):
        name, state = ping.spec.name, ping_badge(state_of(ping.spec, ping.standing, now))
    elif badge.subject_kind == "job" and (job := await tx.jobs.find(badge.project_id, badge.subject_id)):
        name, state = job.spec.name, job_badge(job, now)
    return badge.label or name, state
