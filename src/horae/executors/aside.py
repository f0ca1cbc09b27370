"""Fills in templates off the worker's loop if they might take longer than a few milliseconds. Meanwhile the loop
continues with all other runs, and with the timeout and cancellation of this one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from horae.domain.template import TemplateWork

if TYPE_CHECKING:
    from horae.domain.runs.attempt import Attempt

T = TypeVar("T")

# Not asyncio's own threads, which resolve names. More of them would only compete with the loop for the GIL.
THREADS = 2
_THREADS = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="horae-templates")


async def aside(attempt: Attempt, make: Callable[[], T]) -> T:
    """The result of `make`, which fills in templates of the attempt; it may be called twice, so it must have no other
    effect."""
    attempt.work = TemplateWork(time.thread_time, quick=True)
    try:
        return make()
    except Exception:
        if not attempt.work.spent:
            raise
    attempt.work = work = TemplateWork(time.thread_time)
    try:
        return await asyncio.get_running_loop().run_in_executor(_THREADS, make)
    except asyncio.CancelledError:
        work.stopped = True
        raise
