"""Watch: gathers what the rules of alerts look at, and finds what they change. It only reads."""

from __future__ import annotations

from horae.domain.alerts.facts import Facts, LastError
from horae.domain.alerts.rules import RULES, evaluate
from horae.domain.alerts.thresholds import Thresholds
from horae.domain.alerts.transition import Changes, transitions
from horae.lifecycle.stranded import find_stranded
from horae.ports import Transaction

_ERRORS = 200  # last errors that are looked up


async def watch(tx: Transaction, *, thresholds: Thresholds, offline_after: float) -> Changes:
    facts = await gather(tx, thresholds=thresholds, offline_after=offline_after)
    standing = await tx.alerts.standing(list(RULES))
    return transitions(standing, evaluate(facts, thresholds), facts.now)


async def gather(tx: Transaction, *, thresholds: Thresholds, offline_after: float) -> Facts:
    stranded = await find_stranded(tx, offline_after=offline_after)
    failing = await tx.alert_facts.failing(thresholds.failing) if thresholds.failing else []
    last = [job.last_run_id for job in failing if job.last_run_id is not None][:_ERRORS]
    return Facts(
        now=await tx.now(),
        founded_at=await tx.alert_facts.founded_at(),
        workers=stranded.workers,
        stranded=stranded.stranded,
        failing=tuple(failing),
        errors={run.id: run.error for run in await tx.history.pick(LastError, last)},
    )
