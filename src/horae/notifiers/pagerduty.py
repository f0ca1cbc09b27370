"""`pagerduty`: events that trigger and resolve incidents (Events API v2)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any

from horae.domain.notify.delivery import Envelope, Sent, url_of
from horae.domain.notify.message import Message
from horae.domain.notify.notice import Severity
from horae.domain.notify.targets import PagerDutyTarget
from horae.notifiers.posting import Poster

_AT_ONCE = 10


async def send(poster: Poster, envelope: Envelope) -> Sent:
    return await each_incident(envelope, partial(_send, poster))


async def each_incident(envelope: Envelope, send: Callable[[Envelope], Awaitable[Sent]]) -> Sent:
    """A digest makes one incident per line, so that each can be resolved; if one fails, all are sent again under the
    same keys."""
    parts = _incidents(envelope)
    for start in range(0, len(parts), _AT_ONCE):
        for sent in await asyncio.gather(*map(send, parts[start : start + _AT_ONCE])):
            if sent.error is not None:
                return sent
    return Sent()


def _incidents(envelope: Envelope) -> list[Envelope]:
    message = envelope.message
    lines = list(message.lines)
    if message.more:
        lines[-1] = replace(lines[-1], text=f"{lines[-1].text or ''}\n\nand {message.more:,} more".strip())
    parts = [Message((line,), {line.kind: line.count}, Severity(line.severity), message.project) for line in lines]
    return [replace(envelope, message=part) for part in parts]


async def _send(poster: Poster, envelope: Envelope) -> Sent:
    target = envelope.spec.target
    assert isinstance(target, PagerDutyTarget)
    body = event(envelope)
    sent = await poster.post(target.url, body)
    if sent.error is None and envelope.message.is_trial:  # a test must not leave an incident open
        return await poster.post(target.url, {**_head(envelope), "event_action": "resolve"})
    return sent


def _head(envelope: Envelope) -> dict[str, Any]:
    return {"routing_key": envelope.secrets["routing_key"], "dedup_key": incident(envelope)}


def event(envelope: Envelope) -> dict[str, Any]:
    message = envelope.message
    line = message.lines[0]
    if not line.opens:
        return {**_head(envelope), "event_action": "resolve"}
    url = url_of(envelope.link, line.path)
    return {
        **_head(envelope),
        "event_action": "trigger",
        "client": "Horae",
        **({"client_url": envelope.link} if envelope.link else {}),
        **({"links": [{"href": url, "text": "Open in Horae"}]} if url else {}),
        "payload": {
            "summary": message.title[:1_000],
            "source": str(line.subject.get("name") or message.project or "horae"),
            "severity": message.severity.value,
            "timestamp": line.at,
            "group": message.project or "installation",
            "class": line.kind,
            "custom_details": details(envelope),
        },
    }


def incident(envelope: Envelope) -> str:
    """What opens and what closes an incident has the same."""
    return f"horae:{envelope.message.lines[0].key}"[:250]


def details(envelope: Envelope) -> dict[str, str]:
    line = envelope.message.lines[0]
    return {line.title: line.text or ""}
