"""The names, tags and channels of jobs: the parts of their definitions by which notices and events are routed."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from horae.domain.text.ids import is_id
from horae.store.dialects.base import Connection, Dialect
from horae.store.rows import load_object

_LOOKED_AT = 50  # definitions at a time, each of which may be large


class JobLabels(NamedTuple):
    name: str | None = None
    tags: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()


async def labels_of(db: Connection, d: Dialect, ids: Collection[str | None]) -> dict[str, JobLabels]:
    wanted = sorted(id for id in ids if id is not None and is_id(id))
    found: dict[str, JobLabels] = {}
    for start in range(0, len(wanted), _LOOKED_AT):
        rows = await db.fetch(
            "SELECT j.id, j.name, s.spec FROM jobs j "
            "LEFT JOIN job_versions s ON s.job_id = j.id AND s.version = j.version "
            f"WHERE {d.among('j.id', 'ids')}",
            {"ids": wanted[start : start + _LOOKED_AT]},
        )
        for row in rows:
            spec = load_object(row["spec"])
            found[row["id"]] = JobLabels(row["name"], texts(spec.get("tags")), texts(spec.get("notify")))
    return found


def texts(found: Any) -> tuple[str, ...]:
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()
