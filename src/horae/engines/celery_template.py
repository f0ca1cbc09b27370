"""Messages from a template. Those of one queue and priority differ only in the id of their run: the client library
encodes one of them, with a placeholder, and the others are copies of its bytes. Encoding each takes fifty times as
long."""

from __future__ import annotations

from base64 import b64encode
from itertools import count
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

from horae.engines.celery_message import CONTENT_TYPE, ENCODING, envelope

_PLACE = str(uuid4())  # stands for a run id, which is as long; nothing else contains it
_TAG = uuid4().hex  # stands for a delivery tag


class AmqpTemplate:
    """A message as the frames that py-amqp writes for it. They contain lengths, so the id of a run must be one."""

    def __init__(self, channel: Any, queue: str, priority: int, origin: str) -> None:
        from amqp import spec
        from amqp.method_framing import frame_writer
        from amqp.serialization import dumps

        headers, properties, body = envelope(_PLACE, origin)
        message = channel.prepare_message(
            body,
            priority=priority,
            content_type=CONTENT_TYPE,
            content_encoding=ENCODING,
            headers=headers,
            properties={**properties, "delivery_mode": 2},
        )
        written: list[bytes] = []
        transport = SimpleNamespace(write=lambda data: written.append(bytes(data)))
        mandatory, immediate = True, False
        arguments = dumps("Bssbb", (0, "", queue, mandatory, immediate))
        frame_writer(channel.connection, transport)(1, channel.channel_id, spec.Basic.Publish, arguments, message)
        self._parts = b"".join(written).split(_PLACE.encode())

    def of(self, run_id: str) -> bytes:
        return run_id.encode().join(self._parts)


class RedisTemplate:
    """A message as kombu's JSON text. Its body is in Base64, in which an id stands for itself: it begins at the fourth
    byte, and its length is a multiple of three."""

    def __init__(self, channel: Any, queue: str, priority: int, origin: str) -> None:
        from kombu.utils.json import dumps

        headers, properties, body = envelope(_PLACE, origin)
        message = channel.prepare_message(
            body.decode(),
            priority=priority,
            content_type=CONTENT_TYPE,
            content_encoding=ENCODING,
            headers=headers,
            properties={**properties, "delivery_mode": 2},
        )
        channel._inplace_augment_message(message, "", queue)
        message["properties"]["delivery_tag"] = _TAG
        self._text = dumps(message)
        self._tags, self._prefix = count(), uuid4().hex

    def of(self, run_id: str) -> str:
        return (
            self._text.replace(_PLACE, run_id)
            .replace(_ENCODED_PLACE, _in_base64(run_id))
            .replace(_TAG, f"{self._prefix}-{next(self._tags)}")
        )


def _in_base64(run_id: str) -> str:
    return b64encode(run_id.encode()).decode()


_ENCODED_PLACE = _in_base64(_PLACE)
