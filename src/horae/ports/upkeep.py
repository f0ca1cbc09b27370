"""Live processes, and maintenance of the database."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from horae.domain.cluster.process import (
    Beat,
    Host,
    SchedulerRecord,
    SchedulerSign,
    SchedulerStanding,
    ShardView,
    WorkerRecord,
    WorkerSign,
)
from horae.domain.jobs.retention import Retention


class Processes(Protocol):
    """Live workers and schedulers, and the shards they lease."""

    async def register_worker(self, sign: WorkerSign) -> None: ...
    async def set_offers(self, worker_id: str, offers: Sequence[str]) -> None:
        """A worker can execute other things than before."""
        ...

    async def set_queues(self, worker_id: str, queues: Sequence[str]) -> None:
        """The queues that a worker bound to projects serves now."""
        ...

    async def beat_worker(self, worker_id: str, beat: Beat) -> bool | None:
        """Whether it should drain; None if no such worker is registered."""
        ...

    async def stop_worker(self, worker_id: str, runs_done: int) -> None:
        """It has signed off."""
        ...

    async def workers(self, offline_after: float) -> list[WorkerRecord]: ...
    async def current_runs(self, project_id: str, worker_ids: Collection[str], limit: int) -> list[tuple[str, str]]:
        """(worker, run) for the runs of a project that these workers execute, oldest first."""
        ...

    async def request_drain(self, worker_id: str, actor: str) -> None: ...
    async def neighbours(self, host_key: str) -> list[tuple[str, Host]]:
        """Workers that see the same process table and have not signed off."""
        ...

    async def mark_offline(self, worker_ids: Collection[str]) -> None: ...
    async def register_scheduler(self, sign: SchedulerSign) -> None: ...
    async def renew_scheduler(self, scheduler_id: str, lease: float, trouble: str | None = None) -> SchedulerStanding:
        """Its heartbeat, and more time for its shards. It is not registered (any more) if its row was removed; those
        that have beaten within the time of a lease are alive."""
        ...

    async def forget_scheduler(self, scheduler_id: str) -> None: ...
    async def schedulers(self, silent_after: float) -> list[SchedulerRecord]:
        """Each with the shards whose lease is valid."""
        ...

    async def take_shards(self, scheduler_id: str, lease: float, limit: int) -> list[int]: ...
    async def release_shards(self, scheduler_id: str, keep: int = 0) -> None: ...
    async def shards(self) -> list[ShardView]: ...
    async def any_shard_free(self) -> bool: ...


class Upkeep(Protocol):
    """Keeps the database small and ready."""

    async def prune_logs(self, older_than: float, limit: int) -> int: ...
    async def prune_processes(self, older_than: float) -> int: ...
    async def partition(self, older_than: float) -> bool:
        """Creates or drops one partition; False if there was nothing to do. Raises InUse rather than wait."""
        ...

    async def chores(self) -> set[str]:
        """Pending work, queried in one statement. For a sweep: any of `running`, `lost`, `overdue`, `tallies`,
        `deletions`, `operations`. For other duties: `messages`, `events`, `pings`."""
        ...

    async def check_writable(self) -> None:
        """Raises StoreUnavailable if the database does not accept writes, like a standby."""
        ...


class Counters(Protocol):
    """Moves counters to more compact forms; their sums stay the same."""

    async def roll_days(self, older_than: float, limit: int) -> int:
        """Rolls up hours of days that ended that many seconds ago into days; returns the number of rows."""
        ...

    async def prune_days(self, older_than: float, limit: int) -> int: ...
    async def hand_over(self, job_id: str, limit: int) -> int:
        """Adds some counters of a deleted job to those of its project; returns how many: fewer than a batch if that was
        the rest."""
        ...


class Leftovers(Protocol):
    """What jobs leave behind."""

    async def job_ids(self, after: str, limit: int) -> list[str]:
        """In order, of existing and of deleted jobs."""
        ...

    async def gone(self, job_ids: Collection[str]) -> list[str]:
        """Deleted jobs without any runs left."""
        ...

    async def old_versions(self, job_ids: Collection[str], keep: Retention, limit: int) -> dict[str, list[int]]:
        """Versions past their retention that no run uses."""
        ...

    async def finished(self, job_ids: Collection[str], keep: Retention) -> list[tuple[str, str]]:
        """Finished one-time jobs without `keep`: project and id."""
        ...

    async def drop_versions(self, job_id: str, versions: Collection[int] | None = None) -> None: ...
