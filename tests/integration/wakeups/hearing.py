"""Listening in tests."""

from horae.ports import Hint, Wakeups


async def hear(wakeups: Wakeups, topics: set[str]) -> list[Hint]:
    """Starts it; what it hears goes into the list."""
    heard: list[Hint] = []
    await wakeups.start(topics, heard.append)
    return heard
