"""The installation, as its workers know it. A worker depends on these two protocols only: whether it reaches the
database itself or an API in front of it makes no difference to it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from horae.domain.cluster.process import Beat, Host, WorkerSign
from horae.domain.jobs.function import FunctionSign
from horae.domain.jobs.function_path import FoundPaths
from horae.domain.jobs.job import JobSpec
from horae.domain.runs.claim import Claimant, Claimed, ClaimRequest, Taken
from horae.domain.runs.ending import Finished, FinishReport
from horae.domain.runs.events import Event
from horae.domain.runs.log import LogLines, Progress
from horae.domain.runs.publication import Unclaimed
from horae.domain.runs.remote_task import RemoteEnd, RemoteKey, TakenTasks
from horae.domain.secrets.secret import CannotOpen

Definition = tuple[str, int]
"""A job and a version."""

Specs = Mapping[Definition, JobSpec]

Place = tuple[str, str]
"""A project and the name of a secret."""


class Controller(Protocol):
    """All of these raise StoreUnavailable if the installation cannot be reached, and may be repeated then."""

    async def sign_on(self, sign: WorkerSign) -> None: ...
    async def register_functions(self, signs: Sequence[FunctionSign]) -> None: ...
    async def function_paths(self) -> dict[str, str]:
        """The functions that admins registered by path: the path of each."""
        ...

    async def report_paths(self, paths: Mapping[str, str], found: FoundPaths, worker: str) -> None:
        """What this worker found at these paths."""
        ...

    async def offer(self, worker_id: str, offers: Sequence[str]) -> None:
        """The worker can execute other things than when it signed on."""
        ...

    async def sign_off(self, worker_id: str, runs_done: int) -> None: ...

    async def engines(self) -> dict[str, str]:
        """The engines that admins chose, by queue."""
        ...

    async def queues(self) -> Sequence[str]:
        """All that there are."""
        ...

    async def reserved(self, project_ids: Collection[str], queues: Sequence[str]) -> list[str]:
        """What a worker that is bound to these projects serves of these queues, or of all if none are named."""
        ...

    async def serve(self, worker_id: str, queues: Sequence[str]) -> None:
        """The worker serves other queues than before."""
        ...

    async def look(self, queues: Sequence[str] | None, offers: Collection[str]) -> dict[str, float]:
        """How many seconds it is until each of these queues, or of all, has a run that can be claimed with `offers`."""
        ...

    async def claim(self, request: ClaimRequest, *, again: bool = False) -> Taken:
        """`again`: the reply to an earlier claim with this token was lost."""
        ...

    async def unclaimed(self, run_ids: Collection[str], claimant: Claimant) -> Unclaimed:
        """Why these runs, which messages of a broker named, could not be claimed."""
        ...

    async def withdraw(self, run_ids: Collection[str]) -> None:
        """The broker does not have these runs any more, although they are still queued."""
        ...

    async def definitions(self, wanted: Collection[Definition]) -> Specs:
        """Those that exist; one that cannot be read says so (`fault`)."""
        ...

    async def secrets(self, wanted: Collection[Place]) -> Mapping[Place, str | CannotOpen]:
        """The values of those that exist, or why they cannot be opened here."""
        ...

    async def give_back(self, worker_id: str, runs: Sequence[Claimed], reasons: Mapping[Definition, str]) -> None:
        """Runs whose definition this worker cannot read."""
        ...

    async def release(self, runs: Sequence[Claimed]) -> None:
        """Runs that were claimed ahead of the slots and have not started."""
        ...

    async def renew(
        self, sign: WorkerSign, lease: float, held: Collection[str], beat: Beat
    ) -> tuple[list[tuple[str, str, bool]], bool]:
        """A heartbeat that renews these leases: (run id, token, cancel requested) for each that this worker still
        holds, and whether it should drain."""
        ...

    async def cancelling(self, worker_id: str) -> list[tuple[str, str]]:
        """(run id, token) of this worker's runs whose cancellation was requested."""
        ...

    async def finish(
        self,
        finished: Sequence[Finished],
        specs: Specs,
        logs: Sequence[LogLines] = (),
        progress: Sequence[Progress] = (),
        *,
        wait: bool = True,
    ) -> FinishReport:
        """Without `wait`, raises QuotaContended if dependent jobs need places of a quota that is locked."""
        ...

    async def append(self, logs: Sequence[LogLines], progress: Sequence[Progress] = ()) -> None:
        """Output and progress of attempts that go on."""
        ...

    async def spend_log(self, spent: Mapping[str, int]) -> dict[str, int]:
        """Counts the bytes of output that were kept, by project; returns what is left today for those with a quota."""
        ...

    async def neighbours(self, host_key: str) -> list[tuple[str, Host]]:
        """Workers that see the same process table and have not signed off."""
        ...

    async def recover(self, dead: Collection[str]) -> int:
        """Recovers the runs of workers that are certainly dead; returns how many."""
        ...

    def tell(self, event: Event) -> None:
        """Notifies observers of something that happened outside of any transaction."""
        ...

    async def close(self) -> None: ...


class TaskDesk(Protocol):
    """The tasks that another system executes for parked runs: see `lifecycle/track.py`."""

    async def take(self, *, app: str, worker_id: str, limit: int, owner: str | None = None) -> TakenTasks: ...
    async def mark_sent(self, keys: Sequence[RemoteKey]) -> set[RemoteKey]:
        """Returns those to be sent: the attempts of the others are over."""
        ...

    async def dead_trackers(self, *, app: str, silent_after: float) -> list[str]: ...
    async def end(self, ends: Sequence[RemoteEnd]) -> int: ...
    async def over(self, *, app: str, worker_id: str, limit: int) -> list[RemoteKey]: ...
    async def forget(self, keys: Sequence[RemoteKey]) -> None: ...
    async def release(self, *, app: str, worker_id: str) -> None: ...
