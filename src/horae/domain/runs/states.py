"""The states of a run and of its attempts, and which verb changes each one."""

from __future__ import annotations

from enum import StrEnum


class RunStatus(StrEnum):
    QUEUED = "queued"  # waits in `runs` for a worker; moved on by claim, cancel or expire
    RUNNING = "running"  # leased by a worker, or parked; moved on by finish, callback, track or recover
    SUCCEEDED = "succeeded"  # ended: in `run_history`, never changed again
    FAILED = "failed"  # ended: attempts used up, or a permanent failure; a dead letter until resolved
    CANCELLED = "cancelled"  # ended: its cancellation was requested
    SKIPPED = "skipped"  # never ran: an occurrence (or a range of them) accounted for, with a reason


LIVE = frozenset({RunStatus.QUEUED, RunStatus.RUNNING})


class AttemptOutcome(StrEnum):
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMED_OUT = "timed_out"  # the attempt exceeded the job's `timeout`, or its callback did not come in time
    LOST = "lost"  # the worker's lease ran out
    INTERRUPTED = "interrupted"  # the worker shut down; not counted, queued again at once
    CANCELLED = "cancelled"
    PARKED = "parked"  # not over: the work continues elsewhere; a callback or the end of its task ends the attempt


class Trigger(StrEnum):
    SCHEDULE = "schedule"
    MANUAL = "manual"
    API = "api"
    RETRY = "retry"
    BACKFILL = "backfill"
    AFTER = "after"


class SkipReason(StrEnum):
    OVERLAP = "overlap"
    MISSED = "missed"
    DISABLED = "disabled"
    BLACKOUT = "blackout"
    DST_GAP = "dst_gap"
    DEFINITION = "definition"  # only for `after`: an unreadable job with a clock schedule waits
    QUOTA = "quota"  # the project's quota of live runs is used up
    PAUSED = "paused"  # only for `after`: there is no occurrence to catch up with
    FUNCTION = "function"  # the function that the job calls is disabled


class StopReason(StrEnum):
    """Why a worker stops an attempt."""

    TIMEOUT = "timeout"
    CANCEL = "cancel"
    LEASE_LOST = "lease_lost"
    SHUTDOWN = "shutdown"


class WorkerStatus(StrEnum):
    IDLE = "idle"
    BUSY = "busy"
    DRAINING = "draining"
    STOPPED = "stopped"  # signed off
    OFFLINE = "offline"  # certainly dead, or no heartbeat for `offline_after`


class SchedulerStatus(StrEnum):
    ACTIVE = "active"  # fires the jobs of its shards
    STANDBY = "standby"  # alive; others own all shards
    OFFLINE = "offline"  # no heartbeat for as long as a lease of shards lasts


class JobStatus(StrEnum):
    SCHEDULED = "scheduled"
    RUNNING = "running"
    PAUSED = "paused"
    DISABLED = "disabled"
    FINISHED = "finished"  # no occurrence is left
