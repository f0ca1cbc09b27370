"""`opsgenie`: alerts that are created and closed by their alias."""

from __future__ import annotations

from functools import partial
from urllib.parse import quote

from horae.domain.notify.delivery import Envelope, Sent, url_of
from horae.domain.notify.targets import OpsgenieTarget
from horae.notifiers.pagerduty import details, each_incident, incident
from horae.notifiers.posting import Poster

_PRIORITIES = {"critical": "P1", "warning": "P3", "info": "P5"}


async def send(poster: Poster, envelope: Envelope) -> Sent:
    return await each_incident(envelope, partial(_send, poster))


async def _send(poster: Poster, envelope: Envelope) -> Sent:
    target, message = envelope.spec.target, envelope.message
    assert isinstance(target, OpsgenieTarget)
    base, line = target.url.rstrip("/"), message.lines[0]
    headers = {"authorization": f"GenieKey {envelope.secrets['api_key']}"}
    alias = incident(envelope)
    close = f"{base}/v2/alerts/{quote(alias, safe='')}/close?identifierType=alias"
    if not line.opens:
        sent = await poster.post(close, {"source": "Horae", "note": line.title}, headers)
        # Someone may have deleted it there.
        return Sent() if sent.error is not None and sent.error.startswith("HTTP 404") else sent
    url = url_of(envelope.link, line.path)
    body = {
        "message": message.title[:130],
        "alias": alias,
        "description": "\n".join(filter(None, [line.text, url]))[:15_000],
        "priority": _PRIORITIES[message.severity.value],
        "source": "Horae",
        "entity": str(line.subject.get("name") or message.project or "horae")[:512],
        "details": details(envelope),
    }
    sent = await poster.post(f"{base}/v2/alerts", body, headers)
    if sent.error is None and message.is_trial:
        await poster.post(close, {"source": "Horae"}, headers)
    return sent
