"""What is looked at every few seconds: the processes, the database's tables, and how long runs wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

import psutil

from horae.domain.errors import StoreUnavailable
from tests.faults.tally import percentile
from tests.integration.cluster.cluster import Cluster
from tests.soak.series import Recording
from tests.soak.town import Town

HOT = ("runs", "jobs", "job_gates", "shards", "workers", "schedulers", "operations", "run_stats")
MEMORY, FILES, ZOMBIES, BLOAT = "memory", "open files", "zombies", "hot tables"
WAITING, CLAIMS, HISTORY, CONNECTIONS = "live runs", "due to started", "history", "connections of the server"
EVERYWHERE = (MEMORY, FILES, ZOMBIES, WAITING, CLAIMS)
ON_SERVERS = (*EVERYWHERE, BLOAT, HISTORY, CONNECTIONS)
_SIZES = {
    "postgresql": "SELECT relname AS name, pg_total_relation_size(relid) AS size FROM pg_stat_user_tables",
    "mysql": "SELECT table_name AS name, data_length + index_length AS size FROM information_schema.tables "
    "WHERE table_schema = DATABASE()",
}
_CONNECTED = {
    "postgresql": "SELECT COUNT(*) AS n FROM pg_stat_activity WHERE datname = current_database()",
    "mysql": "SELECT COUNT(*) AS n FROM information_schema.processlist WHERE db = DATABASE()",
}


class Sampler:
    def __init__(self, town: Town, kind: str, recording: Recording, now: Callable[[], float]) -> None:
        self._town, self._kind, self._recording, self._now = town, kind, recording, now
        self._cluster: Cluster = town.cluster
        self._since: datetime | None = None

    async def go_on(self, every: float) -> None:
        while True:
            self._processes()
            with suppress(StoreUnavailable):
                await self._database()
            await asyncio.sleep(every)

    def _add(self, plot: str, unit: str, series: str, value: float) -> None:
        self._recording.add(plot, unit, series, self._now(), value)

    def _processes(self) -> None:
        zombies = 0
        for place in self._town.places:
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                process = psutil.Process(place.member.pid)
                tree = [process, *process.children(recursive=True)]
                zombies += sum(_is_zombie(one) for one in tree[1:])
                self._add(MEMORY, "MiB", place.name, process.memory_info().rss / 2**20)
                self._add(FILES, "descriptors", place.name, process.num_fds())
        self._add(ZOMBIES, "processes", "children that nobody waits for", zombies)

    async def _database(self) -> None:
        for status in ("queued", "running"):
            self._add(WAITING, "runs", status, await self._cluster.count(f"runs WHERE status = '{status}'"))
        await self._claims()
        if self._kind in _SIZES:
            await self._tables()

    async def _claims(self) -> None:
        """Of the runs that ended since the last look, those that began with their first attempt."""
        rows = await self._cluster.ask(
            "SELECT due_at, started_at, finished_at FROM run_history WHERE attempt = 1 AND started_at IS NOT NULL "
            "ORDER BY id DESC LIMIT 500"
        )
        fresh = [row for row in rows if self._since is None or row["finished_at"] > self._since]
        if not fresh:
            return
        self._since = max(row["finished_at"] for row in fresh)
        waits = [max((row["started_at"] - row["due_at"]).total_seconds(), 0) * 1_000 for row in fresh]
        for name, share in (("p50", 0.5), ("p99", 0.99)):
            self._add(CLAIMS, "ms", name, percentile(waits, share) or 0)

    async def _tables(self) -> None:
        rows = {row["name"]: row for row in await self._cluster.ask(_SIZES[self._kind])}
        for name in HOT:
            if name in rows:
                self._add(BLOAT, "MiB", name, float(rows[name]["size"]) / 2**20)
        history = float(sum(row["size"] or 0 for name, row in rows.items() if name.startswith("run_history")))
        self._add(HISTORY, "MiB", "run_history", history / 2**20)
        (count,) = await self._cluster.ask(_CONNECTED[self._kind])
        self._add(CONNECTIONS, "connections", "all", count["n"])


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
