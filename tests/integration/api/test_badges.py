"""Badges: images of how a job or a ping is doing, at URLs that can be revoked."""

from typing import Any
from xml.etree import ElementTree

import pytest

from horae.domain.pings.badge import MOST, BadgeState, draw

from .conftest import Api
from .test_pings import get, make, send
from .work import FAILED, work

SVG = "{http://www.w3.org/2000/svg}"


async def badge(api: Api, kind: str, subject: str, **fields: Any) -> dict[str, Any]:
    answer = await api.call("POST", "/badges", json={"kind": kind, "subject": subject, **fields})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def drawn(api: Api, made: dict[str, Any]) -> list[str]:
    """The texts of the image, as a browser would show them."""
    api.app.state.url_tokens.badges._seen.clear()
    answer = await api.call("GET", made["url"].removeprefix("http://horae"), role=None)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/svg+xml")
    root = ElementTree.fromstring(answer.text)
    return [text.text or "" for text in root.iter(f"{SVG}text")]


async def test_a_badge_of_a_ping(api: Api):
    ping = await make(api)
    made = await badge(api, "ping", "backup")
    assert made["markdown"] == f"![ping]({made['url']})"
    assert await drawn(api, made) == ["backup", "unknown"]
    await send(api, ping)
    assert await drawn(api, made) == ["backup", "passing"]
    await send(api, ping, "/fail")
    assert await drawn(api, made) == ["backup", "failing"]
    await api.call("POST", "/pings/backup/pause", json={})
    assert await drawn(api, made) == ["backup", "paused"]
    await api.call("DELETE", "/pings/backup")
    api.app.state.url_tokens.badges._seen.clear()
    assert (await api.call("GET", made["url"].removeprefix("http://horae"), role=None)).status_code == 404
    assert (await api.call("GET", "/badges")).json()["items"] == []


async def test_a_badge_of_a_job(api: Api):
    job = await api.make("nightly")
    made = await badge(api, "job", job["id"], label="reports")
    assert await drawn(api, made) == ["reports", "unknown"]
    await api.call("POST", "/jobs/nightly/run", json={})
    await work(api)
    assert await drawn(api, made) == ["reports", "passing"]
    await api.call("PATCH", "/jobs/nightly", json={"retry": {"max_attempts": 1}})
    await api.call("POST", "/jobs/nightly/run", json={})
    await work(api, outcome=FAILED)
    assert await drawn(api, made) == ["reports", "failing"]
    await api.call("POST", "/jobs/nightly/disable")
    assert await drawn(api, made) == ["reports", "paused"]
    await api.call("DELETE", "/jobs/nightly")
    api.app.state.url_tokens.badges._seen.clear()
    assert (await api.call("GET", made["url"].removeprefix("http://horae"), role=None)).status_code == 404
    assert (await api.call("GET", "/badges")).json()["items"] == []


async def test_a_badge_is_revoked(api: Api):
    await make(api)
    made, other = await badge(api, "ping", "backup"), await badge(api, "ping", "backup")
    assert made["url"] != other["url"]
    assert (await api.call("DELETE", f"/badges/{made['id']}")).status_code == 204
    assert (await api.call("DELETE", f"/badges/{made['id']}")).status_code == 404
    assert (await api.call("GET", made["url"].removeprefix("http://horae"), role=None)).status_code == 404
    assert await drawn(api, other) == ["backup", "unknown"]
    listed = await api.call("GET", "/badges", params={"kind": "ping", "subject": "backup"})
    assert [item["id"] for item in listed.json()["items"]] == [other["id"]]
    trail = (await api.call("GET", "/audit", params={"kind": "badge"})).json()["items"]
    assert [entry["action"] for entry in trail] == ["badge.delete", "badge.create", "badge.create"]


async def test_how_a_badge_is_sent(api: Api):
    await make(api)
    made = await badge(api, "ping", "backup")
    answer = await api.call("GET", made["url"].removeprefix("http://horae"), role=None)
    assert answer.headers["cache-control"] == "public, max-age=60"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "set-cookie" not in answer.headers
    head = await api.call("HEAD", made["url"].removeprefix("http://horae"), role=None)
    assert (head.status_code, head.content) == (200, b"")


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>",
        '"><svg onload=alert(1)>',
        "]]><!--&amp;'\"",
        "\u202egnp.exe",
        "x" * 200,
        "日本語のバックアップ",
        "&lt;b&gt;",
    ],
)
async def test_a_name_is_always_text(api: Api, name: str):
    await make(api, name)
    made = await badge(api, "ping", name)
    shown, state = await drawn(api, made)
    assert (shown, state) == (name if len(name) <= 60 else "x" * 59 + "…", "unknown")
    answer = await api.call("GET", made["url"].removeprefix("http://horae"), role=None)
    root = ElementTree.fromstring(answer.text)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        *("svg", "title", "clipPath", "rect", "g", "text")
    }
    assert not [key for element in root.iter() for key in element.keys() if key.startswith("on")]  # noqa: SIM118


async def test_bad_badges_are_refused(api: Api):
    await make(api)
    for body, status in (
        ({"kind": "ping", "subject": "nothing"}, 404),
        ({"kind": "job", "subject": "backup"}, 404),
        ({"kind": "queue", "subject": "default"}, 422),
        ({"kind": "ping", "subject": "backup", "label": "a\nb"}, 422),
        ({"kind": "ping", "subject": "backup", "label": "x" * 61}, 422),
        ({"kind": "ping"}, 422),
    ):
        assert (await api.call("POST", "/badges", json=body)).status_code == status, body
    for params in ({"kind": "ping"}, {"subject": "backup"}):
        assert (await api.call("GET", "/badges", params=params)).status_code == 422
    for _ in range(MOST):
        await badge(api, "ping", "backup")
    refused = await api.call("POST", "/badges", json={"kind": "ping", "subject": "backup"})
    assert refused.status_code == 409
    for token in ("x", "A" * 32, "../x", "A" * 32 + ".svg"):
        assert (await api.call("GET", f"/badge/{token}.svg", role=None)).status_code == 404
    assert (await get(api))["events"] == 0


def test_every_state_is_drawn():
    for state in BadgeState:
        assert f">{state.value}</text>" in draw("job", state)
