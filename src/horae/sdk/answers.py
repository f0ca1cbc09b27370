"""Error responses of the server, as exceptions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx

from horae.domain.errors import (
    Conflict,
    HoraeError,
    InvalidInput,
    NotAllowed,
    NotFound,
    QuotaReached,
    StaleVersion,
    StoreUnavailable,
)


class Unreachable(HoraeError):
    """Nothing answers at this address."""


class NotSignedIn(HoraeError):
    """The API key is missing or not valid."""


class SecondFactorNeeded(NotSignedIn):
    """The password was correct, but a second factor is required: continue with `client.second_factor.sign_in(challenge,
    code)`, or with `enrol_at_sign_in(challenge)` if `enrol` is true."""

    challenge: str = ""
    enrol: bool = False


class TryLater(StoreUnavailable):
    """The server cannot reach its database right now."""


class TooManyRequests(HoraeError):
    """Too many attempts or requests."""

    retry_after: float | None = None
    """Seconds after which the server accepts requests again."""


class ServerError(HoraeError):
    """The server could not answer."""


_KNOWN: dict[int, type[HoraeError]] = {
    401: NotSignedIn,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    412: StaleVersion,
    429: TooManyRequests,
    503: TryLater,
}


def reason(error: httpx.RequestError) -> str:
    text = " ".join(_causes(error)).lower()
    for sign, words in (
        ("refused", "connection refused"),
        ("certificate", "its certificate is not trusted"),
        ("name", "unknown host name"),
    ):
        if sign in text:
            return words
    return "the connection failed"


def _causes(error: BaseException | None) -> Iterator[str]:
    """Type and message of the error and of its cause: in the async client, only the cause has the reason."""
    while error is not None:
        yield f"{type(error).__name__}: {error}"
        error = error.__cause__ or error.__context__


def refusal(answer: httpx.Response) -> HoraeError:
    """The server's problem+json as the matching exception."""
    try:
        problem: dict[str, Any] = answer.json()
        problem["detail"]
    except (ValueError, KeyError, TypeError):
        return _known(answer, f"the server responded with {answer.status_code} and no reason")
    error = _from_problem(answer, problem)
    error.problem = problem
    return error


def _from_problem(answer: httpx.Response, problem: dict[str, Any]) -> HoraeError:
    detail, errors = str(problem["detail"]), problem.get("errors") or []
    if len(errors) == 1:
        detail = str(errors[0]["message"])
    if answer.status_code in (400, 413, 415, 422):
        return InvalidInput(str(problem.get("field") or "") if len(errors) == 1 else "", detail)
    if str(problem.get("type")).endswith(":second-factor"):
        needed = SecondFactorNeeded(detail)
        needed.challenge, needed.enrol = str(problem.get("challenge")), bool(problem.get("enrol"))
        return needed
    quota = problem.get("quota")
    if answer.status_code == 409 and isinstance(quota, dict):
        return QuotaReached(detail, quota=quota.get("name", ""), limit=quota.get("limit", 0), used=quota.get("used", 0))
    if answer.status_code in _KNOWN:
        return _known(answer, detail)
    return ServerError(f"{detail} (request {problem.get('request_id')})")


def _known(answer: httpx.Response, words: str) -> HoraeError:
    """By the status alone: a proxy may have answered."""
    error = _KNOWN.get(answer.status_code, ServerError)(words)
    if isinstance(error, TooManyRequests):
        error.retry_after = retry_after(answer)
    return error


def retry_after(answer: httpx.Response) -> float | None:
    text = answer.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() else None
