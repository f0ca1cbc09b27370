"""Sight: which names of queues the members of a project may see. Read-only."""

from __future__ import annotations

from collections.abc import Collection

from horae.domain.people.sight import Sight
from horae.lifecycle.queues import DEFAULT, PAGE
from horae.ports import Transaction


async def sight(tx: Transaction, project_id: str, *, named: Collection[str]) -> Sight:
    """Those that its jobs name (`queue_use`), those reserved for it, and `default`."""
    project = await tx.access.project(project_id)
    kept = await tx.reservations.queues_of(project_id, limit=PAGE, after=None)
    slugs = frozenset() if project is None else frozenset({project.slug})
    return Sight(frozenset({DEFAULT, *named, *kept}), slugs)
