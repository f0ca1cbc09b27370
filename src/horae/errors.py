"""The exceptions of the clients and `enqueue`: `except horae.errors.NotFound`. All are HoraeErrors, whose `problem` is
the API's answer if the API refused."""

from horae.domain.errors import (
    ConfigurationError,
    Conflict,
    HoraeError,
    InvalidInput,
    NotAllowed,
    NotFound,
    QuotaReached,
    StaleVersion,
    StoreUnavailable,
)
from horae.sdk.answers import NotSignedIn, SecondFactorNeeded, ServerError, TooManyRequests, TryLater, Unreachable

__all__ = [
    "ConfigurationError",
    "Conflict",
    "HoraeError",
    "InvalidInput",
    "NotAllowed",
    "NotFound",
    "NotSignedIn",
    "QuotaReached",
    "SecondFactorNeeded",
    "ServerError",
    "StaleVersion",
    "StoreUnavailable",
    "TooManyRequests",
    "TryLater",
    "Unreachable",
]
