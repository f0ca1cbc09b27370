"""A task that a tracker follows, and how it ends: as its system says, by its deadline, or because it is lost."""

from __future__ import annotations

from dataclasses import dataclass

from horae.domain.errors import BrokerUnavailable
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.remote_task import UNKNOWN, RemoteEnd, RemoteKey, Sighting
from horae.domain.runs.states import AttemptOutcome

ABSENT = 4  # questions in a row after which a task that no worker has is lost: brokers and workers reconnect meanwhile
_LOST = Outcome(
    AttemptOutcome.FAILED,
    error="the task is lost: a Celery worker had started it, and since then that worker has gone or dropped it "
    "without a result; the task is revoked",
)


@dataclass(slots=True)
class Tracked:
    """A task that was sent, by Clock.monotonic. `acknowledged`: a worker of the system had it, and the broker does not
    deliver it again; `absences` counts how often no worker had it since."""

    key: RemoteKey
    sent_at: float
    deadline: float
    acknowledged: bool = False
    absences: int = 0


def end_of(one: Tracked, sighting: Sighting, trouble: BrokerUnavailable | None, now: float) -> RemoteEnd | None:
    if sighting.outcome is not None:
        return RemoteEnd(one.key, sighting.outcome)
    if now >= one.deadline:
        return RemoteEnd(one.key, _timed_out(one, sighting, trouble), doubtful=True)
    if trouble is None and one.absences >= ABSENT:
        return RemoteEnd(one.key, _LOST, doubtful=True)
    return None


def _timed_out(one: Tracked, sighting: Sighting, trouble: BrokerUnavailable | None) -> Outcome:
    took = f"took longer than its timeout of {one.deadline - one.sent_at:.0f} s"
    if trouble is not None:
        why = f"{took}, as far as is known: {trouble}"
    elif sighting.state == UNKNOWN.state:
        why = (
            f"{took}: Celery knows nothing of the task (PENDING). It was lost, no worker consumes its queue, or it is "
            "running and the app does not report starts (task_track_started)"
        )
    else:
        why = f"{took}: the task was {sighting.state}"
    return Outcome(AttemptOutcome.TIMED_OUT, error=f"{why}; the task is revoked")
