"""The OpenAPI description of what guards and body readers do: which errors they return, which headers they read.
Derived from what routes declare, so that it is complete and correct."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from horae.api.auth import READING, Allow, AllowInPath, AllowInProject
from horae.api.errors import KINDS, MEDIA_TYPE

_WITH_BODY = (400, 408, 413, 415)
_GUARDED = (400, 401, 403, 429)  # 400: the project is ambiguous
_CHANGING = ("post", "put", "patch", "delete")
# POSTs whose answer has a Location header.
_LOCATED = frozenset(
    f"/api/v1/{path}"
    for path in (
        *("jobs", "jobs/recurring", "jobs/{id}/run", "jobs/{id}/retry", "jobs/{id}/backfill", "runs/{id}/retry"),
        *("dead-letters/redrive", "dead-letters/discard", "users", "projects"),
    )
)
_FASTAPI = ("HTTPValidationError", "ValidationError")  # FastAPI's own 422, which is never sent here
_PROJECT = {
    "name": "Horae-Project",
    "in": "header",
    "required": False,
    "description": "The slug of the project, for users who are members of more than one.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200},
}
_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Repeating a request with the same key has no further effect and returns the same response.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}

_HEADERS = {
    "ETag": "The job's version, for `If-Match`.",
    "Location": "Where it is.",
    "Retry-After": "Seconds to wait before retrying.",
}


_REF = "#/components/schemas/"


def beside(bodies: dict[str, Any], answers: dict[str, Any]) -> dict[str, Any]:
    """The components of bodies. One that accepts more than the answer of the same name contains (a duration may be sent
    as text, and is returned as a number) is called `…Input`, and so is everything that refers to it."""
    apart: set[str] = set()
    while more := {
        name
        for name in answers.keys() & bodies.keys() - apart
        if bodies[name] != answers[name] or any(f'"{_REF}{one}"' in json.dumps(bodies[name]) for one in apart)
    }:
        apart |= more
    text = json.dumps(bodies)
    for name in apart:
        text = text.replace(f'"{_REF}{name}"', f'"{_REF}{name}Input"')
    return {f"{name}Input" if name in apart else name: schema for name, schema in json.loads(text).items()}


def complete(app: FastAPI, schema: dict[str, Any]) -> None:
    for path, method, guard in _guards(app):
        operation = schema["paths"][path][method]
        if guard is None:
            operation["security"] = []
        if headers := list(_headers(method, guard)):
            operation.setdefault("parameters", []).extend(headers)
        _refuse(operation["responses"], {*_refused(operation, path, method, guard)})
        _tell(operation["responses"], located=method == "post" and path in _LOCATED)
    components = schema["components"]
    for name in _FASTAPI:
        components["schemas"].pop(name, None)
    components["responses"] = {_name(status): _problem(status) for status in KINDS}


def _guards(app: FastAPI) -> Iterator[tuple[str, str, Allow[Any] | None]]:
    """Every operation of the description, and what guards it."""
    for route in iter_route_contexts(app.routes):
        guards = [inner.call for inner in route.dependant.dependencies if isinstance(inner.call, Allow)]
        for method in (route.methods or ()) if route.include_in_schema else ():
            yield str(route.path), method.lower(), guards[0] if guards else None


def _headers(method: str, guard: Allow[Any] | None) -> Iterator[dict[str, Any]]:
    if isinstance(guard, AllowInProject) and not isinstance(guard, AllowInPath):
        yield _PROJECT
    if method == "post" and guard is not None and guard.permission not in READING:
        yield _KEY


def _refused(operation: dict[str, Any], path: str, method: str, guard: Allow[Any] | None) -> Iterator[int]:
    """What every route of this kind may answer; routes declare the rest with `refuses` (errors.py)."""
    yield from (422, 503)  # at least an unknown parameter, and an unavailable database
    if "{" in path:
        yield 404
    if "requestBody" in operation:
        yield from _WITH_BODY
    if guard is not None:
        yield from _GUARDED
        if method in _CHANGING and guard.permission not in READING:
            yield 409
    if any(one["name"].lower() == "if-match" for one in operation.get("parameters", ())):
        yield 412


def _refuse(answers: dict[str, Any], refused: set[int]) -> None:
    answers.pop("422", None)  # FastAPI's own
    declared = {int(status) for status, answer in answers.items() if status >= "400" and "content" not in answer}
    for status in sorted(refused | declared):
        if status in declared or str(status) not in answers:
            answers[str(status)] = {"$ref": f"#/components/responses/{_name(status)}"}


def _tell(answers: dict[str, Any], *, located: bool) -> None:
    """The headers of successful answers."""
    for status, answer in answers.items():
        if located and status in ("201", "202"):
            answer.setdefault("headers", {})["Location"] = _header("Location")
        if any(
            one.get("schema", {}).get("$ref", "").endswith("/JobView") for one in answer.get("content", {}).values()
        ):
            answer.setdefault("headers", {})["ETag"] = _header("ETag")


def _header(name: str) -> dict[str, Any]:
    return {"description": _HEADERS[name], "required": True, "schema": {"type": "string"}}


def _name(status: int) -> str:
    return KINDS[status][1].title().replace(" ", "")


def _problem(status: int) -> dict[str, Any]:
    kind, title = KINDS[status]
    example = {
        "type": f"urn:horae:problem:{kind}",
        "title": title,
        "status": status,
        "detail": "What is wrong, and how to fix it",
        "request_id": "01a1de05-bc6e-7493-ac17-5c90c59c6a0f",
    }
    schema = {"$ref": "#/components/schemas/Problem"}
    described: dict[str, Any] = {"description": title, "content": {MEDIA_TYPE: {"schema": schema, "example": example}}}
    if status in (429, 503):
        described["headers"] = {"Retry-After": _header("Retry-After")}
    return described
