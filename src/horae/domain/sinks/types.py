"""The types of events that sinks get. `docs/events.md` is compared with this list."""

from __future__ import annotations

from collections.abc import Iterable

PREFIX = "horae."  # of a type, as it is sent

RUN_QUEUED = "run.queued"
RUN_SKIPPED = "run.skipped"
RUN_STARTED = "run.started"
RUN_RELEASED = "run.released"
RUN_PARKED = "run.parked"
RUN_RETRIED = "run.retried"
RUN_CANCELLING = "run.cancelling"
RUN_ENDED = "run.ended"

# By action of the audit trail.
JOB_ACTIONS = {
    "job.create": "job.created",
    "job.edit": "job.edited",
    "job.rollback": "job.rolled_back",
    "job.delete": "job.deleted",
    "job.pause": "job.paused",
    "job.resume": "job.resumed",
    "job.enable": "job.enabled",
    "job.disable": "job.disabled",
    "job.backfill": "job.backfilled",
}

# About the sink itself: every sink gets these, regardless of its filters.
SINK_TEST = "sink.test"
SINK_GAP = "sink.gap"

RUN_TYPES = (*(RUN_QUEUED, RUN_SKIPPED, RUN_STARTED, RUN_RELEASED, RUN_PARKED, RUN_RETRIED, RUN_CANCELLING, RUN_ENDED),)
TYPES = (*RUN_TYPES, *JOB_ACTIONS.values())
GROUPS = ("run.*", "job.*")
OF_SINKS = (SINK_TEST, SINK_GAP)


def expanded(chosen: Iterable[str]) -> frozenset[str]:
    """The types that a list of types and groups names. Those that this version does not know are left out."""
    wanted = set(chosen)
    return frozenset(one for one in TYPES if one in wanted or f"{one.partition('.')[0]}.*" in wanted)
