"""Horae: a distributed job scheduler."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from horae.domain.errors import Cancelled, PermanentError, RetryLater
    from horae.domain.jobs.policy import Retry
    from horae.domain.jobs.task import Context
    from horae.sdk.client import AsyncClient, Client
    from horae.sdk.task import task

__version__ = "0.1.0"
__all__ = [
    "AsyncClient",
    "Cancelled",
    "Client",
    "Context",
    "PermanentError",
    "Retry",
    "RetryLater",
    "__version__",
    "task",
]

# Resolved on first use, so that `import horae` costs nothing and a module of tasks needs no pydantic.
_HOMES = {
    "AsyncClient": "horae.sdk.client",
    "Cancelled": "horae.domain.errors",
    "Client": "horae.sdk.client",
    "Context": "horae.domain.jobs.task",
    "PermanentError": "horae.domain.errors",
    "Retry": "horae.domain.jobs.policy",
    "RetryLater": "horae.domain.errors",
    "task": "horae.sdk.task",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'horae' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
