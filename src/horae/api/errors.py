"""Errors as problem+json (RFC 9457). The only place that maps the domain's errors to HTTP.

A problem names the field and the fix, never repeats the input (it may be a secret), and contains the request id, to
find the rest in the log.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import orjson
import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from horae.domain.errors import (
    Conflict,
    DuplicateKey,
    HoraeError,
    InvalidInput,
    NotAllowed,
    NotFound,
    QuotaContended,
    QuotaReached,
    StaleVersion,
    StoreUnavailable,
)
from horae.domain.text.validation_text import readable
from horae.lifecycle.agents import UnknownWorker

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER = "2"

log = structlog.get_logger()


class Unauthenticated(HoraeError):
    """The request has no valid credentials."""


class SecondFactorNeeded(Unauthenticated):
    """The password was right, but does not suffice; `challenge` is for the next step."""

    kind = "second-factor"

    def __init__(self, challenge: str, *, enrol: bool, expires_in: int) -> None:
        super().__init__(
            "this installation requires a second factor: set one up to sign in"
            if enrol
            else "a code from your authenticator app, or a recovery code, is needed as well"
        )
        self.about = {"challenge": challenge, "enrol": enrol, "expires_in": expires_in}


class ChallengeExpired(Unauthenticated):
    """This sign-in has expired: enter your password again."""

    kind = "challenge-expired"


class Malformed(HoraeError):
    """The body is not valid JSON."""


class UnsupportedProtocol(Malformed):
    """A version of the worker protocol that this serve does not speak."""

    kind = "unsupported-protocol"

    def __init__(self, supported: Sequence[int]) -> None:
        super().__init__(f"this serve speaks the worker protocol {', '.join(map(str, supported))}: register again")
        self.about = {"supported": list(supported)}


class TooLarge(HoraeError):
    """The body is larger than 1 MiB."""


class TooSlow(HoraeError):
    """The body did not arrive in time."""


class WrongMediaType(HoraeError):
    """Send the body as application/json."""


class TooManyRequests(HoraeError):
    """Too many requests: wait a while."""

    def __init__(self, message: str | None = None, *, retry_after: int = 1) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ProviderAway(HoraeError):
    """The identity provider does not answer right now; try again soon."""


class InvalidBody(HoraeError):
    """Several fields at once: what Pydantic found in a body."""

    def __init__(self, problems: Sequence[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{field}: {message}" if field else message for field, message in problems[:5]))
        self.problems = problems


# type (stable: clients may rely on it) and title of each status
KINDS: dict[int, tuple[str, str]] = {
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
    429: ("too-many-requests", "Too many requests"),
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
    (QuotaContended, 409),
    (DuplicateKey, 409),
    (TooSlow, 408),
    (TooLarge, 413),
    (WrongMediaType, 415),
    (TooManyRequests, 429),
    (ProviderAway, 503),
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
    *,
    subkind: str | None = None,
    about: Mapping[str, Any] | None = None,
) -> Response:
    """`subkind` distinguishes problems of one status; `about` is what a client needs to continue."""
    kind, title = KINDS.get(status, ("error", "Error"))
    body: dict[str, Any] = {
        "type": f"urn:horae:problem:{subkind or kind}",
        "title": title,
        "status": status,
        "detail": detail,
        "request_id": request_id,
        **(about or {}),
    }
    if problems:
        body["field"] = problems[0][0]
        body["errors"] = [{"field": field, "message": message} for field, message in problems]
    return Response(orjson.dumps(body), status, {**_HEADERS.get(status, {}), **(headers or {})}, media_type=MEDIA_TYPE)


def refuses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """For `responses` of a route: errors in addition to those that all routes of its kind have (openapi.py)."""
    return {status: {"description": KINDS[status][1]} for status in statuses}


def install(app: FastAPI) -> None:
    """Maps every expected error; the shell answers all others as internal errors."""
    app.add_exception_handler(HoraeError, _horae_error)
    app.add_exception_handler(RequestValidationError, _bad_request)
    app.add_exception_handler(HTTPException, _http_error)


def status_of(error: HoraeError) -> int:
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


async def _horae_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HoraeError)
    status = status_of(error)
    if status == 500:
        raise error
    if isinstance(error, StoreUnavailable):
        # The message may name hosts; callers need only know that it is temporary.
        log.warning("database unavailable", error=str(error))
        return problem(request.state.id, 503, "The database cannot be reached right now; try again soon.")
    if isinstance(error, InvalidInput):
        return problem(request.state.id, status, str(error), [(error.field, str(error.args[0]))])
    if isinstance(error, QuotaReached):
        await request.app.state.quota_refusals.note(error)
        quota = {"name": error.quota, "limit": error.limit, "used": error.used}
        return problem(request.state.id, status, str(error), subkind="quota-reached", about={"quota": quota})
    if isinstance(error, Conflict) and error.field is not None:
        return problem(request.state.id, status, str(error), [(error.field, str(error))])
    if isinstance(error, InvalidBody):
        return problem(request.state.id, status, str(error), error.problems)
    if isinstance(error, TooManyRequests):
        return problem(request.state.id, status, str(error), headers={"retry-after": str(error.retry_after)})
    if isinstance(error, SecondFactorNeeded | UnsupportedProtocol | ChallengeExpired | UnknownWorker | QuotaContended):
        return problem(request.state.id, status, str(error), subkind=error.kind, about=getattr(error, "about", None))
    return problem(request.state.id, status, str(error))


async def _bad_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = InvalidBody(readable(error.errors(), skip=1))
    return problem(request.state.id, 422, str(found), found.problems)


async def _http_error(request: Request, error: Exception) -> Response:
    """Errors of the framework: unknown paths and methods."""
    assert isinstance(error, HTTPException)
    details = {404: "there is nothing at this path", 405: "this path does not take that method"}
    detail = details.get(error.status_code, "the request cannot be served")
    headers = {"allow": ", ".join(_allowed(request))} if error.status_code == 405 else error.headers
    return problem(request.state.id, error.status_code, detail, headers=headers)


def _allowed(request: Request) -> list[str]:
    """The methods of a path: the framework names only those of the first route that matches, but each method is a
    route."""
    path, found = request.scope["path"], set()
    for route in iter_route_contexts(request.app.routes):
        if _pattern(str(route.path)).match(path):
            found |= route.methods or set()
    return sorted(found | ({"HEAD"} if "GET" in found else set()))


@cache
def _pattern(path: str) -> re.Pattern[str]:
    return compile_path(path)[0]


def invalid_body(error: ValidationError) -> InvalidBody:
    return InvalidBody(readable(error.errors(include_url=False, include_input=False)))
