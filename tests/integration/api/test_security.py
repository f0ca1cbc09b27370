"""Protection of callers: security headers, other origins, slow bodies, and secrets that do not leak."""

import asyncio
import base64
import io
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
import structlog

from horae.api.app import build
from horae.api.context import ApiSettings
from horae.api.signing_in.welcome import first_token
from horae.watch import logging
from tests.logs import as_before

from .conftest import CLOCK, IDS, SECRET, Api
from .people import add_user

PAGE = "https://pages.example"
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
}
PASSWORD = "correct horses do not staple"
VALUE = "0pen-sesame-äöü"


def at(api: Api, **settings: Any) -> Api:
    return Api(build(api.store, ApiSettings(SECRET, **settings), IDS, CLOCK), api.store, api.tokens)


async def test_every_answer_is_closed_to_browsers(api: Api):
    opened = at(api, cors_origins=(PAGE,))
    asking = {"origin": PAGE, "access-control-request-method": "GET"}
    for answer in (
        await api.call("GET", "/jobs"),
        await api.call("GET", "/jobs", role=None),
        await api.call("GET", "/nothing"),
        await api.call("DELETE", "/jobs"),
        await api.call("POST", "/jobs", content=b"{"),
        await api.call("GET", "/health"),
        await api.call("GET", "/metrics"),
        await api.call("GET", "/openapi.json"),
        await api.call("GET", "/events?seconds=0"),
        await api.call("GET", "/audit?format=jsonl"),
        await opened.call("OPTIONS", "/jobs", role=None, headers=asking),
    ):
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS, answer.request.url
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "server" not in answer.headers


def allowed(answer: httpx.Response) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name.startswith("access-control-")}


async def test_pages_of_other_origins_are_refused_unless_named(api: Api):
    asking = {"access-control-request-method": "PATCH", "access-control-request-headers": "authorization,if-match"}
    for origin in (PAGE, "null", "http://127.0.0.1:8080"):
        assert not allowed(await api.call("GET", "/jobs", headers={"origin": origin}))
        assert not allowed(await api.call("OPTIONS", "/jobs", role=None, headers={"origin": origin, **asking}))

    opened = at(api, cors_origins=(PAGE,))
    asked = await opened.call("OPTIONS", "/jobs/x", role=None, headers={"origin": PAGE, **asking})
    assert asked.status_code == 200
    assert asked.headers["access-control-allow-origin"] == PAGE
    assert "PATCH" in asked.headers["access-control-allow-methods"]
    told = await opened.call("GET", "/jobs", headers={"origin": PAGE})
    assert (told.status_code, told.headers["access-control-allow-origin"]) == (200, PAGE)
    assert "origin" in told.headers["vary"].lower()
    assert "ETag" in told.headers["access-control-expose-headers"]
    for answer in (asked, told):
        assert "access-control-allow-credentials" not in answer.headers
    for other in (f"{PAGE}.evil.example", "http://pages.example", f"{PAGE}:8443", "null", "*"):
        assert "access-control-allow-origin" not in allowed(
            await opened.call("GET", "/jobs", headers={"origin": other})
        )
        asked = await opened.call("OPTIONS", "/jobs", role=None, headers={"origin": other, **asking})
        assert "access-control-allow-origin" not in allowed(asked)


async def test_pages_of_named_origins_can_read_of_faults_too(api: Api, monkeypatch: pytest.MonkeyPatch):
    opened = at(api, cors_origins=(PAGE,))

    async def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("hunter2")

    monkeypatch.setattr("horae.api.routes.jobs._page", broken)
    answer = await opened.call("GET", "/jobs", headers={"origin": PAGE})
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (500, PAGE)
    assert answer.json()["request_id"] == answer.headers["x-request-id"]
    assert "hunter2" not in answer.text


async def test_methods_that_a_path_does_not_take(api: Api):
    for method, path, allowed in (
        ("DELETE", "/jobs", "GET, HEAD, POST"),
        ("POST", "/jobs/hello", "DELETE, GET, HEAD, PATCH, PUT"),
        ("GET", "/jobs/hello/run", "POST"),
        ("OPTIONS", "/health", "GET, HEAD"),
    ):
        answer = await api.call(method, path)
        assert (answer.status_code, answer.headers["allow"]) == (405, allowed), path


async def test_head_is_get_without_its_body(api: Api):
    await api.make()
    for path in ("/jobs/hello", "/jobs", "/health", "/openapi.json", "/metrics", "/audit?format=jsonl", "/events"):
        head = await api.call("HEAD", path)
        assert (head.status_code, head.content) == (200, b""), path
    whole = await api.call("GET", "/jobs/hello")
    head = await api.call("HEAD", "/jobs/hello")
    for name in ("etag", "content-type", "content-length"):
        assert head.headers[name] == whole.headers[name]
    assert (await api.call("HEAD", "/jobs/hello", role=None)).status_code == 401
    assert (await api.call("HEAD", "/jobs/none")).status_code == 404
    assert (await api.call("HEAD", "/jobs/hello/run")).status_code == 405


async def test_a_body_that_trickles_is_given_up(api: Api, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("horae.api.body.PATIENCE", 0.05)

    async def trickle() -> AsyncIterator[bytes]:
        yield b'{"name": "'
        await asyncio.Event().wait()

    for path, headers in (("/jobs", {}), ("/jobs", {"idempotency-key": "slow"}), ("/auth/login", {})):
        answer = await api.call(
            "POST", path, content=trickle(), headers={"content-type": "application/json", **headers}
        )
        assert (answer.status_code, answer.json()["type"]) == (408, "urn:horae:problem:too-slow")


async def test_strangers_are_refused_before_their_body_is_read(api: Api):
    read = False

    async def body() -> AsyncIterator[bytes]:
        nonlocal read
        read = True
        yield b"x"

    for headers in ({}, {"idempotency-key": "mine"}):
        answer = await api.call("POST", "/jobs", role=None, content=body(), headers=headers)
        assert (answer.status_code, read) == (401, False)


async def test_headers_do_not_open_projects_or_pretend_addresses(api: Api):
    """What proxies add is believed of those that a setting names; `Horae-Project` chooses, and grants nothing."""
    assert (await api.call("POST", "/projects", json={"slug": "other"})).status_code == 201
    ada = await add_user(api.store, "ada", default="owner")
    for token, header in (
        (ada, "other"),
        (api.tokens["owner"], "other"),
        (api.tokens["admin"], "other"),
        (ada, "\x00"),
    ):
        bearer = {"authorization": f"Bearer {token}", "horae-project": header}
        assert (await api.call("GET", "/jobs", role=None, headers=bearer)).status_code == 403
    pretended = {
        "x-forwarded-for": "192.0.2.7",
        "forwarded": "for=192.0.2.7",
        "x-real-ip": "192.0.2.7",
        "x-forwarded-proto": "https",
        "x-forwarded-host": "evil.example",
        "host": "evil.example",
    }
    for server, name, address in (
        (api, "far", "127.0.0.1"),
        (at(api, trusted_proxies=("127.0.0.1/32",)), "near", "192.0.2.7"),
    ):
        body = {"name": name, "target": {"kind": "http", "url": "https://example.org/"}}
        made = await server.call("POST", "/jobs", json=body, headers=pretended)
        assert (made.status_code, "evil" in made.headers["location"]) == (201, False)
        (row,) = (await api.call("GET", "/audit", params={"subject": name})).json()["items"]
        assert row["address"] == address


# ---- secrets


@contextmanager
def logged() -> Iterator[io.StringIO]:
    """Everything that a server with the most verbose log writes."""
    stream = io.StringIO()
    with as_before():
        logging.configure(form="json", level="debug", stream=stream)
        structlog.configure(cache_logger_on_first_use=False)
        yield stream


class Session:
    """A caller's requests, and their responses."""

    def __init__(self, api: Api) -> None:
        self.api, self.heard = api, [""]
        self.headers: dict[str, str] = {}

    async def call(self, method: str, path: str, *, hands_out: bool = False, **kwargs: Any) -> httpx.Response:
        headers = {**self.headers, **kwargs.pop("headers", {})}
        answer = await self.api.call(method, path, role=None, headers=headers, **kwargs)
        if not hands_out:
            self.heard.append(f"{answer.headers} {answer.text}")
        return answer


async def use_everything(session: Session) -> dict[str, str]:
    """What people do, right and wrong, with things that are secret."""
    call = session.call
    token = await first_token(session.api.store, IDS)
    person = {"username": "ada", "password": PASSWORD}
    assert (await call("POST", "/auth/signup", json={**person, "token": token})).status_code == 201
    tokens = (await call("POST", "/auth/login", hands_out=True, json=person)).json()
    refreshed = (
        await call("POST", "/auth/refresh", hands_out=True, json={"refresh_token": tokens["refresh_token"]})
    ).json()
    session.headers["authorization"] = f"Bearer {refreshed['access_token']}"
    portal = {"horae-client": "portal"}
    cookie = (await call("POST", "/auth/login", hands_out=True, json=person, headers=portal)).cookies["horae_refresh"]
    key = (await call("POST", "/api-keys", hands_out=True, json={"name": "k", "role": "admin"})).json()["token"]
    again = {"idempotency-key": "once"}
    second = (await call("POST", "/api-keys", hands_out=True, json={"name": "k2"}, headers=again)).json()["token"]
    link = (await call("POST", "/projects/default/invitations", hands_out=True, json={"role": "viewer"})).json()[
        "token"
    ]
    assert (await call("PUT", "/secrets/TOKEN", json={"value": VALUE})).status_code in (200, 201)
    uses = {"kind": "http", "url": "https://example.org/", "headers": {"X-Key": "{{ secrets.TOKEN }}"}}
    assert (await call("POST", "/jobs", json={"name": "uses", "target": uses})).status_code == 201
    found = {
        "password": PASSWORD,
        "first token": str(token),
        "secret": VALUE,
        "refresh token": tokens["refresh_token"],
        "next refresh token": refreshed["refresh_token"],
        "cookie": cookie,
        "access token": refreshed["access_token"],
        "key": key,
        "second key": second,
        "invitation": link,
        "server's key": SECRET,
    }
    for value in found.values():
        await mistakes(session, value)
    for path in (
        "/auth/me",
        "/users",
        "/users/ada",
        "/api-keys",
        "/secrets",
        "/audit",
        "/audit?format=jsonl",
        "/jobs/uses",
    ):
        assert (await call("GET", path)).status_code == 200
    for path in ("/projects/default/invitations", "/jobs/uses/versions", "/jobs/uses/explain", "/events?seconds=0"):
        assert (await call("GET", path)).status_code == 200
    return found


async def mistakes(session: Session, value: str) -> None:
    """A secret in every place where it does not belong."""
    call, text = session.call, value.encode()
    as_json = {"content-type": "application/json"}
    await call("POST", "/jobs", content=b'{"password": "' + text, headers=as_json)
    await call("POST", "/jobs", json={"name": value * 20, "target": {"kind": value}, "timeout": value})
    await call("POST", "/auth/login", json={"username": "ada", "password": [value]})
    await call("POST", "/auth/login", json={"username": "ada\x00", "password": value})
    await call("POST", "/auth/refresh", json={"refresh_token": value + "x"})
    await call("PUT", "/secrets/TOKEN", json={"value": value, "valeu": value})
    await call("PUT", "/secrets/TOKEN", json={"value": value + "\x00"})
    await call("POST", "/users", json={"username": "bob", "password": value, "is_admin": value})
    await call("PATCH", "/users/ada", json={"password": value[:5]})
    await call("POST", "/invitations/accept", json={"token": value + "x"})
    await call("POST", "/callbacks/" + base64.urlsafe_b64encode(text).decode(), json={"status": value})
    await call("GET", "/runs", params={"status": value})
    await call("GET", "/jobs", params={"cursor": value})
    await call("GET", "/jobs", headers={"authorization": b"Bearer " + text + b"x"})
    await call("GET", "/jobs", headers={"authorization": b"Basic " + base64.b64encode(text)})
    await call("POST", "/jobs", json={}, headers={"idempotency-key": "é".encode() + text})


def forms(value: str) -> list[str]:
    """As it is, and as JSON and Python escape it."""
    return list({value, value.encode("ascii", "backslashreplace").decode(), str(value.encode())[2:-1]})


async def test_no_secret_in_any_answer_or_log(api: Api):
    with logged() as log:
        session = Session(api)
        secrets = await use_everything(session)
        await break_down(api)
        await session.call("PUT", "/secrets/TOKEN", json={"value": VALUE})
        await session.call("POST", "/users", json={"username": "eve", "password": PASSWORD})
        broken = await session.call("POST", "/auth/refresh", json={"refresh_token": secrets["cookie"]})
        assert broken.status_code == 500
    assert "request failed" in log.getvalue()
    for name, value in secrets.items():
        for form in forms(value):
            assert not [heard for heard in session.heard if form in heard], f"an answer repeats the {name}"
            assert form not in log.getvalue(), f"the log holds the {name}"


async def break_down(api: Api) -> None:
    """The database refuses what follows, in its own words, which may repeat what it was given."""

    async def drop(tx: Any) -> None:
        for table in ("secrets", "sessions", "audit_log"):
            await tx.access.db.execute(f"ALTER TABLE {table} RENAME TO gone_{table}", {})

    await api.store.transact(drop)
