"""Remote tasks: what another system executes for a parked run, such as a task of Celery.

The row of a remote task is written in the transaction that parks its run, before anything is sent. A worker takes the
row, which marks the task as sent, and only then sends it: a task is sent at most once, even after a crash. The row
outlives its run: a task whose run was cancelled or timed out is revoked first, then the row is deleted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID, uuid5

from horae.domain.jobs.job import JobSpec
from horae.domain.runs.claim import kind_of
from horae.domain.runs.outcome import Outcome

REMOTE_CHANGED = "remote"  # the hint that a task should be revoked
SPARE = 30.0  # seconds after its deadline that a run stays parked, for the worker that can say what became of its task
_SOONEST, _RAREST, _SHARE = 0.1, 10.0, 0.1


def is_remote(needs: str) -> bool:
    """Whether parked runs with these needs wait for a remote task, rather than for a callback."""
    return kind_of(needs) == "celery"


def task_id(run_id: str, attempt: int) -> str:
    """The same for everyone who asks: anyone can look it up or revoke it. The number of an attempt that has started is
    never reused."""
    return str(uuid5(UUID(run_id), f"attempt {attempt}"))


def pause(age: float) -> float:
    """Seconds until the next look at a task that was sent so many seconds ago: a tenth of its age, so that the cost of
    waiting does not grow with the time that a task takes."""
    return min(max(age * _SHARE, _SOONEST), _RAREST)


class RemoteKey(NamedTuple):
    """One attempt of a run; `token` fences it."""

    run_id: str
    attempt: int
    token: str

    @property
    def task_id(self) -> str:
        return task_id(self.run_id, self.attempt)


class NewRemoteTask(NamedTuple):
    """A task to be sent. `app` is the name of the system that is to execute it, `seconds` how long it may take."""

    key: RemoteKey
    app: str
    seconds: float


@dataclass(frozen=True, slots=True)
class RemoteRun:
    """What the run says about its task."""

    job_id: str
    version: int
    input: str | None
    traceparent: str | None


@dataclass(frozen=True, slots=True)
class RemoteTask:
    """A task that a worker has taken: to be sent, unless it was sent before. `run` is None if the attempt is over.
    `age` are the seconds since it was sent, `left` those until its deadline."""

    key: RemoteKey
    sent: bool
    age: float
    left: float
    run: RemoteRun | None


@dataclass(frozen=True, slots=True)
class RemoteWork:
    """A task to be sent. It expires after `seconds`, None: never."""

    task_id: str
    job: JobSpec
    input: str | None
    traceparent: str | None
    seconds: float | None


class Sighting(NamedTuple):
    """What the system says about a task; `outcome` once it is over."""

    state: str
    outcome: Outcome | None = None


UNKNOWN = Sighting("PENDING")


class RemoteEnd(NamedTuple):
    """How the task of an attempt ended. `doubtful`: it may go on somewhere, and is to be revoked."""

    key: RemoteKey
    outcome: Outcome
    doubtful: bool = False


class TakenTasks(NamedTuple):
    """Tasks that a worker has taken: `refused` will not be sent, the others have the definitions of their jobs, unless
    they were sent before. `doubtful`: the reply to an earlier try was lost, so that the worker may have more."""

    tasks: list[RemoteTask]
    specs: Mapping[tuple[str, int], JobSpec]
    refused: list[RemoteEnd]
    doubtful: bool
