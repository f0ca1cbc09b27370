"""A worker's registration: it signs on, registers its functions now and then, and signs off."""

from __future__ import annotations

from horae.domain.cluster.process import WorkerSign
from horae.lifecycle.functions import register_functions
from horae.ports import Clock, Store, Transaction
from horae.processes.loop import Loop, log
from horae.processes.settings import WorkerSettings

_REGISTER = 600.0  # seconds


class Presence:
    def __init__(self, sign: WorkerSign, store: Store, settings: WorkerSettings, clock: Clock) -> None:
        self._sign, self._store, self._settings, self._clock = sign, store, settings, clock
        self._register_at = 0.0
        self.loop = Loop("functions", self._register_functions)

    async def sign_on(self) -> None:
        await self._store.transact(_register, self._sign)
        await self._register_functions()

    async def _register_functions(self) -> float:
        """Now and then: a function that still exists may have been deleted, and `last_seen_at` must stay current."""
        if self._clock.monotonic() >= self._register_at:
            await self._store.transact(register_functions, self._settings.functions)
            self._register_at = self._clock.monotonic() + _REGISTER
        return _REGISTER

    async def say_goodbye(self, runs_done: int) -> None:
        try:
            await self._store.transact(lambda tx: tx.processes.stop_worker(self._sign.id, runs_done))
        except Exception as error:
            log.warning("could not record the shutdown", reason=str(error))


async def _register(tx: Transaction, sign: WorkerSign) -> None:
    await tx.processes.register_worker(sign)
    tx.hint(f"workers:{sign.host.key}")  # its neighbours watch it from now on
