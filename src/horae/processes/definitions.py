"""A cache of the definitions of claimed runs. Many runs share one, and they never change."""

from __future__ import annotations

from collections.abc import Collection

from horae.domain.errors import StoreUnavailable
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.unreadable import missing_spec
from horae.domain.runs.claim import Claimed
from horae.ports import Controller, Definition
from horae.processes.loop import log

_KEPT = 10_000


class DefinitionCache:
    def __init__(self, controller: Controller, worker_id: str) -> None:
        self._controller, self._worker_id = controller, worker_id
        self._known: dict[Definition, JobSpec] = {}
        self._spoken_of: set[Definition] = set()

    async def of(self, runs: Collection[Claimed]) -> dict[Definition, JobSpec]:
        """By job and version. Runs whose definition cannot be read are released, and it is not in the result. That
        comes first: if the database is unreachable, nothing has started yet, and the whole claim can be repeated."""
        wanted = {(run.job_id, run.version) for run in runs}
        if len(self._known) + len(wanted) > _KEPT:
            self._known.clear()
        # Unreadable ones are not cached: the row may be repaired.
        reasons: dict[Definition, str] = {}
        if missing := wanted - self._known.keys():
            found = await self._controller.definitions(missing)
            specs = {pair: found.get(pair) or missing_spec(pair[1]) for pair in missing}
            reasons = {pair: reason for pair, spec in specs.items() if (reason := spec.fault)}
            self._known |= {pair: spec for pair, spec in specs.items() if pair not in reasons}
        if reasons:
            await self._give_back([run for run in runs if (run.job_id, run.version) in reasons], reasons)
        return {pair: self._known[pair] for pair in wanted - reasons.keys()}

    async def _give_back(self, runs: list[Claimed], reasons: dict[Definition, str]) -> None:
        for pair in reasons.keys() - self._spoken_of:
            self._spoken_of.add(pair)
            log.warning(
                "cannot read a definition: returning its runs to the queue",
                job=pair[0],
                version=pair[1],
                reason=reasons[pair],
            )
        try:
            await self._controller.give_back(self._worker_id, runs, reasons)
        except StoreUnavailable:
            raise
        except Exception:  # their leases expire; the other runs need not wait for that
            log.warning("could not return runs whose definition cannot be read", exc_info=True)
