"""Alerts: open, clear, acknowledge, silence. A caller that evaluates a rule passes its findings to `open_alerts`.
Opening and clearing are idempotent, also when two processes call them at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from horae.accounts.projects import hold_project
from horae.domain.alerts.alert import AlertRecord, Finding
from horae.domain.alerts.spec import ProjectAlertSpec
from horae.domain.alerts.transition import silenced
from horae.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from horae.domain.explain.explanation import moment
from horae.domain.jobs.difference import Change
from horae.domain.notify.notice import NewNotice, NoticeKind, Severity
from horae.domain.people.audit import differing
from horae.ports import Transaction

LONGEST_SILENCE = timedelta(days=366)
KEPT_FLAPS = 100  # cleared alerts of one identity that reopens again and again, as the URL of a ping lets anyone do
_TRIM_EVERY = 20  # of them


async def open_alerts(tx: Transaction, findings: Sequence[Finding]) -> list[AlertRecord]:
    """Opens an alert for each finding that has none yet; returns those it opened."""
    if not findings:
        return []
    now = await tx.now()
    before = await tx.alerts.before({finding.identity for finding in findings})
    new = [(tx.new_id(), finding) for finding in findings]
    added = await tx.alerts.add(new, before, now)
    for identity, last in before.items():
        if last.flaps >= KEPT_FLAPS and last.flaps % _TRIM_EVERY == 0:
            await tx.alerts.keep_newest(identity, KEPT_FLAPS)
    opened = await tx.alerts.lock_open(added)
    await _notify(tx, opened, now)
    return opened


async def resolve_alerts(tx: Transaction, identities: Collection[str]) -> list[AlertRecord]:
    """Clears these open alerts (`identity` in domain/alerts/alert.py) at once, without flap damping."""
    return await clear_alerts(tx, await tx.alerts.open_ids(identities))


async def clear_alerts(tx: Transaction, ids: Collection[str]) -> list[AlertRecord]:
    """Returns those that were still open."""
    found = await tx.alerts.lock_open(ids)
    await tx.alerts.clear([alert.id for alert in found])
    # Even if it is silenced: otherwise an incident that a pager opened would stay open there.
    heard = [alert for alert in found if alert.notified_at is not None]
    await tx.notices.add([_notice(tx.new_id(), alert, NoticeKind.CLEARED) for alert in heard])
    return found


async def see_alerts(tx: Transaction, seen: Sequence[tuple[str, Finding]]) -> None:
    await tx.alerts.see(seen)


async def quieten_alerts(tx: Transaction, ids: Collection[str]) -> None:
    await tx.alerts.quieten(ids)


async def notify_alerts(tx: Transaction, ids: Collection[str]) -> None:
    """For alerts that opened while they were silenced, and no longer are."""
    await _notify(tx, [one for one in await tx.alerts.lock_open(ids) if one.notified_at is None], await tx.now())


async def _notify(tx: Transaction, opened: Sequence[AlertRecord], now: datetime) -> None:
    """In the transaction in which they opened, so once."""
    audible = [alert for alert in opened if not silenced(alert.silenced_until, now)]
    await tx.notices.add([_notice(tx.new_id(), alert, NoticeKind.ALERT) for alert in audible])
    await tx.alerts.notified([alert.id for alert in audible])


def _notice(notice_id: str, alert: AlertRecord, kind: NoticeKind) -> NewNotice:
    return NewNotice(
        id=notice_id,
        project_id=alert.project_id,
        kind=NoticeKind.BUDGET if alert.rule == "failure_budget" and kind is NoticeKind.ALERT else kind,
        severity=Severity(alert.severity),
        subject_kind=alert.subject_kind,
        subject_id=alert.subject_id,
        subject_name=alert.subject_name,
        title=f"Resolved: {alert.title}" if kind is NoticeKind.CLEARED else alert.title,
        text=f"It began at {moment(alert.since)}." if kind is NoticeKind.CLEARED else _what(alert),
        path=f"/alerts/{alert.id}",
        tags=alert.tags,
        key=f"alert:{alert.id}",
        data={"alert_id": alert.id, "rule": alert.rule, "since": alert.since.isoformat(), "action": alert.action.path},
    )


def _what(alert: AlertRecord) -> str:
    return f"{alert.why}\n{alert.action.text}"


@dataclass(frozen=True, slots=True)
class Reach:
    """Whose alerts the caller may see and change: those of a project, and with `everything` those of the installation
    and of all other projects."""

    project_id: str
    everything: bool = False


async def acknowledge(tx: Transaction, *, reach: Reach, alert_id: str, actor: str, note: str | None) -> AlertRecord:
    """Records who takes care of an alert, which stays open. The first one stays."""
    alert = await _open(tx, reach, alert_id)
    if alert.acknowledged_at is None or note is not None:
        await tx.alerts.acknowledge(alert_id, alert.acknowledged_by or actor, note)
        await _audit(tx, "alert.ack", alert, actor, differing({"note": alert.note}, {"note": note or alert.note}))
    return await _found(tx, reach, alert_id)


async def silence(
    tx: Transaction,
    *,
    reach: Reach,
    alert_id: str,
    until: datetime | None,
    lasting: float | None,
    actor: str,
    note: str | None,
) -> AlertRecord:
    """No notices about it until then; `lasting` 0 ends the silence. A silence outlives the alert: if it clears and
    reopens before, it is still silenced."""
    alert = await _open(tx, reach, alert_id)
    now = await tx.now()
    end = now + timedelta(seconds=lasting) if lasting else until
    if until is not None and until <= now:
        raise InvalidInput("until", "must be in the future")
    if end is not None and end - now > LONGEST_SILENCE:
        raise InvalidInput("until" if until is not None else "for", "must be at most 366 days")
    await tx.alerts.silence(alert_id, end, actor, note)
    await _audit(tx, "alert.silence", alert, actor, [Change("silenced_until", alert.silenced_until, end)])
    return await _found(tx, reach, alert_id)


async def configure(
    tx: Transaction, *, project_id: str, change: Callable[[ProjectAlertSpec], ProjectAlertSpec], actor: str
) -> ProjectAlertSpec:
    """Changes a project's thresholds."""
    await hold_project(tx, project_id)
    before = await tx.alerts.settings(project_id)
    after = change(before)
    if changes := differing(before.model_dump(), after.model_dump()):
        await tx.alerts.set_settings(project_id, after)
        await tx.audit.add("alert.configure", actor=actor, project_id=project_id, changes=changes)
    return after


async def find_alert(tx: Transaction, reach: Reach, alert_id: str) -> AlertRecord:
    return await _found(tx, reach, alert_id)


async def _open(tx: Transaction, reach: Reach, alert_id: str) -> AlertRecord:
    alert = _visible(await tx.alerts.find(alert_id, lock=True), reach)
    if alert.project_id is None and not reach.everything:
        raise NotAllowed("this alert concerns the whole installation: only admins acknowledge or silence it")
    if alert.state != "open":
        raise Conflict("the alert has cleared")
    return alert


async def _found(tx: Transaction, reach: Reach, alert_id: str) -> AlertRecord:
    return _visible(await tx.alerts.find(alert_id), reach)


def _visible(alert: AlertRecord | None, reach: Reach) -> AlertRecord:
    if alert is None or not (reach.everything or alert.project_id in (reach.project_id, None)):
        raise NotFound("there is no such alert")
    return alert


async def _audit(tx: Transaction, action: str, alert: AlertRecord, actor: str, changes: Sequence[Change]) -> None:
    await tx.audit.add(
        action, actor=actor, project_id=alert.project_id, id=alert.id, name=alert.title[:200], changes=changes
    )
