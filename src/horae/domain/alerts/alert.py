"""An alert: a rule that is broken. While it is open, (project, rule, subject) identifies it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

Severity = Literal["critical", "warning", "info"]
SubjectKind = Literal["job", "ping", "queue", "project", "installation"]
State = Literal["open", "cleared"]

SEVERITIES: tuple[Severity, ...] = get_args(Severity)  # worst first
LONGEST_TITLE = 300  # characters
LONGEST_WHY = 2_000


@dataclass(frozen=True, slots=True)
class Subject:
    """What an alert is about. The id of a queue is its name."""

    kind: SubjectKind
    id: str
    name: str


INSTALLATION = Subject("installation", "installation", "Horae")


@dataclass(frozen=True, slots=True)
class AlertAction:
    """The one thing to do, and the portal page to start on."""

    text: str
    path: str


def identity(project_id: str | None, rule: str, subject_kind: str, subject_id: str) -> str:
    """Of fixed length, so that it can be a unique key on every database."""
    parts = "\0".join((project_id or "", rule, subject_kind, subject_id))
    return hashlib.sha256(parts.encode()).hexdigest()[:40]


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that is broken now: it opens an alert, or keeps it open. `project_id` None: it concerns the whole
    installation. `tags` are those of the job or ping, for the rules of channels. `explains`: `explain` can tell why."""

    rule: str
    severity: Severity
    subject: Subject
    title: str
    why: str
    action: AlertAction
    since: datetime
    project_id: str | None = None
    tags: tuple[str, ...] = ()
    explains: bool = False

    @property
    def identity(self) -> str:
        return identity(self.project_id, self.rule, self.subject.kind, self.subject.id)


@dataclass(frozen=True, slots=True)
class AlertRecord:
    """An alert as people see it; `project` is the slug."""

    id: str
    project_id: str | None
    project: str | None
    rule: str
    severity: str
    subject_kind: str
    subject_id: str
    subject_name: str
    state: str
    title: str
    why: str
    action: AlertAction
    since: datetime
    last_seen_at: datetime
    cleared_at: datetime | None = None
    acknowledged_by: str | None = None
    acknowledged_at: datetime | None = None
    silenced_until: datetime | None = None
    silenced_by: str | None = None
    note: str | None = None
    notified_at: datetime | None = None  # of the opening; None: not yet, or never
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AlertFilter:
    """Which alerts a list shows; None leaves a field open. `subject` is the id of a job or ping, or a queue's name."""

    state: str | None = None
    severity: str | None = None
    rule: str | None = None
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class AlertCounts:
    """Of open alerts."""

    by_severity: dict[str, int]
    acknowledged: int
    silenced: int

    @property
    def open(self) -> int:
        return sum(self.by_severity.values())
