"""Callback: the called service reports the progress or the end of a parked run. Exactly one end wins: this one, the
sweep's, a cancel's or another callback's. It may arrive before the worker has parked the run; it still ends the
attempt, and the worker's own report finds nothing left to write."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from horae.accounts.secrets import secrets_of_run
from horae.domain.errors import Conflict
from horae.domain.runs.claim import Leased
from horae.domain.runs.ending import Ended, Ending
from horae.domain.runs.events import AttemptOver, AttemptsOver
from horae.domain.runs.log import Progress
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome, RunStatus
from horae.domain.secrets.outcome_redaction import redact_json, redact_outcome
from horae.lifecycle.ended import after_ends
from horae.lifecycle.settle import Settlement
from horae.ports import Seals, Transaction


async def answer(
    tx: Transaction,
    *,
    run_id: str,
    attempt: int,
    outcome: Outcome | None,
    progress: str | None,
    chance: Callable[[], float],
    seals: Seals | None = None,
) -> None:
    """Without an outcome the attempt continues. `progress` is JSON text. Raises Conflict if the attempt is over. The
    called service knows the secrets in the call, so they are redacted in its answer."""
    row = await tx.runs.answering(run_id, attempt)
    if row is None:
        if tx.repeated and outcome is not None and await _was_this(tx, run_id, attempt, outcome, seals):
            return
        raise Conflict("this attempt is over: the run has ended, was cancelled, or is being retried")
    known = await secrets_of_run(tx, row, seals)
    if progress is not None:
        await tx.logs.progress([Progress(row.id, row.token, redact_json(progress, known))])
    if outcome is not None:
        await _end(tx, row, redact_outcome(outcome, known), chance)


async def _was_this(tx: Transaction, run_id: str, attempt: int, outcome: Outcome, seals: Seals | None) -> bool:
    """Whether this very callback ended the attempt although its reply was lost, and not the sweep or another
    callback."""
    over = await tx.runs.over(run_id, attempt)
    if over is None:
        return False
    redacted = redact_outcome(outcome, await secrets_of_run(tx, over, seals))
    if redacted.kind is AttemptOutcome.SUCCEEDED:
        return over.outcome == redacted.kind and _read(over.result) == _read(redacted.result)
    return over.outcome in (redacted.kind, RunStatus.CANCELLED) and over.error == redacted.error


def _read(text: str | None) -> object:
    """Databases may format JSON in their own way."""
    return None if text is None else json.loads(text)


async def _end(tx: Transaction, row: Leased, outcome: Outcome, chance: Callable[[], float]) -> None:
    settlement = Settlement(await tx.jobs.definitions([(row.job_id, row.version)]), chance)
    now = await tx.now()
    # Its worker may be about to park it.
    row, duration_ms = replace(row.as_of(now), parked=True), row.age_ms(now)
    if outcome.kind is AttemptOutcome.SUCCEEDED:
        tx.tell(AttemptsOver([AttemptOver(row, outcome, duration_ms)]))
        endings = [Ending(row.id, row.token, RunStatus.SUCCEEDED, None, outcome, duration_ms, row.started_at)]
    else:
        settlement.add(row, outcome, duration_ms)
        endings = settlement.endings
    ended = await tx.runs.end(endings)
    await settlement.write(tx)
    if row.id not in ended:
        await after_ends(tx, [], settlement.requeued)
        return
    status = settlement.statuses.get(row.id, RunStatus.SUCCEEDED)
    await after_ends(tx, [Ended.of(row, status, outcome, duration_ms, row.place)])
