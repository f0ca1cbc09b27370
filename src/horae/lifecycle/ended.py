"""What follows from the end of a run, in the same transaction: counters, dead letters, notices, the next held run's
turn, and the start of dependent jobs. Those may have to cancel older runs, which ends these too."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from operator import attrgetter

from horae.domain.notify.notice import of_failures
from horae.domain.runs.claim import Leased, QueuePlace
from horae.domain.runs.dead_letter import Dead, fingerprint
from horae.domain.runs.ending import Ended, Ending
from horae.domain.runs.events import AttemptOver, AttemptsOver, CancelsRequested, RunsEnded
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.remote_task import REMOTE_CHANGED, RemoteKey, is_remote
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import AttemptOutcome, RunStatus, Trigger
from horae.domain.runs.tally import Tally, detail
from horae.lifecycle.backfill import continue_backfills
from horae.lifecycle.follow import start_followers
from horae.ports import Transaction

_CANCELLED = RunStatus.CANCELLED
_CUT_OFF = Outcome(AttemptOutcome.CANCELLED)


async def after_ends(
    tx: Transaction, ended: Sequence[Ended], requeued: Collection[str] = (), *, wait: bool = True
) -> None:
    """`requeued` are jobs whose runs were requeued in the same transaction. Their limits may have been lowered while
    those ran: then others have their places. `wait`: see `places_after`."""
    if not ended:
        await tx.gates.fit(requeued)
        return
    if failed := [run for run in ended if run.status is RunStatus.FAILED]:
        # Before the dead letters, which are searched for the same cause.
        await tx.notices.failed(of_failures(failed, [tx.new_id() for _ in failed]))
        await tx.dead_letters.add(
            [Dead(run.id, run.job_id, run.project_id, fingerprint(run.job_id, run.code, run.error)) for run in failed]
        )
    await tx.stats.add(tally(ended))
    tx.tell(RunsEnded(ended))
    jobs = {run.job_id for run in ended}
    followers = await tx.dependencies.followers(jobs)
    if followers or requeued:
        # All at once, and so in id order.
        await tx.gates.lock(jobs.union(requeued, (follower.id for follower in followers)))
    await tx.gates.fit(requeued)
    if followers:
        started = await start_followers(tx, ended, followers, wait=wait)
        await make_room(tx, started.cancelling, started.run_ids)
    # For every job: it may have got a limit after this run's version.
    await tx.gates.open(jobs)
    if backfilled := [run.id for run in ended if run.trigger == Trigger.BACKFILL]:
        await continue_backfills(tx, backfilled)


async def cancel_live(tx: Transaction, live: Sequence[RunRecord], actor: str) -> None:
    """Ends queued or parked runs, and asks running ones to stop; the caller holds their locks."""
    await tx.runs.request_cancel([run.id for run in live], actor)
    tx.tell(CancelsRequested([run for run in live if run.cancel_requested_at is None], actor))
    endings = {run.id: Ending(run.id, None, _CANCELLED) for run in live if run.status == RunStatus.QUEUED}
    if parked := await tx.runs.parked([run.id for run in live if run.parked]):
        now = await tx.now()
        tx.tell(AttemptsOver([AttemptOver(row, _CUT_OFF, row.age_ms(now)) for row in parked]))
        endings |= {row.id: Ending(row.id, row.token, _CANCELLED, None, _CUT_OFF, row.age_ms(now)) for row in parked}
        await revoke_remote(tx, parked)
    running = [run for run in live if run.id not in endings]
    ended = await tx.runs.end(list(endings.values()))
    await after_ends(
        tx,
        [
            Ended.of(run, _CANCELLED, _CUT_OFF, endings[run.id].duration_ms or 0, QueuePlace(run.queue, None))
            for run in live
            if run.id in ended
        ],
    )
    for worker_id in {run.worker_id for run in running}:
        tx.hint(f"cancel:{worker_id}")


async def revoke_remote(tx: Transaction, parked: Sequence[Leased]) -> None:
    """Attempts that are over although their tasks may go on elsewhere."""
    remote = [RemoteKey(row.id, row.attempt, row.token) for row in parked if row.parked and is_remote(row.needs)]
    if remote:
        await tx.remote_tasks.mark_over(remote)
        tx.hint(REMOTE_CHANGED)


async def make_room(tx: Transaction, counts: Mapping[str, int], new: Collection[str]) -> None:
    """Cancels that many of each job's active runs, oldest first, to make room for its held `new` runs."""
    by_project: dict[str, list[str]] = {}
    for run_id, project_id in await tx.runs.under_way(counts):
        if run_id not in new:
            by_project.setdefault(project_id, []).append(run_id)
    for project_id, run_ids in by_project.items():
        live = await tx.runs.live(project_id, run_ids, lock=True)
        # By the database's clock: ids contain the caller's clock.
        under_way = sorted(filter(_in_the_way, live), key=attrgetter("created_at", "id"))
        for job_id, count in counts.items():
            oldest = [run for run in under_way if run.job_id == job_id][:count]
            await cancel_live(tx, oldest, "overlap: cancel_running")


def _in_the_way(run: RunRecord) -> bool:
    """A backfill's run takes no place of the others."""
    return not run.held and run.cancel_requested_at is None and run.trigger != Trigger.BACKFILL


def tally(ended: Sequence[Ended]) -> list[Tally]:
    """Runs that started are in the detail of one tally of their project and queue: time series are not by job."""
    tallies: dict[tuple[str, RunStatus, str | None], tuple[Tally, list[Ended]]] = {}
    queues: dict[tuple[str, str | None], tuple[Tally, list[Ended]]] = {}
    for run in ended:
        status, queue = run.status, run.place[0]
        known = tallies.get((run.job_id, status, queue))
        if known is None:
            entry = Tally(run.job_id, run.project_id, status, 0)
            if (same := queues.get((run.project_id, queue))) is None:
                entry.detail = detail(queue)
                same = queues[run.project_id, queue] = (entry, [])
            else:
                entry.detail = same[0].detail
            known = tallies[run.job_id, status, queue] = (entry, same[1])
        entry, started = known
        entry.count += 1
        entry.run_id = run.id
        if run.timed_out:
            entry.timed_out += 1
        if status is not _CANCELLED:  # the duration of something that was cut off says nothing
            entry.duration_ms += run.duration_ms
            if run.late is not None:
                started.append(run)
    for (_, queue), (entry, started) in queues.items():
        if started:
            entry.detail = detail(queue, started)
    return [entry for entry, _ in tallies.values()]
