"""Bad input to every route there is, found in the description: a 4xx that names the field, and no table changes."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from horae.store.tables.table import metadata

from .conftest import IDS, ON_EVERY_DATABASE, Api
from .people import add_user
from .test_bad_input import AS_JSON, CANARY, RAW, check, raw
from .things import filled, make_things

# What every request may write: the use of a key, and how often someone tried.
_COUNTED = {"rate_limits", "idempotency_keys"}
BIG = b'{"name": "' + b"x" * 10_000_000 + b'"}'
ODD = ("%00", "a%00b", "x" * 201, "x" * 5_000, "%2e%2e%2f%2e%2e", "'", "%F0%9F%98%80", "%ff", "-1", "%20", "%0a")
UNKNOWN = "01a1de05-bc6e-7493-ac17-5c90c59c6a0f"


async def counts(api: Api) -> dict[str, int]:
    async def count(tx: Any) -> dict[str, int]:
        tables = [name for name in metadata.tables if name not in _COUNTED]
        found = [(await tx.access.db.fetch(f"SELECT COUNT(*) AS n FROM {name}"))[0]["n"] for name in tables]
        return dict(zip(tables, found, strict=True))

    return await api.store.read(count)


@pytest.fixture
async def things(api: Api) -> AsyncIterator[dict[str, str]]:
    made = await make_things(api)
    before = await counts(api)
    assert len(before) > 20
    yield made
    assert await counts(api) == before


def operations(api: Api) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in api.app.openapi()["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def refused(answer: Any) -> None:
    assert 400 <= answer.status_code < 500, (answer.request.method, str(answer.request.url)[:200], answer.text)
    check(answer, status=answer.status_code)


# ---- bodies


async def test_bad_bodies_of_every_route(api: Api, things: dict[str, str]):
    tried = 0
    for method, path, operation in operations(api):
        if "requestBody" not in operation or path.startswith("/api/v1/worker/"):  # of agents: see test_worker.py
            continue
        tried += 1
        where = filled(path, things)
        for content, status in RAW:
            check(await api.call(method, where, content=content, headers=AS_JSON), status=status)
        for media in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
            answer = await api.call(method, where, content=b"{}", headers={"content-type": media})
            check(answer, status=415)
        refused(await api.call(method, where, json={"nofield": CANARY}))
        refused(await api.call(method, where, content=BIG, headers=AS_JSON))
    assert tried > 25


async def test_endless_bodies_of_every_route(api: Api, things: dict[str, str]):
    """Refused after a megabyte without a length, and at once with one."""
    for method, path, operation in operations(api):
        if "requestBody" not in operation or path.startswith("/api/v1/worker/"):  # of agents: see test_worker.py
            continue
        sent = 0

        async def endless() -> AsyncIterator[bytes]:
            nonlocal sent
            for _ in range(1_000):
                sent += 1
                yield b" " * 65_536

        check(await api.call(method, filled(path, things), content=endless(), headers=AS_JSON), status=413)
        assert sent < 20
        declared = {**AS_JSON, "content-length": str(10**12)}
        sent = 0
        check(await api.call(method, filled(path, things), content=endless(), headers=declared), status=413)
        assert sent == 0


# ---- ids and queries


@ON_EVERY_DATABASE
async def test_odd_ids_of_every_route(api: Api, things: dict[str, str]):
    bodies = {"/secrets/{name}": {"value": "v"}, "/members/{user}": {"role": "viewer"}}
    for method, path, _ in operations(api):
        body = next((one for place, one in bodies.items() if place in path), {})
        for place in [place for place in things if place in path]:
            start = place[: place.index("{")]
            rest = {name: value for name, value in things.items() if name != place}
            for odd in ODD:
                where = filled(path, rest).replace(place, start + odd)
                refused(await api.call(method, where, json=None if method in ("GET", "DELETE") else body))


@ON_EVERY_DATABASE
async def test_unknown_and_foreign_ids_are_not_there(api: Api, things: dict[str, str]):
    for place in (
        "/runs/{id}",
        "/operations/{id}",
        "/jobs/{id}",
        "/users/{id}",
        "/projects/{id}",
        "/workers/{id}/drain",
    ):
        path = place.replace("{id}", UNKNOWN)
        method = "POST" if path.endswith("drain") else "GET"
        check(await api.call(method, path), status=404)
        if method == "GET":  # ids have one spelling
            check(await api.call("GET", place.replace("{id}", UNKNOWN.upper())), status=404)
            check(await api.call("GET", place.replace("{id}", f"{{{UNKNOWN}}}")), status=404)


def wrong(parameter: dict[str, Any]) -> Iterator[str]:
    """What its description does not allow."""
    schema = parameter["schema"]
    kinds = schema.get("anyOf", [schema])
    yield "%00"
    for kind in kinds:
        if "enum" in kind or "$ref" in kind or "const" in kind:
            yield from ("nothing", "", "é")
        elif kind.get("type") in ("integer", "number"):
            yield from ("-1", "x", "1.5", "1e400", "NaN", "9" * 400, "", "true", str(kind["maximum"] + 1))
        elif kind.get("type") == "boolean":
            yield from ("maybe", "2", "")
        elif "maxLength" in kind:
            yield "x" * (kind["maxLength"] + 1)


@ON_EVERY_DATABASE
async def test_bad_queries_of_every_route(api: Api, things: dict[str, str]):
    tried = set()
    for method, path, operation in operations(api):
        where = filled(path, things)
        query = [one for one in operation.get("parameters", []) if one["in"] == "query"]
        check(await api.call(method, f"{where}?nofilter={CANARY}"), "nofilter")
        for parameter in query:
            name = parameter["name"]
            tried.add(name)
            for value in wrong(parameter):
                check(await api.call(method, f"{where}?{name}={value}"), name)
            check(await api.call(method, f"{where}?{name}=1&{name}=1"), name)
    assert {"limit", "cursor", "sort", "status", "since", "format", "kind", "force", "by"} <= tried


@ON_EVERY_DATABASE
async def test_forged_cursors_of_every_list(api: Api, things: dict[str, str]):
    real = (await api.call("GET", "/audit", params={"limit": 1})).json()["next_cursor"]
    assert real
    bent = [real[:-2] + ("A" if real[-2] != "A" else "B") + real[-1], real[::-1], real[:8], real + "AAAA"]
    lists = 0
    for method, path, operation in operations(api):
        names = {one["name"] for one in operation.get("parameters", []) if one["in"] == "query"}
        if "cursor" not in names:
            continue
        lists += 1
        others = [real] if not path.endswith("/audit") else []
        for cursor in [*bent, *others, "x", "", "é", "A" * 60, "~~~~", "1.x", "-1.-1"]:
            check(await api.call(method, filled(path, things), params={"cursor": cursor}), "cursor")
    assert lists > 12


async def test_bad_headers(api: Api, things: dict[str, str]):
    job = filled("/api/v1/jobs/{id}", things)
    for tag in ("x", '"x"', '"-1"', '"99999999999999999999"', 'W/"1"', "1", '"1", "2"', ""):
        body = {"description": "x"}
        refused(await api.call("PATCH", job, json=body, headers={"if-match": tag}))
        refused(await api.call("DELETE", job, headers={"if-match": tag}))
    for place in ("x" * 51, "1.x", "é".encode(), "-1"):
        for path in (filled("/api/v1/runs/{id}/log", things), "/events?seconds=0"):
            refused(await api.call("GET", path, headers={"last-event-id": place}))
    for key in ("", " ", "x" * 256, "é".encode()):
        check(await api.call("POST", f"{job}/run", json={}, headers={"idempotency-key": key}), "Idempotency-Key")
    for project in ("nobody", "x" * 5_000, "é".encode(), "../default", ""):
        refused(await api.call("GET", "/jobs", headers={"horae-project": project}))


# ---- what is in the bodies of accounts, keys, functions and secrets

GOOD = "nine red kites above"
LONG = "x" * 900_000
BODIES: dict[tuple[str, str], list[tuple[Any, str]]] = {
    ("POST", "/users"): [
        ({}, "username"),
        ({"username": "bob"}, "password"),
        *[
            ({"username": name, "password": GOOD}, "username")
            for name in ("", " ", "a b", "é", "a/b", "-a", "x" * 101, LONG)
        ],
        ({"username": "bob\x00", "password": GOOD}, "username"),
        ({"username": 5, "password": GOOD}, "username"),
        ({"username": UNKNOWN, "password": GOOD}, "username"),  # no one could tell it from an id
        *[({"username": "bob", "password": word}, "password") for word in ("", "short", LONG, 5, None, "\ud800" * 20)],
        ({"username": "bob", "password": GOOD, "is_admin": 1}, "is_admin"),
        ({"username": "bob", "password": GOOD, "is_admin": "true"}, "is_admin"),
        ({"username": "bob", "password": GOOD, "id": "x"}, "id"),
    ],
    ("PATCH", "/users/{id}"): [
        ({"is_active": None}, "is_active"),
        ({"is_active": 0}, "is_active"),
        ({"password": "short"}, "password"),
        ({"username": "eve"}, "username"),
    ],
    ("POST", "/projects"): [
        ({}, "slug"),
        *[({"slug": slug}, "slug") for slug in ("", "A", "a b", "-a", "a-", "é", "a/b", "x" * 101, 5, None, "a\x00")],
        ({"slug": UNKNOWN}, "slug"),
        ({"slug": "fine", "name": ""}, "name"),
        ({"slug": "fine", "name": "a\nb"}, "name"),
        ({"slug": "fine", "name": LONG}, "name"),
        ({"slug": "fine", "name": {}}, "name"),
    ],
    ("PATCH", "/projects/{id}"): [({"name": ""}, "name"), ({"name": None}, "name"), ({"slug": "x"}, "")],
    ("PUT", "/projects/{id}/members/{user}"): [
        ({}, "role"),
        *[({"role": r}, "role") for r in ("admin", "", 5, None, ["owner"])],
    ],
    ("POST", "/projects/{id}/invitations"): [
        ({}, "role"),
        ({"role": "admin"}, "role"),
        ({"role": "viewer", "note": "x" * 201}, "note"),
        ({"role": "viewer", "note": "a\x07"}, "note"),
        *[
            ({"role": "viewer", "expires_at": at}, "expires_at")
            for at in ("tomorrow", 5, "2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z")
        ],
    ],
    ("POST", "/api-keys"): [
        ({}, "name"),
        *[({"name": name}, "name") for name in ("", " ", "a\nb", "x" * 201, LONG, 5, None, "a\x00")],
        ({"name": "k", "role": "root"}, "role"),
        ({"name": "k", "role": True}, "role"),
        *[
            ({"name": "k", "expires_at": at}, "expires_at")
            for at in ("2020-01-01T00:00:00Z", "2030-01-01T00:00:00", 5, "9999-12-31T23:59:59-14:00")
        ],
        ({"name": "k", "token": CANARY}, "token"),
    ],
    ("PUT", "/secrets/{name}"): [
        ({}, "value"),
        *[({"value": value}, "value") for value in ("", "a\x00", "x" * 65_537, 5, None, True, ["x"], "\ud800")],
        ({"value": CANARY, "name": "x"}, "name"),
    ],
    ("PATCH", "/task-functions/{name}"): [
        ({"is_active": "no"}, "is_active"),
        ({"display_name": ""}, "display_name"),
        ({"display_name": "a\nb"}, "display_name"),
        ({"display_name": LONG}, "display_name"),
        ({"description": "x" * 10_001}, "description"),
        ({"description": "a\x00"}, "description"),
        ({"queue": "x"}, "queue"),
    ],
    ("POST", "/auth/login"): [
        ({}, "username"),
        ({"username": "ada"}, "password"),
        ({"username": ["ada"], "password": GOOD}, "username"),
        ({"username": "ada", "password": 5}, "password"),
        ({"username": LONG, "password": GOOD}, "username"),
        ({"username": "ada", "password": LONG}, "password"),
    ],
    ("POST", "/auth/signup"): [
        ({}, "username"),
        ({"username": "a b", "password": GOOD}, "username"),
        ({"username": "bob", "password": "bob" * 5}, "password"),
        ({"username": "bob", "password": GOOD, "token": LONG}, "token"),
    ],
    ("POST", "/dead-letters/discard"): [
        ({"filter": {}}, "reason"),
        ({"filter": {}, "reason": ""}, "reason"),
        ({"filter": {}, "reason": "x" * 501}, "reason"),
        ({"ids": ["x"] * 1_001, "reason": "x"}, "ids"),
        ({"filter": {"job": LONG}, "reason": "x"}, "filter.job"),
        ({"filter": {"fingerprint": ""}, "reason": "x"}, "filter.fingerprint"),
    ],
    ("POST", "/dead-letters/redrive"): [
        ({"filter": {}, "rate": rate}, "rate") for rate in (0, -1, True, "5", 1e9, 10**30)
    ],
}


@ON_EVERY_DATABASE
async def test_bad_accounts_keys_and_secrets(api: Api, things: dict[str, str]):
    for (method, path), cases in BODIES.items():
        for body, field in cases:
            check(await api.call(method, filled(path, things), content=raw(body), headers=AS_JSON), field)


@ON_EVERY_DATABASE
async def test_invalid_numbers_are_refused_with_their_field(api: Api, things: dict[str, str]):
    job = {"name": "n", "target": {"kind": "http", "url": "https://example.org/"}}
    for field in ("timeout", "priority", "max_instances", "start_within", "catch_up_window"):
        for number in (b"NaN", b"Infinity", b"-Infinity", b"1e400", b"-1e400", b"9" * 5_000, b"true", b'"five"', b"[]"):
            body = raw(job)[:-1] + b', "' + field.encode() + b'": ' + number + b"}"
            for method, path in (("POST", "/jobs"), ("PUT", "/jobs/{id}"), ("PATCH", "/jobs/{id}")):
                check(await api.call(method, filled(path, things), content=body, headers=AS_JSON), field)
    for number in (b"NaN", b"-Infinity", b"1e400", b"9" * 5_000):
        body = b'{"input": {"a": [1, ' + number + b"]}}"
        for path in ("/jobs/{id}/run", "/jobs/{id}/retry"):
            check(await api.call("POST", filled(path, things), content=body, headers=AS_JSON), "input.a[1]")


@ON_EVERY_DATABASE
async def test_the_same_key_with_another_body_at_the_same_instant(api: Api):
    """One of them is carried out, the other one refused: never both, never none."""
    await add_user(api.store, "somebody", default="viewer")
    before = await counts(api)
    bodies = [{"name": f"{IDS.new()}"} for _ in range(2)] * 3
    header = {"idempotency-key": "race"}
    answers = await asyncio.gather(*(api.call("POST", "/api-keys", json=body, headers=header) for body in bodies))
    assert {answer.status_code for answer in answers} == {201, 409}
    assert len({answer.json()["id"] for answer in answers if answer.status_code == 201}) == 1
    assert (await counts(api))["api_keys"] == before["api_keys"] + 1
