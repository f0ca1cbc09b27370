"""Errors with a message that a person can act on. Edges (API, CLI) map these; nothing else does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


class HoraeError(Exception):
    """Something went wrong."""

    problem: Mapping[str, Any] | None = None
    """The API's problem (RFC 9457), if the error came from there: `type`, `status`, `request_id` and so on."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or type(self).__doc__ or type(self).__name__)

    def __str__(self) -> str:
        return str(self.args[0])


class InvalidInput(HoraeError):
    """What was given cannot be used; `field` names the part that is wrong."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field

    def __str__(self) -> str:
        return f"{self.field}: {self.args[0]}" if self.field else str(self.args[0])


class NotFound(HoraeError):
    """There is no such thing, or it is not yours to see."""


class Conflict(HoraeError):
    """The present state does not allow this; `field` names the part of the input that it is about, if one is."""

    def __init__(self, message: str | None = None, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class StaleVersion(Conflict):
    """Someone else changed it meanwhile: read it again, then repeat your change."""


class QuotaReached(Conflict):
    """A quota of the project does not allow this; `quota` names it, `limit` is what it allows and `used` what the
    project has."""

    def __init__(
        self,
        message: str | None = None,
        *,
        quota: str = "",
        limit: int = 0,
        used: float = 0,
        project_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.quota, self.limit, self.used, self.project_id = quota, limit, used, project_id


class QuotaContended(HoraeError):
    """Another transaction has locked the quota of these projects; nothing was changed."""

    kind = "quota-contended"

    def __init__(self, project_ids: Collection[str]) -> None:
        super().__init__("another transaction has locked the quota of a project")
        self.project_ids = frozenset(project_ids)
        self.about = {"project_ids": sorted(self.project_ids)}


class Unreadable(Conflict):
    """A stored definition cannot be read: it was written by a newer version of Horae, or it is damaged."""


class NotAllowed(HoraeError):
    """Your role does not permit this."""


class ConfigurationError(HoraeError):
    """A setting is missing or wrong."""


class SchemaMismatch(HoraeError):
    """The database schema does not fit this version of Horae."""


class StoreUnavailable(HoraeError):
    """The database cannot be reached right now; the same call may succeed later."""


class BrokerUnavailable(HoraeError):
    """The broker cannot be reached right now. Runs stay queued, and are published when it is back."""


class StoreRefused(StoreUnavailable):
    """The database server answers but refuses the connection: wrong user or password, or no such database. Retrying
    rarely helps."""


class InUse(HoraeError):
    """The table is in use: waiting for it would block everyone else. Try again later."""


class NeedsTransaction(HoraeError):
    """A verb outside of a transaction found that it has to write more than one statement. Nothing was changed: the
    store runs it again in a transaction."""


class DuplicateKey(HoraeError):
    """A row with this unique key exists already."""


class PermanentError(HoraeError):
    """Raised by a user's function: this attempt failed and no further attempt can help."""


class RetryLater(HoraeError):
    """Raised by a user's function: this attempt failed, and the next one must not start before that many seconds have
    passed."""

    def __init__(self, seconds: float, message: str | None = None) -> None:
        super().__init__(message or f"retry in {seconds:g} s at the earliest")
        self.seconds = float(seconds)


class Cancelled(BaseException):
    """Raised inside a plain function that must stop: its run was cancelled, timed out, or its worker is shutting down.
    Like KeyboardInterrupt it is not caught by `except Exception`, so that `finally` and `with` clean up."""
