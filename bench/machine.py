"""The machine that measures: how busy others keep it, since that is part of every figure."""

from __future__ import annotations

import asyncio
import platform
import time

import psutil

QUIET = 15.0  # percent of all cores that others may use


async def busy(seconds: float = 1.0) -> float:
    """Percent of all cores in use while nothing is being measured."""
    psutil.cpu_percent()
    await asyncio.sleep(seconds)
    return float(psutil.cpu_percent())


async def quiet(patience: float) -> float:
    """Waits for a quiet moment, at most this many seconds; how busy the machine is then."""
    end = time.monotonic() + patience
    percent = await busy()
    while percent > QUIET and time.monotonic() < end:
        percent = await busy()
    return percent


def described() -> str:
    memory = psutil.virtual_memory().total / 2**30
    return f"{psutil.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}, Python {platform.python_version()}"
