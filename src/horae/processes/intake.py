"""What becomes of claimed runs in a worker: their definitions are read and their secrets opened, then they start."""

from __future__ import annotations

from horae.domain.run import Claimed
from horae.ports import Store
from horae.processes.definitions import Definitions
from horae.processes.reporter import Reporter
from horae.processes.settings import WorkerSettings
from horae.processes.slots import Slots
from horae.processes.vault import Vault


class Intake:
    def __init__(
        self, worker_id: str, store: Store, settings: WorkerSettings, slots: Slots, reporter: Reporter
    ) -> None:
        self._settings, self._slots, self._reporter = settings, slots, reporter
        self._vault = Vault(store, settings.seals)
        self._definitions = Definitions(store, worker_id)

    def room(self) -> int:
        """Free slots, less what is not reported yet beyond one more round of them: results must not pile up."""
        slots = self._settings.slots
        return min(slots - len(self._slots), 2 * slots - len(self._slots) - self._reporter.unreported)

    async def take(self, runs: list[Claimed], leased_until: float) -> None:
        """Starts runs whose leases surely hold until then. If the database is away, none of them has started."""
        specs = await self._definitions.of(runs)
        readable = [run for run in runs if (run.job_id, run.version) in specs]
        opened = await self._vault.open(readable, specs)
        for run in readable:
            self._slots.start(run, specs[run.job_id, run.version], opened.get(run.id), leased_until=leased_until)
