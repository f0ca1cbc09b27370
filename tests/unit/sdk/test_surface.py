"""The SDK, held to the API's own description: what can be asked there can be asked here, and comes back whole."""

import re
import typing
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest

from horae.api.app import build
from horae.api.context import ApiSettings
from horae.api.routes import PREFIX
from horae.clock import SystemClock, SystemIds
from horae.ports import Store
from horae.sdk.record import Record
from tests.unit.sdk.surface import Method, methods

ROOT = Path(__file__).resolve().parents[3]
METHODS = {method.name: method for method in methods()}
WITHOUT_A_CALL = {
    "POST /api/v1/auth/sso/start": "for browsers, whose cookies it sets",
    "POST /api/v1/auth/sso/link": "for browsers, whose cookies it sets",
    "GET /api/v1/jobs/{id}/executions": "another name of /jobs/{id}/runs",
    **{
        f"{method} /ping/{{token}}{outcome}": "for foreign jobs, which need no client: curl, or `horae ping`"
        for method in ("GET", "POST")
        for outcome in ("", "/{outcome}")
    },
    **{
        f"POST /api/v1/worker/{verb}": "for agents, whose keys open nothing else"
        for verb in ("register", "claim", "renew", "signals", "report", "release", "goodbye")
    },
    **{
        f"{route}": "for admins who set up agents: by curl"
        for route in (
            "GET /api/v1/worker-keys",
            "POST /api/v1/worker-keys",
            "DELETE /api/v1/worker-keys/{id}",
            "POST /api/v1/worker-keys/{id}/rotate",
        )
    },
    "GET /badge/{token}.svg": "an image, for pages",
    "GET /health": "another name of /health/live",
    "GET /health/live": "for load balancers, which look at the status",
    "GET /health/ready": "for load balancers, which look at the status",
}
ELSEWHERE = {  # query parameters that another method, or the client itself, takes care of
    "limit", "cursor", "format", "follow",
}  # fmt: skip


@cache
def described() -> dict[str, Any]:
    settings = ApiSettings("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
    return build(cast("Store", None), settings, SystemIds(), SystemClock()).openapi()


@cache
def routes() -> dict[str, dict[str, Any]]:
    return {
        f"{method.upper()} {path}": operation
        for path, found in described()["paths"].items()
        for method, operation in found.items()
    }


def route_of(method: Method) -> str | None:
    asked = method.request
    line = f"{asked.method} {PREFIX if asked.base else ''}/{asked.path}"
    if line in routes():
        return line
    fits = [route for route in routes() if re.fullmatch(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(route)), line)]
    return fits[0] if len(fits) == 1 else None


def schema(part: dict[str, Any]) -> dict[str, Any]:
    name = part.get("$ref", "").rpartition("/")[2]
    return described()["components"]["schemas"][name] if name else part


def test_every_route_has_a_call_and_every_call_a_route():
    found = {name: route_of(method) for name, method in METHODS.items()}
    assert [name for name, route in found.items() if route is None] == []
    assert set(routes()) - set(found.values()) == set(WITHOUT_A_CALL)


def test_every_method_is_documented_and_no_other():
    table = (ROOT / "docs" / "sdk.md").read_text().partition("| part of `client` |")[2].partition("\n\n")[0]
    rows = [line.split("|") for line in table.splitlines()[2:]]
    named = {(of.strip(" `"), verb) for _, of, verbs, _ in rows for verb in re.findall(r"`(\w+)`", verbs)}
    assert {f"{of}.{verb}".removeprefix("itself.") for of, verb in named} == set(METHODS)


@pytest.mark.parametrize("name", METHODS)
def test_every_query_parameter_can_be_given(name: str):
    method = METHODS[name]
    operation = routes()[str(route_of(method))]
    known = {one["name"] for one in operation.get("parameters", []) if one["in"] == "query"} - ELSEWHERE
    assert set(method.request.params or {}) - ELSEWHERE == known


@pytest.mark.parametrize("name", METHODS)
def test_every_field_of_a_body_can_be_given(name: str):
    method = METHODS[name]
    body = routes()[str(route_of(method))].get("requestBody")
    if body is None:
        assert method.request.json is None
        return
    fields = set(schema(body["content"]["application/json"]["schema"]).get("properties", {}))
    if fields and not {"definition", "answer"} & set(method.signature.parameters):  # which are given as they are
        assert set(method.request.json) == fields


def records(gives: Any) -> list[type[Record]]:
    """Those that a method gives back: itself, in a list, or one of several."""
    if isinstance(gives, type) and issubclass(gives, Record):
        return [gives]
    return [found for part in typing.get_args(gives) for found in records(part)]


@pytest.mark.parametrize("name", METHODS)
def test_records_have_the_fields_of_the_answers(name: str):
    method = METHODS[name]
    answers = routes()[str(route_of(method))]["responses"]
    shapes = [schema(one["content"]["application/json"]["schema"]) for code, one in answers.items() if _good(code, one)]
    shapes = [schema(shape["properties"]["items"]["items"]) if _is_list(shape) else shape for shape in shapes]
    for record in records(method.gives):
        fields = set(typing.get_type_hints(record))
        # What has the name of a method of dictionaries is read as an item alone.
        assert fields in [set(shape["properties"]).difference(dir(dict)) for shape in shapes]


def _good(code: str, answer: dict[str, Any]) -> bool:
    return code.startswith("2") and "application/json" in answer.get("content", {})


def _is_list(shape: dict[str, Any]) -> bool:
    return {"items", "next_cursor"} <= set(shape.get("properties", {}))


def test_a_record_is_its_json():
    class Thing(Record):
        __slots__ = ()

        name: str

    thing = Thing({"name": "a", "newer": 1})
    assert (thing.name, thing["name"], dict(thing)) == ("a", "a", {"name": "a", "newer": 1})
    assert repr(thing) == "Thing({'name': 'a', 'newer': 1})"
    with pytest.raises(AttributeError, match="Thing has no field 'other'"):
        thing.other  # type: ignore[attr-defined] # noqa: B018
    with pytest.raises(AttributeError):
        thing.other = 1  # type: ignore[attr-defined]
