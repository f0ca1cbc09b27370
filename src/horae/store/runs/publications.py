"""When queued runs were published to a broker, and the walk over them. Lanes are read in the order of their index, from
a position on and in portions, so that runs which are not due, and those of other queues, cost nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from itertools import islice

from horae.domain.runs.claim import Claimant
from horae.domain.runs.claimable import Claimable
from horae.domain.runs.publication import Position, Published, RunLane, Unclaimed
from horae.domain.text.ids import is_id
from horae.store.dialects.base import Dialect
from horae.store.rows import Group
from horae.store.runs.lanes import PAUSED, lanes, ready
from horae.store.runs.stranded import wants

_TOGETHER = 40  # lanes that one statement reads


class PublicationTable(Group):
    async def lanes(self, carried: Callable[[str], bool]) -> list[RunLane]:
        wanted = [(queue, needs) for queue, needs in await wants(self.db, self.d) if carried(queue)]
        if not wanted:
            return []
        queues, offers = sorted({queue for queue, _ in wanted}), sorted({needs for _, needs in wanted})
        found = await lanes(self.db, self.d, offers, queues)
        return [RunLane(lane.queue, lane.priority, lane.needs, lane.due_at) for lane in found]

    async def due(
        self, portions: Sequence[tuple[RunLane, Position]], *, within: float, limit: int
    ) -> list[tuple[RunLane, Published]]:
        found: list[tuple[RunLane, Published]] = []
        for some in _chunks(portions):
            params: dict[str, object] = {"within": within, "limit": limit}
            for n, (lane, after) in enumerate(some):
                params |= {f"needs{n}": lane.needs, f"queue{n}": lane.queue, f"priority{n}": lane.priority}
                params |= {f"due{n}": after.due_at, f"id{n}": after.id}
            rows = await self.db.fetch(_due(self.d, len(some)), params)
            found += [(some[r["lane"]][0], Published(r["id"], r["due_at"], r["published_at"])) for r in rows]
        return found

    async def unpublished(self, run_ids: Collection[str]) -> list[Claimable]:
        if not (ids := _ids(run_ids)):
            return []
        rows = await self.db.fetch(
            f"SELECT id, queue, priority, due_at FROM runs WHERE {self.d.among('id', 'ids')} AND {ready()} "
            f"AND due_at <= {self.d.now} AND (published_at IS NULL OR published_at < due_at) "
            f"AND NOT {PAUSED.format(queue='runs.queue')}",
            {"ids": ids},
        )
        return [Claimable(row["id"], row["queue"], row["priority"], row["due_at"]) for row in rows]

    async def confirm(self, run_ids: Collection[str]) -> None:
        await self._set(run_ids, self.d.now)

    async def withdraw(self, run_ids: Collection[str]) -> None:
        await self._set(run_ids, "NULL")

    async def _set(self, run_ids: Collection[str], value: str) -> None:
        if not (ids := _ids(run_ids)):
            return
        await self.db.execute(
            f"UPDATE runs SET published_at = {value} WHERE {self.d.among('id', 'ids')} AND {ready()}",
            {"ids": ids},
        )

    async def unclaimed(self, run_ids: Collection[str], claimant: Claimant) -> Unclaimed:
        if not (ids := _ids(run_ids)):
            return Unclaimed((), ())
        rows = await self.db.fetch(
            f"SELECT id, needs, project_id, CASE WHEN due_at <= {self.d.now} "
            f"AND NOT {PAUSED.format(queue='runs.queue')} THEN 1 ELSE 0 END AS ready "
            f"FROM runs WHERE {self.d.among('id', 'ids')} AND {ready()}",
            {"ids": ids},
        )
        busy = [
            row["id"]
            for row in rows
            if row["ready"]
            and row["needs"] in claimant.offers
            and (not claimant.project_ids or row["project_id"] in claimant.project_ids)
        ]
        return Unclaimed(busy, [row["id"] for row in rows if row["id"] not in busy])


def _ids(run_ids: Collection[str]) -> list[str]:
    return [run_id for run_id in run_ids if is_id(run_id)]


def _chunks(portions: Sequence[tuple[RunLane, Position]]) -> Iterator[list[tuple[RunLane, Position]]]:
    rest = iter(portions)
    while some := list(islice(rest, _TOGETHER)):
        yield some


@cache
def _due(d: Dialect, count: int) -> str:
    each = (
        f"SELECT * FROM (SELECT {{n}} AS lane, id, due_at, published_at FROM runs WHERE {ready()} "
        "AND needs = :needs{n} AND queue = :queue{n} AND priority = :priority{n} "
        f"AND due_at >= :due{{n}} AND (due_at > :due{{n}} OR id > :id{{n}}) AND due_at <= {d.later(':within')} "
        "ORDER BY due_at, id LIMIT :limit) AS lane{n}"
    )
    return " UNION ALL ".join(each.format(n=n) for n in range(count))
