"""Error responses: always problem+json, without internals."""

from typing import Any

import httpx
import pytest

from horae.api.app import build
from horae.api.context import ApiSettings
from horae.api.signing_in.tokens import mint
from horae.clock import SystemClock, SystemIds
from horae.domain.errors import HoraeError, StoreUnavailable
from horae.domain.people.key import KeyRecord

TOKEN = mint()


class Failing:
    """A store that knows a key and fails at everything else."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def read(self, verb: Any, *args: Any, **kwargs: Any) -> Any:
        if args == (TOKEN.prefix,):
            return KeyRecord("id", "project", "test", "admin", TOKEN.digest, "default", "Default", TOKEN.prefix)
        raise self.error

    transact = autocommit = read

    async def learn(self) -> bool:
        raise self.error

    def tell(self, event: Any) -> None: ...

    def on_behalf_of(self, origin: Any) -> "Failing":
        return self

    async def close(self) -> None: ...


async def call(error: Exception, path: str, **headers: str) -> httpx.Response:
    app = build(Failing(error), ApiSettings("k" * 32), SystemIds(), SystemClock())
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    headers = {"authorization": f"Bearer {TOKEN.text}", **headers}
    async with httpx.AsyncClient(transport=transport, base_url="http://horae") as client:
        return await client.get(path, headers=headers)


@pytest.mark.parametrize("path", ["/api/v1/jobs", "/health/ready"])
async def test_a_database_that_is_away(path: str):
    answer = await call(StoreUnavailable("cannot reach db.internal:5432 as horae"), path)
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "2"
    assert answer.json()["type"] == "urn:horae:problem:unavailable"
    assert "db.internal" not in answer.text


async def test_alive_without_a_database():
    for path in ("/health", "/health/live"):
        answer = await call(StoreUnavailable("away"), path)
        assert (answer.status_code, answer.json()) == (200, {"status": "healthy", "service": "horae"})


@pytest.mark.parametrize("error", [RuntimeError("password=hunter2"), HoraeError("password=hunter2")])
async def test_a_bug_is_answered_without_internals(error: Exception):
    answer = await call(error, "/api/v1/jobs", **{"x-request-id": "caller-0001"})
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["request_id"] == answer.headers["x-request-id"] == "caller-0001"
    assert "hunter2" not in answer.text


@pytest.mark.parametrize("given", ["x", "a b c d e f", "x" * 65, "<script>alert"])
async def test_odd_request_ids_are_replaced(given: str):
    answer = await call(RuntimeError(), "/health", **{"x-request-id": given})
    assert answer.headers["x-request-id"] != given
    assert len(answer.headers["x-request-id"]) == 36


async def test_every_answer_has_security_headers():
    for path in ("/health", "/api/v1/jobs", "/nothing", "/openapi.json"):
        answer = await call(RuntimeError(), path)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "no-referrer"


async def test_openapi_is_complete():
    answer = await call(RuntimeError(), "/openapi.json")
    document = answer.json()
    assert document["openapi"].startswith("3.1")
    components = document["components"]
    names = {f"#/components/{kind}/{name}" for kind in ("schemas", "responses") for name in components[kind]}
    refs = set()

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if isinstance(ref := node.get("$ref"), str):
                refs.add(ref)
            for inner in node.values():
                walk(inner)
        elif isinstance(node, list):
            for inner in node:
                walk(inner)

    walk(document)
    assert refs <= names
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method in ("put", "patch") or path in ("/api/v1/jobs", "/api/v1/jobs/{id}/run"):
                assert method == "get" or method == "delete" or "requestBody" in operation, (method, path)
