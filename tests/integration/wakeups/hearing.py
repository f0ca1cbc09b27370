"""Listening in tests."""

from typing import Any

import asyncpg

from horae.ports import Hint, Wakeups
from tests.waiting import until


async def hear(wakeups: Wakeups, topics: set[str]) -> list[Hint]:
    """Starts it; the hints that it receives go into the list."""
    heard: list[Hint] = []
    await wakeups.start(topics, heard.append)
    return heard


async def ready(wakeups: Wakeups) -> None:
    """Waits until hints arrive."""
    await until(lambda: wakeups.reliable)


async def ask(url: str, query: str) -> Any:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()
