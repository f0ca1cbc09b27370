"""Messages to try the adapters with."""

from datetime import UTC, datetime
from typing import Any

from horae.clock import SystemClock
from horae.domain.notify.channel import ChannelSpec
from horae.domain.notify.delivery import Envelope
from horae.domain.notify.message import EMPTY, Message, Notice
from horae.domain.notify.notice import NoticeKind, Severity
from horae.notifiers import Notifiers

AT = datetime(2026, 11, 15, 1, 0, 4, tzinfo=UTC)
ID = "01a1de06-0a11-7c2d-9e3f-4a5b6c7d8e90"


def notice(kind: NoticeKind = NoticeKind.FAILURE, key: str = "job:1", **fields: Any) -> Notice:
    given: dict[str, Any] = {
        "id": ID,
        "project_id": ID,
        "kind": kind,
        "severity": Severity.WARNING,
        "subject_kind": "job",
        "subject_id": ID,
        "subject_name": "nightly <report> & co",
        "title": "",
        "text": "HTTP 503: <b>upstream</b> is down",
        "path": f"/runs/{ID}",
        "key": key,
        "cause": None,
        "tags": (),
        "at": AT,
    }
    return Notice(**{**given, **fields})


def message(*notices: Notice) -> Message:
    made = EMPTY.with_notices(list(notices) or [notice()])
    return Message(made.lines, made.counts, made.severity, "finance")


def envelope(target: dict[str, Any], *notices: Notice) -> Envelope:
    spec = ChannelSpec.model_validate({"target": target})
    secrets = spec.target.secrets()
    public = ChannelSpec.model_validate({"target": spec.target.public()})
    return Envelope(ID, "on-call", public, secrets, message(*notices), AT, "https://horae.example.org")


def notifiers(**fields: Any) -> Notifiers:
    return Notifiers(SystemClock(), version="0", **{"allow_private": True, "timeout": 30.0, **fields})
