"""The installation on its database: each request of a worker is one verb."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from horae.accounts.usage import spend_log
from horae.domain.cluster.process import Beat, Host, WorkerSign
from horae.domain.jobs.function import FunctionSign
from horae.domain.jobs.function_path import FoundPaths
from horae.domain.runs.claim import Claimant, Claimed, ClaimRequest, Taken
from horae.domain.runs.ending import Finished, FinishReport
from horae.domain.runs.events import Event
from horae.domain.runs.log import LogLines, Progress
from horae.domain.runs.publication import Unclaimed
from horae.domain.runs.remote_task import RemoteEnd, RemoteKey, TakenTasks
from horae.domain.secrets.secret import CannotOpen, Sealed
from horae.lifecycle import track
from horae.lifecycle.claim import claim, look
from horae.lifecycle.finish import append, finish
from horae.lifecycle.functions import function_paths, register_functions, report_paths
from horae.lifecycle.give_back import give_back
from horae.lifecycle.queues import chosen_engines
from horae.lifecycle.recover import recover
from horae.lifecycle.release import release
from horae.lifecycle.renew import renew
from horae.lifecycle.reservations import served
from horae.ports import Definition, Place, Seals, Specs, Store, Transaction

_OFFLINE_AFTER = 60.0  # seconds of silence after which another worker is not considered able to take a run
_RELEASED = 500  # remote tasks in one transaction
_NO_KEY = "this worker has no HORAE_SECRET_KEY"


class StoreController:
    """`seals` is None where there is no key to open secrets with."""

    def __init__(self, store: Store, chance: Callable[[], float], seals: Seals | None = None) -> None:
        self._store, self._chance, self._seals = store, chance, seals
        self.tasks = StoreTasks(store, chance)

    # Presence

    async def sign_on(self, sign: WorkerSign) -> None:
        await self._store.transact(_register, sign)

    async def register_functions(self, signs: Sequence[FunctionSign]) -> None:
        await self._store.transact(register_functions, signs)

    async def function_paths(self) -> dict[str, str]:
        return await self._store.read(function_paths)

    async def report_paths(self, paths: Mapping[str, str], found: FoundPaths, worker: str) -> None:
        await self._store.transact(report_paths, paths, found, worker)

    async def offer(self, worker_id: str, offers: Sequence[str]) -> None:
        await self._store.transact(lambda tx: tx.processes.set_offers(worker_id, offers))

    async def sign_off(self, worker_id: str, runs_done: int) -> None:
        await self._store.transact(lambda tx: tx.processes.stop_worker(worker_id, runs_done))

    # Queues

    async def engines(self) -> dict[str, str]:
        return await self._store.read(chosen_engines)

    async def queues(self) -> Sequence[str]:
        return await self._store.read(lambda tx: tx.jobs.queues())

    async def reserved(self, project_ids: Collection[str], queues: Sequence[str]) -> list[str]:
        return await self._store.read(served, project_ids=project_ids, queues=queues)

    async def serve(self, worker_id: str, queues: Sequence[str]) -> None:
        await self._store.transact(lambda tx: tx.processes.set_queues(worker_id, queues))

    async def look(self, queues: Sequence[str] | None, offers: Collection[str]) -> dict[str, float]:
        return await self._store.read(look, queues=queues, offers=offers)

    # Claims

    async def claim(self, request: ClaimRequest, *, again: bool = False) -> Taken:
        whole = again or request.claimant.project_ids
        return await (self._store.transact if whole else self._store.autocommit)(claim, request, again=again)

    async def unclaimed(self, run_ids: Collection[str], claimant: Claimant) -> Unclaimed:
        return await self._store.read(lambda tx: tx.publications.unclaimed(run_ids, claimant))

    async def withdraw(self, run_ids: Collection[str]) -> None:
        await self._store.transact(lambda tx: tx.publications.withdraw(run_ids))

    async def definitions(self, wanted: Collection[Definition]) -> Specs:
        return await self._store.read(lambda tx: tx.jobs.definitions(wanted))

    async def secrets(self, wanted: Collection[Place]) -> Mapping[Place, str | CannotOpen]:
        if (seals := self._seals) is None:
            return {(project_id, name): CannotOpen(name, _NO_KEY) for project_id, name in wanted}
        sealed = await self._store.read(lambda tx: tx.secrets.sealed(wanted))
        return {(one.project_id, one.name): _opened(seals, one) for one in sealed}

    async def give_back(self, worker_id: str, runs: Sequence[Claimed], reasons: Mapping[Definition, str]) -> None:
        await self._store.transact(
            give_back, worker_id=worker_id, runs=runs, reasons=reasons, offline_after=_OFFLINE_AFTER
        )

    async def release(self, runs: Sequence[Claimed]) -> None:
        await self._store.transact(release, runs=runs)

    # Leases

    async def renew(
        self, sign: WorkerSign, lease: float, held: Collection[str], beat: Beat
    ) -> tuple[list[tuple[str, str, bool]], bool]:
        return await self._store.autocommit(renew, sign, lease, held, beat)

    async def cancelling(self, worker_id: str) -> list[tuple[str, str]]:
        return await self._store.read(lambda tx: tx.runs.cancelling(worker_id))

    # Reports

    async def finish(
        self,
        finished: Sequence[Finished],
        specs: Specs,
        logs: Sequence[LogLines] = (),
        progress: Sequence[Progress] = (),
        *,
        wait: bool = True,
    ) -> FinishReport:
        return await self._store.transact(
            finish, finished=finished, specs=specs, chance=self._chance, logs=logs, progress=progress, wait=wait
        )

    async def append(self, logs: Sequence[LogLines], progress: Sequence[Progress] = ()) -> None:
        await self._store.transact(append, logs, progress)

    async def spend_log(self, spent: Mapping[str, int]) -> dict[str, int]:
        return await (self._store.transact if spent else self._store.read)(spend_log, spent=spent)

    # Neighbours

    async def neighbours(self, host_key: str) -> list[tuple[str, Host]]:
        return await self._store.read(lambda tx: tx.processes.neighbours(host_key))

    async def recover(self, dead: Collection[str]) -> int:
        return await self._store.transact(recover, chance=self._chance, dead_workers=dead)

    def tell(self, event: Event) -> None:
        self._store.tell(event)

    async def close(self) -> None:
        await self._store.close()


class StoreTasks:
    """The tasks of parked runs."""

    def __init__(self, store: Store, chance: Callable[[], float]) -> None:
        self._store, self._chance = store, chance

    async def take(self, *, app: str, worker_id: str, limit: int, owner: str | None = None) -> TakenTasks:
        return await self._store.transact(track.take_tasks, app=app, worker_id=worker_id, limit=limit, owner=owner)

    async def mark_sent(self, keys: Sequence[RemoteKey]) -> set[RemoteKey]:
        return await self._store.transact(track.mark_sent, keys)

    async def dead_trackers(self, *, app: str, silent_after: float) -> list[str]:
        return await self._store.read(track.dead_trackers, app=app, silent_after=silent_after)

    async def end(self, ends: Sequence[RemoteEnd]) -> int:
        return await self._store.transact(track.end_tasks, ends=ends, chance=self._chance)

    async def over(self, *, app: str, worker_id: str, limit: int) -> list[RemoteKey]:
        return await self._store.transact(track.tasks_over, app=app, worker_id=worker_id, limit=limit)

    async def forget(self, keys: Sequence[RemoteKey]) -> None:
        await self._store.transact(track.forget_tasks, keys)

    async def release(self, *, app: str, worker_id: str) -> None:
        whose = {"app": app, "worker_id": worker_id}
        while await self._store.transact(track.release_tasks, **whose, limit=_RELEASED) >= _RELEASED:
            pass  # in portions: there may be very many


async def _register(tx: Transaction, sign: WorkerSign) -> None:
    await tx.processes.register_worker(sign)
    tx.hint(f"workers:{sign.host.key}")  # its neighbours watch it from now on


def _opened(seals: Seals, sealed: Sealed) -> str | CannotOpen:
    try:
        return seals.open(sealed)
    except CannotOpen as error:
        return error
