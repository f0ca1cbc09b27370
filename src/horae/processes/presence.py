"""A worker's registration: it signs on, registers its functions now and then, learns those that admins registered by
path, and signs off."""

from __future__ import annotations

from collections.abc import Callable

from horae.domain.cluster.process import WorkerSign
from horae.domain.jobs.function import NEEDS
from horae.ports import Clock, Controller, PathLearner
from horae.processes.loop import Loop, log
from horae.processes.settings import WorkerSettings

_REGISTER = 600.0  # seconds
_LOOK = 60.0  # seconds between looks at the paths, in case a hint was lost


class Presence:
    """`offer` makes the worker claim what it can execute from now on."""

    def __init__(
        self,
        sign: WorkerSign,
        controller: Controller,
        settings: WorkerSettings,
        clock: Clock,
        offer: Callable[[tuple[str, ...]], None],
    ) -> None:
        self._sign, self._controller, self._settings, self._clock = sign, controller, settings, clock
        self._offer = offer
        self._register_at = 0.0
        self._paths: dict[str, str] = {}
        self._offers = sign.offers
        self.loop = Loop("functions", self._step)

    async def sign_on(self) -> None:
        await self._controller.sign_on(self._sign)
        await self._register_functions()

    def look(self) -> None:
        """The paths have changed."""
        self.loop.wake.set()

    async def _step(self) -> float:
        again = await self._register_functions()
        if self._settings.by_path is None:
            return _REGISTER
        await self._learn(self._settings.by_path, again=again)
        return _LOOK

    async def _register_functions(self) -> bool:
        """Now and then: a function that still exists may have been deleted, and `last_seen_at` must stay current."""
        if self._clock.monotonic() < self._register_at:
            return False
        await self._controller.register_functions(self._settings.functions)
        self._register_at = self._clock.monotonic() + _REGISTER
        return True

    async def _learn(self, by_path: PathLearner, *, again: bool) -> None:
        """`again`: even if no path has changed. What could not be imported may be installed by now."""
        own = {sign.name for sign in self._settings.functions}
        paths = {name: path for name, path in (await self._controller.function_paths()).items() if name not in own}
        if paths == self._paths and not (again and paths):
            return
        found = await by_path.learn(paths)
        offers = tuple(sorted({*self._sign.offers, *(NEEDS + name for name in found.functions)}))
        await self._controller.report_paths(paths, found, self._sign.name)
        if offers != self._offers:
            await self._controller.offer(self._sign.id, offers)
            self._offers = offers
            self._offer(offers)
            log.info("functions by path", functions=sorted(found.functions), failed=sorted(found.errors))
        self._paths = paths

    async def say_goodbye(self, runs_done: int) -> None:
        try:
            await self._controller.sign_off(self._sign.id, runs_done)
        except Exception as error:
            log.warning("could not record the shutdown", reason=str(error))
