"""Messages of the broker engine: what is sent can be read, and nothing else."""

from typing import Any

import orjson
import pytest

from horae.engines.celery_message import CONTENT_TYPE, LARGEST, TASK, MalformedMessage, envelope, run_id_of

RUN = "018f5a3e-7b6a-7c3d-8e9f-0123456789ab"
BODY = envelope(RUN, "here").body


def test_what_is_sent_is_read() -> None:
    sent = envelope(RUN, "here")
    assert run_id_of(sent.headers, CONTENT_TYPE, sent.body) == RUN
    assert sent.headers["id"] == sent.properties["correlation_id"] == RUN
    assert orjson.loads(sent.body)[0] == [RUN]


@pytest.mark.parametrize(
    ("headers", "content_type", "body"),
    [
        (None, CONTENT_TYPE, BODY),
        ({}, CONTENT_TYPE, BODY),
        ({"task": "shop.buy"}, CONTENT_TYPE, BODY),
        ({"task": TASK}, "application/x-python-serialize", b"cos\nsystem\n(S'true'\ntR."),
        ({"task": TASK}, None, BODY),
        ({"task": TASK}, CONTENT_TYPE, b""),
        ({"task": TASK}, CONTENT_TYPE, b"{}"),
        ({"task": TASK}, CONTENT_TYPE, b"[[], {}, {}]"),
        ({"task": TASK}, CONTENT_TYPE, b"[[7], {}, {}]"),
        ({"task": TASK}, CONTENT_TYPE, b"7"),
        ({"task": TASK}, CONTENT_TYPE, b'[["\' OR 1=1"], {}, {}]'),
        ({"task": TASK}, CONTENT_TYPE, b'["' + b"x" * LARGEST + b'"]'),
        ({"task": TASK}, CONTENT_TYPE, b"\xff\xfe"),
    ],
)
def test_anything_else_is_refused(headers: Any, content_type: Any, body: bytes) -> None:
    with pytest.raises(MalformedMessage):
        run_id_of(headers, content_type, body)
