"""A message to a channel: one notice, or a digest of several. Stored as JSON, and bounded however many notices it
covers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from horae.domain.notify.channel import OPENING
from horae.domain.notify.notice import NoticeKind, Severity

_TRIAL = "test:"  # how the keys of test messages begin
LINES = 50  # in a digest; the rest is counted
_ORDER = tuple(Severity)
_WORDS = {
    NoticeKind.FAILURE: ("failure", "failures"),
    NoticeKind.DEAD_LETTER: ("new cause of failure", "new causes of failure"),
    NoticeKind.RECOVERY: ("recovery", "recoveries"),
    NoticeKind.ALERT: ("alert", "alerts"),
    NoticeKind.CLEARED: ("alert cleared", "alerts cleared"),
    NoticeKind.BUDGET: ("budget used up", "budgets used up"),
}


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice to be routed, with everything known about its subject."""

    id: str
    project_id: str  # NIL: the installation
    kind: NoticeKind
    severity: Severity
    subject_kind: str
    subject_id: str | None
    subject_name: str | None
    title: str
    text: str | None
    path: str | None
    key: str
    cause: str | None
    tags: tuple[str, ...]
    at: datetime
    data: Mapping[str, Any] = field(default_factory=dict)
    channels: tuple[str, ...] = ()  # that its job names in `notify`

    @property
    def opens(self) -> bool:
        return self.kind in OPENING


@dataclass(frozen=True, slots=True)
class Line:
    """What a message says about one incident. `count`: how often, since the message was started."""

    kind: str
    severity: str
    title: str
    text: str | None
    path: str | None
    key: str
    at: str
    subject: Mapping[str, Any]
    count: int = 1

    @property
    def opens(self) -> bool:
        return self.kind in OPENING


@dataclass(frozen=True, slots=True)
class Message:
    """`counts` are the notices by kind; `lines` the newest state of each incident, up to a bound."""

    lines: tuple[Line, ...]
    counts: Mapping[str, int]
    severity: Severity
    project: str | None = None  # its slug, for people

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def single(self) -> bool:
        return self.total == 1 and len(self.lines) == 1

    @property
    def is_trial(self) -> bool:
        return self.single and self.lines[0].key.startswith(_TRIAL)

    @property
    def more(self) -> int:
        """Notices without a line."""
        return max(self.total - sum(line.count for line in self.lines), 0)

    @property
    def title(self) -> str:
        if self.single or (len(self.lines) == 1 and not self.more):
            line = self.lines[0]
            return line.title if line.count == 1 else f"{line.title} ({line.count} times)"
        parts = [f"{count:,} {_WORDS[NoticeKind(kind)][count != 1]}" for kind, count in self.counts.items() if count]
        return ", ".join(parts)

    def to_json(self) -> dict[str, Any]:
        return {
            "counts": dict(self.counts),
            "severity": self.severity.value,
            "lines": [{name: getattr(line, name) for name in Line.__slots__} for line in self.lines],
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Message:
        """Raises KeyError, TypeError or ValueError if it is damaged."""
        lines = tuple(_read_line(line) for line in found["lines"])
        counts = {NoticeKind(kind).value: int(count) for kind, count in found["counts"].items()}
        return cls(lines, counts, Severity(found["severity"]))

    def with_notices(self, notices: list[Notice]) -> Message:
        """Extended by these notices: one line per incident, with its newest notice."""
        lines = {line.key: line for line in self.lines}
        counts = Counter(self.counts)
        severity = self.severity
        for notice in notices:
            counts[notice.kind.value] += 1
            severity = max(severity, notice.severity, key=_ORDER.index)
            known = lines.get(notice.key)
            if known is not None:
                lines[notice.key] = replace(line_of(notice), count=known.count + 1)
            elif len(lines) < LINES:
                lines[notice.key] = line_of(notice)
        return replace(self, lines=tuple(lines.values()), counts=dict(counts), severity=severity)


EMPTY = Message((), {}, Severity.INFO)
_MAY_LACK = frozenset({"text", "path"})


def _read_line(found: Mapping[str, Any]) -> Line:
    """A line of the wrong types would fail only when another notice joins it, along with those of all channels."""
    values = {name: found[name] for name in Line.__slots__}
    for name, value in values.items():
        kind = {"count": int, "subject": dict}.get(name, str)
        if not isinstance(value, kind) and not (value is None and name in _MAY_LACK):
            raise TypeError(name)
    return Line(**values)


def line_of(notice: Notice) -> Line:
    return Line(
        kind=notice.kind.value,
        severity=notice.severity.value,
        title=notice.title or _title(notice),
        text=notice.text,
        path=notice.path,
        key=notice.key,
        at=notice.at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        subject={"kind": notice.subject_kind, "id": notice.subject_id, "name": notice.subject_name},
    )


def _title(notice: Notice) -> str:
    name = notice.subject_name or "a deleted job"
    if notice.kind is NoticeKind.RECOVERY:
        return f"{name} succeeded again"
    if notice.data.get("timed_out"):
        return f"{name} timed out"
    return f"{name} failed"


def trial(channel: str, at: datetime) -> Message:
    """The message of the test button."""
    line = Line(
        kind=NoticeKind.ALERT.value,
        severity=Severity.INFO.value,
        title=f"Test of the channel {channel}",
        text="If you can read this, notifications arrive here.",
        path="/settings/channels",
        key=f"{_TRIAL}{channel}",
        at=at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        subject={"kind": "channel", "id": None, "name": channel},
    )
    return Message((line,), {NoticeKind.ALERT.value: 1}, Severity.INFO)
