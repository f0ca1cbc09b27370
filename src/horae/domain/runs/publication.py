"""Publication of runs to a broker: what is published, and when it is published again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple

from horae.domain.runs.claimable import Claimable

FEW = 1_000  # messages in the broker's queue: more than these, and it is rather slow than lost
PATIENCE = 60  # times the bound, after which a run is published again however many wait before it


class RunLane(NamedTuple):
    """The queued runs of one need, in one queue, at one priority; `first` is when the first of them is due."""

    queue: str
    priority: int
    needs: str
    first: datetime

    @property
    def key(self) -> tuple[str, int, str]:
        return self[:3]


class Position(NamedTuple):
    """A place in a lane: after the run with this time and id."""

    due_at: datetime
    id: str


class Published(NamedTuple):
    """A queued run, and when it was last published."""

    id: str
    due_at: datetime
    published_at: datetime | None

    @property
    def position(self) -> Position:
        return Position(self.due_at, self.id)


class Unclaimed(NamedTuple):
    """Runs that a message named and a worker could not claim. `busy` can be claimed, but their rows were locked;
    `waiting` are queued, but not for this worker or not now."""

    busy: Collection[str]
    waiting: Collection[str]


class PublishStep(Enum):
    """What to do about a queued run."""

    PUBLISH = "publish"
    AGAIN = "publish again"
    LOOK_AGAIN = "look again"  # when it is due, or when the process that queued it has had time to publish it
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Republishing:
    """`after`: seconds since the publication of a run that is still queued. `settling`: seconds that the process that
    queued a run has to publish it itself."""

    after: float = 60.0
    settling: float = 2.0

    def step(self, run: Published, now: datetime, depth: int) -> PublishStep:
        """`depth` is the number of messages in the broker's queue. If there are many, a run that was published waits
        behind them: published again, each would be there twice, thrice and so on."""
        if run.due_at > now:
            return PublishStep.LOOK_AGAIN
        if run.published_at is None or run.published_at < run.due_at:  # for an earlier attempt
            return (
                PublishStep.PUBLISH if run.due_at <= now - timedelta(seconds=self.settling) else PublishStep.LOOK_AGAIN
            )
        patience = self.after if depth < FEW else self.after * PATIENCE
        return PublishStep.AGAIN if run.published_at <= now - timedelta(seconds=patience) else PublishStep.NOTHING

    def look_again_in(self, run: Published, now: datetime) -> float:
        """Seconds."""
        ahead = (run.due_at - now).total_seconds()
        return ahead if ahead > 0 else self.settling


def claimable(lane: RunLane, run: Published) -> Claimable:
    return Claimable(run.id, lane.queue, lane.priority, run.due_at)
