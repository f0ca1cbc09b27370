"""Webhook, Slack, PagerDuty and Opsgenie against a real server: what they send, and what its answers mean."""

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from horae.domain.notify.delivery import Envelope, Sent
from horae.domain.notify.message import trial
from horae.domain.notify.notice import NoticeKind, Severity
from horae.notifiers import Notifiers
from horae.notifiers.defused import defused
from tests.integration.notifiers.envelopes import AT, ID, envelope, notice, notifiers
from tests.integration.notifiers.receiving import Receiver
from tests.integration.up.running import free_port

KEY = b"a key of the webhook"


@pytest.fixture
async def sender() -> AsyncIterator[Notifiers]:
    made = notifiers()
    yield made
    await made.close()


def webhook(url: str, **fields: Any) -> dict[str, Any]:
    return {"kind": "webhook", "url": url, "key": f"whsec_{base64.b64encode(KEY).decode()}", **fields}


async def test_a_webhook_is_signed(receiver: Receiver, sender: Notifiers) -> None:
    assert await sender.send(envelope(webhook(f"{receiver.url}/hook?token=1"))) == Sent()
    ((path, headers, body),) = receiver.got
    assert path == "/hook?token=1"
    assert headers["webhook-id"] == ID
    signed = f"{ID}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    found = json.loads(body)
    assert (found["type"], found["project"], found["title"]) == (
        "horae.notice",
        "finance",
        "nightly <report> & co failed",
    )
    assert found["notices"][0]["url"] == f"https://horae.example.org/runs/{ID}"


async def test_slack_gets_no_markup_that_people_wrote(receiver: Receiver, sender: Notifiers) -> None:
    mention = notice(title="<!channel> failed", key="job:2")
    assert await sender.send(envelope({"kind": "slack", "url": f"{receiver.url}/s"}, notice(), mention)) == Sent()
    found = json.loads(receiver.got[0][2])
    assert found["text"].startswith("*2 failures* · finance")
    assert [one["title"] for one in found["attachments"]] == [
        "nightly &lt;report&gt; &amp; co failed",
        "&lt;\u200b!channel&gt; failed",
    ]


def test_text_of_jobs_cannot_mention_users_or_forge_links():
    hostile = "@everyone @Here <@123> <!channel> [Open in Horae](https://evil.example) ![](https://evil.example/p.png)"
    found = defused(hostile)
    assert found.replace("\u200b", "") == hostile
    for meant in ("@everyone", "@Here", "<@", "<!", "]("):
        assert meant not in found
    assert defused("ops@example.org [1] (2) <b>") == "ops@example.org [1] (2) <b>"


async def test_an_answer_that_no_database_can_hold_is_made_storable(receiver: Receiver, sender: Notifiers) -> None:
    receiver.answers = [web.Response(status=502, body=b"bad\x00gate\xffway")]
    sent = await sender.send(envelope({"kind": "slack", "url": f"{receiver.url}/s"}))
    assert sent.error == "HTTP 502: bad\ufffdgate\ufffdway"


async def test_pagerduty_triggers_and_resolves_one_incident(receiver: Receiver, sender: Notifiers) -> None:
    target = {"kind": "pagerduty", "routing_key": "R" * 32, "url": f"{receiver.url}/v2/enqueue"}
    assert await sender.send(envelope(target, notice(severity=Severity.CRITICAL))) == Sent()
    assert await sender.send(envelope(target, notice(NoticeKind.RECOVERY))) == Sent()
    opened, closed = (json.loads(body) for _, _, body in receiver.got)
    assert (opened["event_action"], closed["event_action"]) == ("trigger", "resolve")
    assert opened["dedup_key"] == closed["dedup_key"] == "horae:job:1"
    assert (opened["payload"]["severity"], opened["routing_key"]) == ("critical", "R" * 32)


async def test_a_digest_pages_and_resolves_incident_by_incident(receiver: Receiver, sender: Notifiers) -> None:
    lines = notice(), notice(NoticeKind.CLEARED, "job:2"), notice(key="job:3", severity=Severity.CRITICAL)
    target = {"kind": "pagerduty", "routing_key": "R" * 32, "url": f"{receiver.url}/v2/enqueue"}
    assert await sender.send(envelope(target, *lines)) == Sent()
    events = {event["dedup_key"]: event for event in (json.loads(body) for _, _, body in receiver.got)}
    assert {key: event["event_action"] for key, event in events.items()} == {
        "horae:job:1": "trigger", "horae:job:2": "resolve", "horae:job:3": "trigger",
    }  # fmt: skip
    assert events["horae:job:3"]["payload"]["severity"] == "critical"
    receiver.got.clear()
    receiver.answers = [web.Response(status=202), web.Response(status=503)]
    sent = await sender.send(envelope({"kind": "opsgenie", "api_key": "G", "url": receiver.url}, *lines))
    assert (sent.permanent, sent.error is None, len(receiver.got)) == (False, False, 3)


async def test_a_test_leaves_no_incident_open(receiver: Receiver, sender: Notifiers) -> None:
    for target in (
        {"kind": "pagerduty", "routing_key": "R" * 32, "url": f"{receiver.url}/v2/enqueue"},
        {"kind": "opsgenie", "api_key": "G", "url": receiver.url},
    ):
        made = envelope(target)
        tried = Envelope(ID, "on-call", made.spec, made.secrets, trial("on-call", AT), AT)
        assert await sender.send(tried) == Sent()
    events = [json.loads(body).get("event_action") for _, _, body in receiver.got[:2]]
    assert events == ["trigger", "resolve"]
    assert receiver.got[3][0].endswith("/close?identifierType=alias")


async def test_opsgenie_creates_and_closes_one_alert(receiver: Receiver, sender: Notifiers) -> None:
    target = {"kind": "opsgenie", "api_key": "genie", "url": receiver.url}
    assert await sender.send(envelope(target)) == Sent()
    receiver.answers = [web.Response(status=404, text="no such alert")]
    assert await sender.send(envelope(target, notice(NoticeKind.RECOVERY))) == Sent()
    (path, headers, body), (closing, _, _) = receiver.got
    assert (path, headers["authorization"]) == ("/v2/alerts", "GenieKey genie")
    assert json.loads(body)["priority"] == "P3"
    assert closing == "/v2/alerts/horae:job:1/close?identifierType=alias"


@pytest.mark.parametrize(
    ("status", "headers", "permanent", "after"),
    [
        (500, {}, False, None),
        (503, {"Retry-After": "120"}, False, 120.0),
        (429, {"Retry-After": "7"}, False, 7.0),
        (429, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, False, None),
        (408, {}, False, None),
        (400, {"Retry-After": "7"}, True, None),
        (404, {}, True, None),
        (302, {"Location": "http://169.254.169.254/"}, True, None),
    ],
)
async def test_the_response_status_decides_whether_to_retry(
    receiver: Receiver, sender: Notifiers, status: int, headers: dict[str, str], permanent: bool, after: float | None
) -> None:
    receiver.answers = [web.Response(status=status, headers=headers, text="because")]
    sent = await sender.send(envelope(webhook(receiver.url)))
    assert sent.error is not None
    assert sent.error.startswith(f"HTTP {status}")
    assert (sent.permanent, sent.retry_after) == (permanent, after)
    assert len(receiver.got) == 1
    assert await sender.send(envelope(webhook(receiver.url))) == Sent()


async def test_a_slow_receiver_is_given_up_in_time(receiver: Receiver) -> None:
    sender, receiver.hang = notifiers(timeout=0.2), asyncio.Event()
    sent = await sender.send(envelope(webhook(receiver.url)))
    assert sent == Sent("no answer within 0.2 s")
    receiver.hang.set()
    await sender.close()


async def test_a_refused_connection_is_retryable(sender: Notifiers) -> None:
    sent = await sender.send(envelope(webhook(f"http://127.0.0.1:{free_port()}/")))
    assert sent.error is not None
    assert "cannot connect" in sent.error
    assert not sent.permanent


async def test_what_is_secret_is_not_in_errors(receiver: Receiver, sender: Notifiers) -> None:
    receiver.answers = [web.Response(status=400, text="no T0123456789/verysecrettoken here, whsec_")]
    sent = await sender.send(envelope({"kind": "slack", "url": f"{receiver.url}/services/T0123456789/verysecrettoken"}))
    assert sent.error is not None
    assert "verysecrettoken" not in sent.error
    assert "T0123456789" not in sent.error


NEVER = ("169.254.169.254", "2130706433")  # regardless of the settings


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost", "10.0.0.1", *NEVER])
async def test_addresses_inside_are_refused(receiver: Receiver, host: str) -> None:
    sender = notifiers(allow_private=False)
    port = receiver.url.rpartition(":")[2]
    made = envelope(webhook(receiver.url))
    inside = Envelope(ID, "x", made.spec, {**made.secrets, "url": f"http://{host}:{port}/"}, made.message, AT)
    sent = await sender.send(inside)
    assert sent.error is not None
    assert sent.permanent
    assert ("HORAE_HTTP_ALLOW_PRIVATE" in sent.error) is (host not in NEVER)
    assert receiver.got == []
    await sender.close()


async def test_a_name_that_leads_inside_is_refused(receiver: Receiver) -> None:
    async def lookup(host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        return [(2, 1, 6, "", ("93.184.216.34", port)), (2, 1, 6, "", ("10.1.2.3", port))]

    sender = notifiers(allow_private=False, lookup=lookup)
    sent = await sender.send(envelope(webhook("https://rebind.example.org/")))
    assert (sent.permanent, "not allowed" in (sent.error or "")) == (True, True)
    assert "HORAE_HTTP_ALLOW_PRIVATE" in (sent.error or "")
    await sender.close()
