"""Functions that come with Horae, on every worker that executes `python` targets: for experiments."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from pydantic import Field

from horae.domain.errors import PermanentError
from horae.domain.jobs.task import SYSTEM, Context, Registry, describe

_STEPS = 100


async def noop() -> None:
    """Does nothing, successfully."""


async def sleep(seconds: Annotated[float, Field(ge=0, le=604_800)], context: Context) -> None:
    """Waits for so many seconds, and reports progress."""
    steps = max(1, min(_STEPS, round(seconds)))
    for step in range(steps):
        context.progress(step / steps, f"{seconds * step / steps:.0f} of {seconds:g} s")
        await asyncio.sleep(seconds / steps)
    context.progress(1.0)


async def fail(message: str = "as requested", permanent: bool = False) -> None:
    """Fails with a message: for testing retries and alerts."""
    raise PermanentError(message) if permanent else RuntimeError(message)


async def echo(value: Any = None) -> Any:
    """Returns its argument."""
    return value


def add_system_functions(registry: Registry) -> Registry:
    for call in (noop, sleep, fail, echo):
        registry.add(describe(call, name=SYSTEM + call.__name__))
    return registry
