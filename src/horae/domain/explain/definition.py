"""The gate for definitions that cannot be read: by this process, or by others that need to."""

from __future__ import annotations

from datetime import datetime

from horae.domain.explain.capacity import silent, worker_name
from horae.domain.explain.explanation import Gate, distance, named
from horae.domain.explain.facts import JobFacts, RunFacts
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.stored import unknown_fields

WAY_OUT = (
    "if a newer version of Horae saved it, finish the upgrade; otherwise replace the definition, or roll back to an "
    "earlier version of the job"
)


def definition_gates(facts: JobFacts | RunFacts, spec: JobSpec, version: int) -> list[Gate]:
    """None if every process can read all of it, which is almost always the case."""
    if spec.fault:
        detail = f"this version of Horae cannot read its definition (version {version}): {spec.fault}"
        return [Gate("definition", "closed", f"{detail}{_others(facts)}", WAY_OUT)]
    if who := _others(facts):
        return [Gate("definition", "unknown", f"its definition (version {version}) is not read by all{who}", WAY_OUT)]
    if unknown := list(unknown_fields(spec)):
        detail = f"this version of Horae does not know {named(unknown, len(unknown))}, and ignores it"
        return [Gate("definition", "info", detail)]
    return []


def _others(facts: JobFacts | RunFacts) -> str:
    """Live processes that could not read it."""
    schedulers = {one.id: f"scheduler {one.name}" for one in facts.schedulers if _here(one.heartbeat_at, facts.now)}
    workers = {
        one.id: worker_name(facts.workers, one.id) for one in facts.workers if _here(one.heartbeat_at, facts.now)
    }
    known = {**schedulers, **workers}
    notes = [note for note in facts.unreadable if note.process_id in known]
    if not notes:
        return ""
    since = min(note.found_at for note in notes)
    who = named((known[note.process_id] for note in notes), len(notes))
    return f"; {who} could not read it either, first {distance(since, facts.now)}"


def _here(heartbeat_at: datetime, now: datetime) -> bool:
    return not silent(heartbeat_at, now)
