"""Failures between Horae and a database. Drivers' own errors are mapped to these, in one place per driver."""

from __future__ import annotations

from horae.domain.errors import DuplicateKey, StoreRefused, StoreUnavailable

__all__ = ["ConnectionLost", "Crowded", "DuplicateKey", "StoreRefused", "StoreUnavailable", "TryAgain"]


class TryAgain(StoreUnavailable):
    """Another transaction was in the way (a deadlock, a lock timeout); nothing was changed."""


class ConnectionLost(StoreUnavailable):
    """The connection to the database broke; whether the last statement took effect is unknown."""


class Crowded(StoreUnavailable):
    """The server answers but has no room for another connection."""
