"""Roles and permissions: each role has all permissions of the previous one, and some more."""

from __future__ import annotations

_VIEWER = frozenset(
    {
        *("jobs:read", "runs:read", "schedules:preview", "operations:read", "workers:read", "schedulers:read"),
        *("functions:read", "queues:read", "alerts:read", "channels:read", "pings:read", "badges:read"),
        *("sinks:read", "account:own", "projects:read"),
    }
)
_OPERATOR = _VIEWER | {
    *("jobs:run", "jobs:pause", "jobs:backfill", "pings:pause"),
    *("runs:cancel", "runs:recover", "operations:cancel", "dead_letters:resolve", "alerts:ack"),
}
_EDITOR = _OPERATOR | {
    *("jobs:write", "alerts:write", "channels:write", "pings:write", "badges:write"),
    "secrets:read",  # their names; their values cannot be read
}
# Definitions of some kinds are code that workers execute: a separate permission, which editing jobs does not include.
_OWNER = _EDITOR | {
    *("jobs:code", "secrets:write", "sinks:write", "projects:edit"),
    *("members:read", "members:write", "keys:read", "keys:write", "audit:read"),
}

ROLES: dict[str, frozenset[str]] = {
    "viewer": _VIEWER,
    "operator": _OPERATOR,
    "editor": _EDITOR,
    "owner": _OWNER,
    # of the whole installation, not of one project
    "admin": _OWNER
    | {
        *("metrics:read", "functions:write", "users:read", "users:write", "projects:manage"),
        *("queues:pause", "queues:reserve", "queues:engine", "workers:drain", "workers:keys"),
    },
}
MEMBER_ROLES = tuple(role for role in ROLES if role != "admin")  # the roles in a project
PERMISSIONS: frozenset[str] = frozenset().union(*ROLES.values())
DATA_KINDS = frozenset({"http"})  # all others are code, and so is what cannot be read, since its kind is unknown


def above(role: str, other: str) -> bool:
    """Whether the first has more permissions than the second."""
    order = list(ROLES)
    return order.index(role) > order.index(other)
