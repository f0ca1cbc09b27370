"""Idle: what processes with nothing to do cost in memory, processor time and statements."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from sqlalchemy.engine import make_url

from bench.figure import Figure
from bench.http import free_port
from bench.options import Options
from bench.place import Place, fresh
from bench.process import Process, horae
from bench.wire import Counter, counted

SETTLE = 12.0  # until a worker polls as rarely as it ever will
RSS = {"worker": (120, 80)}


async def measure(kind: str, options: Options) -> list[Figure]:
    """Each process alone on its own database, all at the same time."""
    commands = {"worker": ("worker", "--import", "bench.tasks"), "scheduler": ("scheduler",), "serve": ("serve",)}
    found = await asyncio.gather(*(_watch(kind, words, options.seconds) for words in commands.values()))
    return [figure for figures in found for figure in figures]


async def _watch(kind: str, words: tuple[str, ...], seconds: float) -> list[Figure]:
    if words[0] == "serve":
        words = (*words, "--port", str(free_port()))
    async with fresh(kind) as place, _counted(place) as (seen, counter), horae(seen, *words) as process:
        await asyncio.sleep(SETTLE)
        cpu, statements = process.cpu(), counter.statements
        await asyncio.sleep(seconds)
        return _figures(
            words[0], place, process, (process.cpu() - cpu) / seconds, (counter.statements - statements) / seconds
        )


def _figures(name: str, place: Place, process: Process, busy: float, statements: float) -> list[Figure]:
    floor, target = RSS.get(name, (None, None))
    figures = [
        Figure(f"idle {name}: RSS", place.title, (process.rss() / 2**20,), "MiB", floor, target, less=True),
        Figure(f"idle {name}: CPU", place.title, (busy * 100,), "% of a core", target=1, less=True),
    ]
    if place.kind == "postgresql":
        figures.append(
            Figure(f"idle {name}: statements", place.title, (statements,), "per second", target=2, less=True)
        )
    return figures


@asynccontextmanager
async def _counted(place: Place) -> AsyncIterator[tuple[Place, Counter]]:
    """The same place, reached through a proxy that counts."""
    if place.kind != "postgresql":
        yield place, Counter()
        return
    url = make_url(place.url)
    async with counted(url.host or "127.0.0.1", url.port or 5432) as (port, counter):
        through = url.set(host="127.0.0.1", port=port).render_as_string(hide_password=False)
        yield replace(place, url=through), counter
