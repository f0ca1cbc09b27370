"""Who created a key or an invitation: by id, or by name in rows of older versions."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from horae.domain.people.account import User

EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)


def made_by(alias: str) -> str:
    """A condition on `:maker_id`, `:actor` and `:since`: a name may have belonged to another user before."""
    by_name = f"{alias}.maker_id IS NULL AND {alias}.created_by = :actor AND {alias}.created_at >= :since"
    return f"({alias}.maker_id = :maker_id OR ({by_name}))"


def by(user: User) -> dict[str, Any]:
    return {"maker_id": user.id, "actor": f"user:{user.username}", "since": user.created_at}
