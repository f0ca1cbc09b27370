"""Wake-ups between simulated processes: they may be lost, late, or come twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.simulation.process import Process
    from tests.simulation.world import World

TOPICS = {"scheduler": ("jobs", "shards", "publish"), "worker": ("runs", "cancel", "workers"), "serve": ()}


class Bus:
    def __init__(self, world: World) -> None:
        self._world = world
        self.silent = False

    async def send(self, sender: Process, hints: Sequence[str]) -> None:
        for hint in () if self.silent else hints:
            topic = hint.partition(":")[0]
            for process in self._world.processes.values():
                if process.alive and topic in TOPICS[process.name.partition("-")[0]]:
                    self._deliver(sender, process, hint)

    def _deliver(self, sender: Process, process: Process, hint: str) -> None:
        fault = sender.hint_fault()
        delay = 0.0005
        if fault == "lost":
            return
        if fault == "late":
            delay = sender.chance.uniform(0, 20)
        for _ in range(2 if fault == "twice" else 1):
            process.main.context.run(self._world.loop.call_later, delay, process.on_hint, hint)
