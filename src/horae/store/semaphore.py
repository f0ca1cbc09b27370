"""A few places that many want: taken in the order of asking, and asked for no longer than agreed."""

from __future__ import annotations

import asyncio

from horae.store.failures import StoreUnavailable


class PatientSemaphore:
    """As a context: one place. `patience` are the seconds that somebody waits for it, None for as long as it takes."""

    def __init__(self, count: int, patience: float | None, taken: str) -> None:
        self._free = asyncio.Semaphore(count)
        self._patience, self._taken = patience, taken

    async def __aenter__(self) -> None:
        if not self._free.locked():
            await self._free.acquire()
            return
        try:
            async with asyncio.timeout(self._patience):
                await self._free.acquire()
        except TimeoutError:
            raise StoreUnavailable(self._taken) from None

    async def __aexit__(self, *_: object) -> None:
        self._free.release()
