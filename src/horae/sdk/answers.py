"""What the server's refusals mean, as errors."""

from __future__ import annotations

import httpx

from horae.domain.errors import (
    Conflict,
    HoraeError,
    InvalidInput,
    NotAllowed,
    NotFound,
    StaleVersion,
    StoreUnavailable,
)


class Unreachable(HoraeError):
    """Nothing answers at this address."""


class NotSignedIn(HoraeError):
    """The API key is missing or not valid."""


class TryLater(StoreUnavailable):
    """The server cannot reach its database right now."""


class TooManyRequests(HoraeError):
    """Too many tries or requests."""


class ServerError(HoraeError):
    """The server could not answer."""


def reason(error: httpx.TransportError) -> str:
    text = str(error).lower()
    for sign, words in (
        ("refused", "connection refused"),
        ("certificate", "its certificate is not trusted"),
        ("name", "unknown host name"),
    ):
        if sign in text:
            return words
    return "the connection failed"


def refusal(answer: httpx.Response) -> HoraeError:
    """The server's problem+json as the error it stands for."""
    try:
        problem = answer.json()
        detail, field = str(problem["detail"]), problem.get("field")
        errors = problem.get("errors") or []
    except (ValueError, KeyError, TypeError, AttributeError):
        return ServerError(f"the server answered {answer.status_code} without saying why")
    if errors and len(errors) == 1:
        detail = str(errors[0]["message"])
    status = answer.status_code
    if status in (400, 413, 415, 422):
        return InvalidInput(str(field or "") if len(errors) == 1 else "", detail)
    known: dict[int, type[HoraeError]] = {
        401: NotSignedIn,
        403: NotAllowed,
        404: NotFound,
        409: Conflict,
        412: StaleVersion,
        429: TooManyRequests,
        503: TryLater,
    }
    if status in known:
        return known[status](detail)
    return ServerError(f"{detail} (request {problem.get('request_id')})")
