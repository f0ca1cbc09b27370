"""Errors as people see them: RFC 9457 problem+json. The one place that maps the domain's errors to HTTP.

A problem names the field and says how to mend it, never repeats what was sent (it may be a secret), and carries the
request's id, under which the log holds the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson
import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from horae.domain.errors import (
    Conflict,
    DuplicateKey,
    HoraeError,
    InvalidInput,
    NotAllowed,
    NotFound,
    StaleVersion,
    StoreUnavailable,
)

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER = "2"

log = structlog.get_logger()


class Unauthenticated(HoraeError):
    """The request does not say who is asking."""


class Malformed(HoraeError):
    """The body is not valid JSON."""


class TooLarge(HoraeError):
    """The body is larger than 1 MiB."""


class TooSlow(HoraeError):
    """The body did not arrive in time."""


class WrongMediaType(HoraeError):
    """Send the body as application/json."""


class InvalidBody(HoraeError):
    """Several fields at once: what Pydantic found in a body."""

    def __init__(self, problems: Sequence[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{field}: {message}" if field else message for field, message in problems[:5]))
        self.problems = problems


# type (stable: clients may rely on it) and title of each status
_KINDS: dict[int, tuple[str, str]] = {
    400: ("malformed", "Malformed request"),
    401: ("unauthenticated", "Not signed in"),
    403: ("forbidden", "Not allowed"),
    404: ("not-found", "Not found"),
    405: ("method-not-allowed", "Method not allowed"),
    408: ("too-slow", "Too slow"),
    409: ("conflict", "Conflict"),
    412: ("stale-version", "Changed by someone else"),
    413: ("too-large", "Too large"),
    415: ("unsupported-media-type", "Unsupported media type"),
    422: ("invalid-input", "Invalid input"),
    500: ("internal", "Internal error"),
    503: ("unavailable", "Temporarily unavailable"),
}

# The most specific class comes first.
_STATUS: tuple[tuple[type[HoraeError], int], ...] = (
    (InvalidInput, 422),
    (InvalidBody, 422),
    (Malformed, 400),
    (Unauthenticated, 401),
    (NotAllowed, 403),
    (NotFound, 404),
    (StaleVersion, 412),
    (Conflict, 409),
    (DuplicateKey, 409),
    (TooSlow, 408),
    (TooLarge, 413),
    (WrongMediaType, 415),
    (StoreUnavailable, 503),
)
_HEADERS: dict[int, dict[str, str]] = {
    401: {"www-authenticate": 'Bearer realm="horae"'},
    503: {"retry-after": RETRY_AFTER},
}


def problem(
    request_id: str,
    status: int,
    detail: str,
    problems: Sequence[tuple[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    kind, title = _KINDS.get(status, ("error", "Error"))
    body: dict[str, Any] = {
        "type": f"urn:horae:problem:{kind}",
        "title": title,
        "status": status,
        "detail": detail,
        "request_id": request_id,
    }
    if problems:
        body["field"] = problems[0][0]
        body["errors"] = [{"field": field, "message": message} for field, message in problems]
    return Response(orjson.dumps(body), status, {**_HEADERS.get(status, {}), **(headers or {})}, media_type=MEDIA_TYPE)


def install(app: FastAPI) -> None:
    """Maps every expected error; what is left is answered by the shell as an internal one."""
    app.add_exception_handler(HoraeError, _horae_error)
    app.add_exception_handler(RequestValidationError, _bad_request)
    app.add_exception_handler(HTTPException, _http_error)


async def _horae_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HoraeError)
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    if status == 500:
        raise error
    if status == 503:
        # The message may name hosts; people at the API need only know that it passes.
        log.warning("database away", error=str(error))
        return problem(request.state.id, 503, "The database cannot be reached right now; try again soon.")
    if isinstance(error, InvalidInput):
        return problem(request.state.id, status, str(error), [(error.field, str(error.args[0]))])
    if isinstance(error, InvalidBody):
        return problem(request.state.id, status, str(error), error.problems)
    return problem(request.state.id, status, str(error))


async def _bad_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = InvalidBody(readable(error.errors(), skip=1))
    return problem(request.state.id, 422, str(found), found.problems)


async def _http_error(request: Request, error: Exception) -> Response:
    """What the framework itself refuses: unknown paths and methods."""
    assert isinstance(error, HTTPException)
    details = {404: "there is nothing at this path", 405: "this path does not take that method"}
    detail = details.get(error.status_code, "the request cannot be served")
    return problem(request.state.id, error.status_code, detail, headers=error.headers)


def invalid_body(error: ValidationError) -> InvalidBody:
    return InvalidBody(readable(error.errors(include_url=False, include_input=False, include_context=False)))


def readable(errors: Iterable[Mapping[str, Any]], skip: int = 0) -> list[tuple[str, str]]:
    """(field, message) of each error, in the words of the interface."""
    found = list(errors)[:20]
    wrong = {tuple(e["loc"][:-1]) for e in found}
    # A list with a bad item is not too short as well: the validator has only left that item out.
    told = [e for e in found if e["type"] != "too_short" or tuple(e["loc"]) not in wrong]
    return [(_field(e["loc"][skip:]), _message(e["type"], e["msg"])) for e in told]


_TAGS = frozenset({"http", "script", "python", "celery", "container", "artifact"})


def _field(loc: Sequence[str | int]) -> str:
    """`("target", "http", "headers", "x")` -> `target.headers.x`: the union's own tags are not in the JSON."""
    return field_name(
        [
            part
            for i, part in enumerate(loc)
            if isinstance(part, int)
            or not (
                (part.startswith("<") and part.endswith(">"))
                or part == "[key]"
                or (i == 1 and loc[0] == "target" and part in _TAGS)
            )
        ]
    )


def field_name(steps: Sequence[str | int]) -> str:
    """The steps as in `tags[0]` or `target.url`; names that are long or cannot be printed are cut."""
    parts: list[str] = []
    for step in steps:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        else:
            name = "".join(c if c.isprintable() else "?" for c in step[:100])
            parts.append(f".{name}" if parts else name)
    return "".join(parts)[:300]


_PYTHON = re.compile(r"^(?:String|Tuple|List|Dictionary) (?=should )")


def _message(kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        return "is not a known field"
    if kind == "missing":
        return "is required"
    if kind.startswith("union_tag"):
        return "must name one of the known kinds"
    if kind == "json_invalid":
        return "is not valid JSON"
    if kind in ("model_type", "dict_type", "model_attributes_type"):
        return "must be an object"
    if kind in ("list_type", "tuple_type"):
        return "must be a list"
    message = message.removeprefix("Value error, ").replace("Input should", "should")
    # The names of Python's types mean nothing to whoever wrote JSON.
    return _PYTHON.sub("", message).split(" after validation")[0]
