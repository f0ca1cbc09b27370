"""Events by webhook, against a real server: signed, one by one or as a batch, and never to a forbidden address."""

import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from horae.clock import SystemClock
from horae.domain.notify.delivery import Sent
from horae.domain.sinks.sending import WireEvent
from horae.domain.sinks.sink import OpenSink, Shipped, WebhookSink
from horae.notifiers.event_calls import EventCalls
from tests.integration.notifiers.receiving import Receiver
from tests.integration.up.running import free_port

KEY = b"a key of the webhook"
EVENTS = [WireEvent(f"e{n}", "horae.run.ended", "shop.run.ended", b'{"id": "e%d"}' % n) for n in range(5)]


@pytest.fixture
async def calls() -> AsyncIterator[EventCalls]:
    made = EventCalls(SystemClock(), version="1", allow_private=True)
    yield made
    await made.close()


def sink(url: str, **fields: Any) -> OpenSink:
    secrets = {"url": url, "key": f"whsec_{base64.b64encode(KEY).decode()}"}
    return OpenSink("s", WebhookSink(kind="webhook", **fields), secrets)


def is_signed(headers: dict[str, str], body: bytes) -> bool:
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    return headers["webhook-signature"] == f"v1,{expected}"


async def test_one_by_one(receiver: Receiver, calls: EventCalls) -> None:
    assert await calls.send(sink(f"{receiver.url}/hook"), EVENTS) == Shipped(5, Sent())
    assert [headers["webhook-id"] for _, headers, _ in receiver.got] == [event.id for event in EVENTS]
    assert {headers["content-type"] for _, headers, _ in receiver.got} == {"application/cloudevents+json"}
    assert all(is_signed(headers, body) for _, headers, body in receiver.got)
    assert json.loads(receiver.got[0][2]) == {"id": "e0"}


async def test_a_batch_is_an_array_and_its_id_is_that_of_its_events(receiver: Receiver, calls: EventCalls) -> None:
    to = sink(f"{receiver.url}/hook", batch=3)
    for events in (EVENTS, EVENTS[:3], EVENTS[:2]):
        assert await calls.send(to, events) == Shipped(len(events), Sent())
    bodies = [[one["id"] for one in json.loads(body)] for _, _, body in receiver.got]
    assert bodies == [["e0", "e1", "e2"], ["e3", "e4"], ["e0", "e1", "e2"], ["e0", "e1"]]
    ids = [headers["webhook-id"] for _, headers, _ in receiver.got]
    assert (ids[0] == ids[2], len(set(ids))) == (True, 3)
    assert {headers["content-type"] for _, headers, _ in receiver.got} == {"application/cloudevents-batch+json"}
    assert all(is_signed(headers, body) for _, headers, body in receiver.got)


async def test_what_follows_a_failure_is_not_sent(receiver: Receiver, calls: EventCalls) -> None:
    receiver.answers = [web.Response(), web.Response(status=429, headers={"Retry-After": "7"}, text="slow down")]
    shipped = await calls.send(sink(f"{receiver.url}/hook"), EVENTS)
    assert (shipped.count, shipped.sent.status, shipped.sent.retry_after) == (1, 429, 7.0)
    assert len(receiver.got) == 2


async def test_errors_contain_no_secret(receiver: Receiver, calls: EventCalls) -> None:
    receiver.answers = [web.Response(status=500, text="no such path: /averysecrettoken")]
    shipped = await calls.send(sink(f"{receiver.url}/averysecrettoken"), EVENTS)
    assert "averysecrettoken" not in str(shipped.sent)
    unreachable = await calls.send(sink(f"http://127.0.0.1:{free_port()}/averysecrettoken"), EVENTS)
    assert unreachable.sent.error is not None
    assert "averysecrettoken" not in unreachable.sent.error


async def test_private_addresses_and_redirects_are_refused(receiver: Receiver, calls: EventCalls) -> None:
    strict = EventCalls(SystemClock(), version="1", allow_private=False)
    for url in (f"{receiver.url}/", f"http://localhost:{receiver.url.rpartition(':')[2]}/", "http://[::1]/"):
        shipped = await strict.send(sink(url), EVENTS)
        assert (shipped.count, "refused" in str(shipped.sent.error)) == (0, True), url
    await strict.close()
    metadata = await calls.send(sink("http://169.254.169.254/latest"), EVENTS)
    assert "refused" in str(metadata.sent.error)
    receiver.answers = [web.Response(status=302, headers={"Location": "http://169.254.169.254/"})]
    redirected = await calls.send(sink(receiver.url), EVENTS)
    assert "redirects are not followed" in str(redirected.sent.error)
    assert len(receiver.got) == 1
