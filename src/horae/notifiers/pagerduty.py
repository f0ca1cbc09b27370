"""`pagerduty`: events that trigger and resolve incidents (Events API v2)."""

from __future__ import annotations

from typing import Any

from horae.domain.notify.delivery import Envelope, Sent, url_of
from horae.domain.notify.targets import PagerDutyTarget
from horae.notifiers.posting import Poster


async def send(poster: Poster, envelope: Envelope) -> Sent:
    target = envelope.spec.target
    assert isinstance(target, PagerDutyTarget)
    body = event(envelope)
    sent = await poster.post(target.url, body)
    if sent.error is None and is_test(envelope):
        return await poster.post(target.url, {**_head(envelope), "event_action": "resolve"})
    return sent


def is_test(envelope: Envelope) -> bool:
    """A test must not leave an incident open."""
    return envelope.message.lines[0].key.startswith("test:")


def _head(envelope: Envelope) -> dict[str, Any]:
    return {"routing_key": envelope.secrets["routing_key"], "dedup_key": incident(envelope)}


def event(envelope: Envelope) -> dict[str, Any]:
    message = envelope.message
    line = message.lines[0]
    if len(message.lines) == 1 and not line.opens:
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
    """The same for what opens and what closes an incident; a digest has its own."""
    lines = envelope.message.lines
    return f"horae:{lines[0].key}"[:250] if len(lines) == 1 else f"horae:digest:{envelope.id}"


def details(envelope: Envelope) -> dict[str, str]:
    message = envelope.message
    lines = {f"{place}. {line.title}": line.text or "" for place, line in enumerate(message.lines[:20], 1)}
    return {**lines, **({"more": str(message.more)} if message.more else {})}
