"""`webhook`: the message as signed JSON."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import orjson

from horae.domain.notify.delivery import Envelope, Sent, as_json
from horae.domain.webhook_signature import key_bytes, signatures
from horae.notifiers.posting import Poster


async def send(poster: Poster, envelope: Envelope, now: datetime) -> Sent:
    """The id is that of the delivery, so a receiver can detect duplicates."""
    body = orjson.dumps({"type": "horae.notice", **as_json(envelope)})
    return await post_signed(poster, envelope.secrets, envelope.id, body, now)


async def post_signed(
    poster: Poster, secrets: Mapping[str, str], call_id: str, body: bytes, now: datetime, kind: str = "application/json"
) -> Sent:
    """By the Standard Webhooks specification. `call_id` is the same when the same body is sent again."""
    try:
        key = key_bytes(secrets["key"])
    except ValueError as error:
        return Sent(f"the signing key {error}", permanent=True)
    timestamp = str(int(now.timestamp()))
    headers = {
        "content-type": kind,
        "webhook-id": call_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signatures([key], call_id, timestamp, body),
    }
    return await poster.post_bytes(secrets["url"], body, headers)
