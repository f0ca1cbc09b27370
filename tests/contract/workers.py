"""What workers do to a database, in short words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from horae.domain.jobs.job import JobSpec
from horae.domain.runs.claim import Ahead, Claimant, Claimed, ClaimRequest
from horae.domain.runs.ending import Finished, FinishReport
from horae.domain.runs.log import LogLines, LogPiece, LogPosition, Progress
from horae.domain.runs.outcome import SUCCEEDED, Outcome
from horae.lifecycle import claim, finish, release
from horae.ports import Transaction
from tests.contract.opened import Opened
from tests.contract.values import LEASE, OFFERS, START, id_of, lost_reply, middle

AHEAD_FOR = 30.0  # seconds; long, so that a slow machine changes nothing


class Claims(NamedTuple):
    """What was taken, and how long (in seconds) nothing more is due; None if nothing is known to be."""

    runs: list[Claimed]
    idle_for: float | None


class Workers(Opened):
    async def claims(
        self,
        limit: int = 100,
        *,
        reply_lost: bool = False,
        queues: Sequence[str] | None = ("default",),
        offers: Collection[str] = OFFERS,
        worker: str | None = None,
        project_ids: Collection[str] = (),
        token: str | None = None,
        lease: float = LEASE,
        ahead: int = 0,
        again: bool = False,
        run_ids: Collection[str] | None = None,
    ) -> Claims:
        """A claim, and then the question when there is more, as a worker asks it."""
        taken = await (self.store.transact if again or project_ids else self.store.autocommit)(
            lost_reply(claim.claim) if reply_lost else claim.claim,
            ClaimRequest(
                claimant=Claimant(worker or self.ids.new(), offers, project_ids),
                token=token or self.ids.new(),
                lease=lease,
                limit=limit,
                queues=queues,
                ahead=Ahead(ahead, AHEAD_FOR),
                run_ids=run_ids,
            ),
            again=again,
        )
        if taken.more:
            return Claims(taken.runs, 0)
        waits = await self.store.read(claim.look, queues=taken.queues, offers=offers)
        return Claims(taken.runs, min(waits.values(), default=None))

    async def claim(self, limit: int = 100, **how: Any) -> list[Claimed]:
        return (await self.claims(limit, **how)).runs

    async def release(self, *runs: Claimed, reply_lost: bool = False) -> int:
        return await self.store.transact(lost_reply(release.release) if reply_lost else release.release, runs=runs)

    async def finish(
        self,
        *runs: Claimed,
        outcome: Outcome = SUCCEEDED,
        outcomes: Mapping[Claimed, Outcome] | None = None,
        logs: Sequence[LogLines] = (),
        reply_lost: bool = False,
        duration_ms: int = 0,
    ) -> FinishReport:
        """All with the same `outcome`, or each with its own of `outcomes`."""
        ended = outcomes or dict.fromkeys(runs, outcome)
        return await self.store.transact(
            lost_reply(finish.finish) if reply_lost else finish.finish,
            finished=[Finished(run, how, duration_ms) for run, how in ended.items()],
            specs=await self.store.read(_definitions, {(run.job_id, run.version) for run in ended}),
            chance=middle,
            logs=logs,
        )

    async def renew(self, worker: str, *runs: Claimed, lease: float = LEASE) -> list[tuple[str, str, bool]]:
        return await self.store.transact(_renew, worker, [run.id for run in runs], lease)

    async def log(self, *lines: LogLines) -> None:
        await self.store.transact(_append, lines)

    async def line(self, run: Claimed, text: str, *, seq: int = 1, token: str | None = None) -> LogLines:
        return LogLines(run.id, token or run.token, run.attempt, seq, await self.now(), "stdout", text)

    async def log_of(self, run: Any, *, after: LogPosition = START, limit: int = 1000) -> list[LogPiece]:
        return await self.store.read(_log, id_of(run), after, limit)

    async def progress(self, run: Claimed, value: str, *, token: str | None = None) -> None:
        await self.store.transact(_progress, [Progress(run.id, token or run.token, value)])


async def _definitions(tx: Transaction, pairs: set[tuple[str, int]]) -> dict[tuple[str, int], JobSpec]:
    return await tx.jobs.definitions(pairs)


async def _renew(tx: Transaction, worker: str, runs: list[str], lease: float) -> list[tuple[str, str, bool]]:
    return await tx.runs.renew(worker, runs, lease)


async def _append(tx: Transaction, lines: Sequence[LogLines]) -> None:
    await tx.logs.append(lines)


async def _progress(tx: Transaction, told: Sequence[Progress]) -> None:
    await tx.logs.progress(told)


async def _log(tx: Transaction, run_id: str, after: LogPosition, limit: int) -> list[LogPiece]:
    return await tx.logs.read(run_id, after=after, limit=limit)
