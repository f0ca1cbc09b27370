"""A notice: an event that users may want to know about. It waits in the outbox until it is routed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from horae.domain.runs.dead_letter import fingerprint
from horae.domain.runs.ending import Ended


class NoticeKind(StrEnum):
    FAILURE = "failure"  # a run failed, for a cause that has an open dead letter already
    DEAD_LETTER = "dead_letter"  # a run failed for a cause that has no open dead letter yet
    RECOVERY = "recovery"  # the first success after failures
    ALERT = "alert"
    CLEARED = "cleared"  # an alert has cleared
    BUDGET = "budget"  # a failure budget is used up


class Severity(StrEnum):
    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True)
class NewNotice:
    """`key` names the incident: notices with the same key are about the same thing, and one that closes it (`recovery`,
    `cleared`) has the key of those that opened it. `cause` distinguishes notices that deserve a second message although
    the incident is the same. `path` is the portal page. `project_id` None: about the installation. `at` None: now, by
    the database's clock."""

    id: str
    project_id: str | None
    kind: NoticeKind
    severity: Severity
    subject_kind: str  # job, ping, queue, project, installation
    subject_id: str | None
    subject_name: str | None
    title: str
    key: str
    text: str | None = None
    path: str | None = None
    tags: tuple[str, ...] = ()
    at: datetime | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    cause: str | None = None


TITLE, TEXT = 300, 2_000  # characters kept


def of_failures(ended: Sequence[Ended], ids: Sequence[str]) -> list[NewNotice]:
    """Notices for runs that ended `failed`. The first of each cause may be news: the store knows. The job's name and
    tags are looked up when the notice is routed, to keep the transaction that ends a run short."""
    seen: set[str] = set()
    notices = []
    for id, run in zip(ids, ended, strict=True):
        cause = fingerprint(run.job_id, run.code, run.error)
        kind = NoticeKind.FAILURE if cause in seen else NoticeKind.DEAD_LETTER
        seen.add(cause)
        notices.append(
            NewNotice(
                id=id,
                project_id=run.project_id,
                kind=kind,
                severity=Severity.WARNING,
                subject_kind="job",
                subject_id=run.job_id,
                subject_name=None,
                title="",
                text=run.error,
                path=f"/runs/{run.id}",
                key=job_key(run.job_id),
                cause=cause,
                data={"run_id": run.id, "version": run.version, "code": run.code, "timed_out": run.timed_out},
            )
        )
    return notices


@dataclass(frozen=True, slots=True)
class Recovery:
    """A job whose latest run succeeded. `certain`: one before it failed; otherwise the job's record decides."""

    notice: NewNotice
    certain: bool


def of_success(id: str, *, job_id: str, project_id: str, run_id: str, at: datetime) -> NewNotice:
    return NewNotice(
        id=id,
        project_id=project_id,
        kind=NoticeKind.RECOVERY,
        severity=Severity.INFO,
        subject_kind="job",
        subject_id=job_id,
        subject_name=None,
        title="",
        path=f"/runs/{run_id}",
        key=job_key(job_id),
        at=at,
        data={"run_id": run_id},
    )


def job_key(job_id: str) -> str:
    return f"job:{job_id}"
