"""`webhook`: the message as signed JSON."""

from __future__ import annotations

from datetime import datetime

import orjson

from horae.domain.notify.delivery import Envelope, Sent, as_json
from horae.domain.webhook_signature import key_bytes, signatures
from horae.notifiers.posting import Poster


async def send(poster: Poster, envelope: Envelope, now: datetime) -> Sent:
    """The id is that of the delivery, so a receiver can detect duplicates."""
    body = orjson.dumps({"type": "horae.notice", **as_json(envelope)})
    try:
        key = key_bytes(envelope.secrets["key"])
    except ValueError as error:
        return Sent(f"the signing key {error}", permanent=True)
    timestamp = str(int(now.timestamp()))
    headers = {
        "webhook-id": envelope.id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signatures([key], envelope.id, timestamp, body),
    }
    return await poster.post_bytes(envelope.secrets["url"], body, headers)
