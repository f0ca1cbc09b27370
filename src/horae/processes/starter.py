"""What happens to claimed runs in a worker: their definitions are read and their secrets decrypted, then they start, as
soon as there are slots for them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from horae.domain.errors import HoraeError
from horae.domain.runs.attempt import Lease
from horae.domain.runs.claim import NOT_AHEAD, Ahead, Claimed
from horae.domain.runs.events import RunsClaimed, RunsStarted
from horae.domain.runs.states import StopReason
from horae.ports import Clock, Controller
from horae.processes.definitions import DefinitionCache
from horae.processes.loop import log
from horae.processes.prefetch import Arrival, Prefetch, Ready
from horae.processes.reporter import Reporter
from horae.processes.settings import WorkerSettings
from horae.processes.slots import Slots
from horae.processes.vault import Vault

_UNREPORTED = 6000  # results that may wait to be reported, in addition to one round of slots


class Starter:
    def __init__(
        self,
        worker_id: str,
        controller: Controller,
        settings: WorkerSettings,
        clock: Clock,
        slots: Slots,
        reporter: Reporter,
    ) -> None:
        self._worker_id, self._controller, self._settings, self._clock = worker_id, controller, settings, clock
        self._slots, self._reporter = slots, reporter
        self._vault = Vault(controller)
        self._definitions = DefinitionCache(controller, worker_id)
        self._prefetch = Prefetch(settings, clock)
        self._releasing: list[Ready] = []  # must not be started here
        self.closed = False

    def room(self) -> tuple[int, Ahead]:
        """Free slots, and how many runs to claim ahead of them. Unreported results must not pile up: then there is room
        for fewer, or none."""
        slots, here = self._settings.slots, len(self._slots) + len(self._prefetch)
        most = 2 * slots if self._reporter.heavy else slots + max(slots, _UNREPORTED)
        left = max(most - here - self._reporter.unreported, 0)
        free = min(max(slots - here, 0), left)
        wanted = self._prefetch.wanted()
        return free, Ahead(min(wanted.runs, left - free), wanted.seconds) if wanted.runs else NOT_AHEAD

    async def take(self, runs: list[Claimed], leased_until: float) -> bool:
        """Accepts runs whose leases are certain until then. If the database is unreachable, none of them has started.
        False if some must not wait here: then no such runs should be prefetched."""
        if not runs:
            return True
        arrival = Arrival(self._clock.monotonic(), runs[0].started_at)
        specs = await self._definitions.of(runs)
        opened = await self._vault.open(runs, specs)
        ready = [
            Ready(run, spec, opened.get(run.id), Lease(leased_until), arrival)
            for run in runs
            if (spec := specs.get((run.job_id, run.version))) is not None
        ]
        # A run with a single attempt would fail if this worker died, although it had never started.
        once = [one for one in ready if one.run.ahead and one.job.retry.max_attempts == 1]
        if once:
            self._releasing += once
            ready = [one for one in ready if one not in once]
        self._prefetch.add(ready)
        self.fill(runs)
        return not once

    def fill(self, claimed: Sequence[Claimed] = ()) -> None:
        """Starts runs in free slots. `claimed` are runs that were just accepted."""
        free = 0 if self.closed else self._settings.slots - len(self._slots)
        started = self._slots.start(self._prefetch.take(free))
        # Observers are notified after the start: writing a line takes as long as starting a run.
        soon = asyncio.get_running_loop().call_soon
        if claimed:
            soon(self._controller.tell, RunsClaimed(claimed, self._worker_id))
        if started:
            soon(self._controller.tell, RunsStarted(started, self._worker_id))

    @property
    def ahead(self) -> int:
        """Runs that are claimed and wait for a slot."""
        return len(self._prefetch)

    def ended(self, seconds: float) -> None:
        """A slot is free, after so much time; `fill` starts what comes next."""
        self._prefetch.ended(seconds)

    @property
    def hungry(self) -> bool:
        """Whether it may be time to claim more."""
        return self._prefetch.low and (len(self._prefetch) > 0 or len(self._slots) < self._settings.slots)

    @property
    def busy(self) -> bool:
        """Whether runs are so short that some wait for their turn."""
        return len(self._prefetch) > 0

    @property
    def stuck(self) -> bool:
        """Whether there is something to release."""
        waits = self._prefetch.stuck or (self.closed and len(self._prefetch))
        return bool(self._releasing or waits)

    async def release(self) -> None:
        """Releases runs that wait for too long, or all when the worker takes no more."""
        if self._prefetch.stuck or self.closed:
            self._releasing += self._prefetch.empty()
        if not self._releasing:
            return
        try:
            await self._controller.release([one.run for one in self._releasing])
        except HoraeError:
            raise  # the database is unreachable or busy: it is retried
        except Exception:  # their leases expire; the next claim need not wait for that
            log.warning("could not release runs that were claimed ahead", exc_info=True)
        self._releasing = []

    # For the heartbeat, on its thread

    def held(self) -> dict[str, str]:
        """Run id → token of what waits here."""
        return {one.run.id: one.run.token for one in self._releasing} | self._prefetch.held()

    def renewed(self, run_id: str, token: str, until: float) -> None:
        if (ready := self._prefetch.find(run_id, token)) is not None:
            ready.lease.move(until)

    def stop(self, run_id: str, token: str, reason: StopReason) -> bool:
        """Ends a run that waits here, without starting it; False if it is not here. On the worker's own thread."""
        ready = self._prefetch.remove(run_id, token)
        if ready is None:
            return False
        self._slots.refuse(ready, reason)
        return True
