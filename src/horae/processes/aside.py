"""Results that wait for a quota: dependent jobs need places of it, and another transaction has locked it. They are
reported separately from those of other projects, which must not wait for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence

from horae.domain.errors import StoreUnavailable
from horae.processes.loop import Wake
from horae.processes.results import Done, cut

_PAUSE = 1.0  # seconds, once the database has given up waiting for a lock


class Aside:
    """`report` writes a batch of one project, and waits for its lock."""

    def __init__(self, report: Callable[[Sequence[Done]], Awaitable[None]]) -> None:
        self._report = report
        self._waiting: list[Done] = []
        self.wake = Wake()

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[Done]:
        return iter(self._waiting)

    def take(self, batch: Sequence[Done], project_ids: Collection[str]) -> list[Done]:
        """Keeps those of these projects; returns the others."""
        self._waiting += [done for done in batch if done[0].run.project_id in project_ids]
        self.wake.set()
        return [done for done in batch if done[0].run.project_id not in project_ids]

    async def step(self) -> float | None:
        if not self._waiting:
            return None
        try:
            await self.report_some()
        except StoreUnavailable:  # if it is unreachable, the reporter says so
            return _PAUSE
        return 0

    async def report_some(self) -> None:
        """Those of the project that has waited longest; if that fails again, the others come first."""
        first = self._waiting[0][0].run.project_id
        batch, _ = cut([done for done in self._waiting if done[0].run.project_id == first])
        written = False
        try:
            await self._report(batch)
            written = True
        finally:
            tried = {id(done) for done in batch}
            rest = [done for done in self._waiting if id(done) not in tried]
            self._waiting = rest if written else rest + batch
