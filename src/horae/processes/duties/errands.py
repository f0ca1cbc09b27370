"""What a duty has under way beside its steps: tasks, at most one for each key. The end of each wakes the duty."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from functools import partial
from typing import Any

from horae.processes.loop import Wake

_FAREWELL = 5.0  # seconds


class Errands:
    def __init__(self, wake: Wake) -> None:
        self._wake = wake
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def keys(self) -> list[str]:
        return sorted(self._tasks)

    def begin(self, key: str, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks[key] = task
        task.add_done_callback(partial(self._over, key))

    def _over(self, key: str, _: object) -> None:
        self._tasks.pop(key, None)
        self._wake.set()

    async def over(self) -> None:
        """Waits for those that are under way now."""
        await asyncio.gather(*self._tasks.values())

    async def close(self) -> None:
        """Waits for a moment, then cancels the rest."""
        tasks = list(self._tasks.values())
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=_FAREWELL)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
