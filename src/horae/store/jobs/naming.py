"""Which jobs name something in their current definitions, such as a secret or a channel."""

from __future__ import annotations

from collections.abc import Callable

from horae.store.dialects.base import Row
from horae.store.rows import Group

_LOOKED_AT = 200  # definitions at a time


async def jobs_that_name(
    tables: Group, project_id: str, word: str, names: Callable[[str], bool], limit: int
) -> list[Row]:
    """The first jobs of a project whose definition contains `word` and passes `names`, by name."""
    found: list[Row] = []
    after = ""
    while len(found) < limit:
        rows = await tables.db.fetch(
            "SELECT j.id, j.name, j.enabled, j.paused, s.spec FROM jobs j "
            "JOIN job_versions s ON s.job_id = j.id AND s.version = j.version "
            f"WHERE j.project_id = :project_id AND j.name > :after AND {tables.d.holds('s.spec', 'word')} "
            "ORDER BY j.name LIMIT :limit",
            {"project_id": project_id, "after": after, "word": word, "limit": _LOOKED_AT},
        )
        found += [row for row in rows if names(row["spec"])]
        if len(rows) < _LOOKED_AT:
            break
        after = rows[-1]["name"]
    return found[:limit]
