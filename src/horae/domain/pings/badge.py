"""Badges: small images that show how a job or a ping is doing, for public pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from html import escape
from typing import Literal

from horae.domain.jobs.job_record import JobRecord
from horae.domain.pings.ping import PingState
from horae.domain.pings.token import UrlToken
from horae.domain.secrets.secret import Sealed

SubjectKind = Literal["job", "ping"]
MOST = 10  # per job or ping
LONGEST_LABEL = 60  # characters shown
_LATE = timedelta(minutes=1)


class BadgeState(StrEnum):
    PASSING = "passing"
    LATE = "late"
    FAILING = "failing"
    PAUSED = "paused"
    UNKNOWN = "unknown"


_COLOURS = {
    BadgeState.PASSING: "#3fb950",
    BadgeState.LATE: "#d29922",
    BadgeState.FAILING: "#e5534b",
    BadgeState.PAUSED: "#768390",
    BadgeState.UNKNOWN: "#768390",
}


@dataclass(frozen=True, slots=True)
class NewBadge:
    id: str
    project_id: str
    subject_kind: SubjectKind
    subject_id: str
    label: str | None
    token: UrlToken = field(repr=False)
    created_by: str


@dataclass(frozen=True, slots=True)
class BadgeRecord:
    id: str
    project_id: str
    subject_kind: str
    subject_id: str
    label: str | None
    sealed: Sealed = field(repr=False)
    created_by: str
    created_at: datetime


def ping_badge(state: PingState) -> BadgeState:
    match state:
        case PingState.UP | PingState.STARTED:
            return BadgeState.PASSING
        case PingState.LATE:
            return BadgeState.LATE
        case PingState.DOWN:
            return BadgeState.FAILING
        case PingState.PAUSED:
            return BadgeState.PAUSED
    return BadgeState.UNKNOWN


def job_badge(job: JobRecord, now: datetime) -> BadgeState:
    if not job.enabled or (job.paused and (job.paused_until is None or job.paused_until > now)):
        return BadgeState.PAUSED
    if job.last_status == "failed":
        return BadgeState.FAILING
    if job.next_run_at is not None and job.next_run_at < now - _LATE:
        return BadgeState.LATE
    return BadgeState.PASSING if job.last_status == "succeeded" else BadgeState.UNKNOWN


def draw(label: str, state: BadgeState) -> str:
    """An SVG with two fields, as wide as their texts. Only shapes and escaped text: nothing in it is loaded or
    executed, wherever it is shown."""
    label = label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…"
    left, right = _width(label) + 10, _width(state.value) + 10
    whole, text = left + right, escape(label, quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="20" role="img" '
        f'aria-label="{text}: {state.value}"><title>{text}: {state.value}</title>'
        f'<clipPath id="r"><rect width="{whole}" height="20" rx="3"/></clipPath><g clip-path="url(#r)">'
        f'<rect width="{left}" height="20" fill="#444c56"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{_COLOURS[state]}"/></g>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{left / 2:g}" y="14" textLength="{left - 10}">{text}</text>'
        f'<text x="{left + right / 2:g}" y="14" textLength="{right - 10}">{state.value}</text></g></svg>'
    )


def _width(text: str) -> int:
    """Approximately as wide as Verdana renders it at 11 px; the text is stretched to fit."""
    return max(6, sum(11 if ord(one) > 0x2E7F else 8 if one.isupper() or one in "mwMW@%" else 6 for one in text))
