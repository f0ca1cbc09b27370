"""The only way in which a test waits: for something to become true."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


async def until(
    condition: Callable[[], T | Awaitable[T]],
    *,
    timeout: float = 30,
    message: str = "",
    every: float = 0.02,
) -> T:
    """Calls `condition` until it gives something true, and returns that; fails after `timeout` seconds."""
    end = time.monotonic() + timeout
    while True:
        answer = condition()
        value: T = await answer if inspect.isawaitable(answer) else answer
        if value:
            return value
        if time.monotonic() >= end:
            name = getattr(condition, "__qualname__", repr(condition))
            raise AssertionError(f"not within {timeout} s: {message or name} (last answer: {value!r})")
        await asyncio.sleep(every)
