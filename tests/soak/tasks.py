"""What the workers of a soak carry out."""

from __future__ import annotations

import asyncio
import random

import horae
from tests.integration.cluster.tasks import noted

__all__ = ["brief", "heavy", "moody", "noted", "sleeper", "talkative"]


@horae.task
async def brief(size: int = 0) -> str:
    return "x" * size


@horae.task
async def talkative(lines: int, context: horae.Context) -> None:
    for n in range(lines):
        context.log(f"line {n} of {lines}: {'.' * 60}")
        context.progress(n / lines)


@horae.task
async def moody(share: float) -> None:
    """Fails as often as it is asked to."""
    if random.random() < share:
        raise RuntimeError("one of those days")


@horae.task(isolation="process")
def heavy(size: int) -> int:
    """Takes some memory and some processor time in its own process."""
    return sum(bytearray(size))


@horae.task
async def sleeper(seconds: float) -> None:
    await asyncio.sleep(seconds)
