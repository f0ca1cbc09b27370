"""What can go wrong between Horae and a database. Drivers' own errors are mapped to these, at one edge per driver."""

from __future__ import annotations

from horae.domain.errors import DuplicateKey, StoreRefused, StoreUnavailable

__all__ = ["ConnectionLost", "Crowded", "DuplicateKey", "StoreRefused", "StoreUnavailable", "TryAgain"]


class TryAgain(StoreUnavailable):
    """Another transaction was in the way (a deadlock, a lock that took too long); nothing was changed."""


class ConnectionLost(StoreUnavailable):
    """The connection to the database broke; whether the last statement took effect is unknown."""


class Crowded(StoreUnavailable):
    """The server answers and has no place for a further connection."""
