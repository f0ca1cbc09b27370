"""What a batch of ends adds to the counters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

import orjson

from horae.domain.runs.ending import Ended
from horae.domain.runs.spread import Spread, spread_of
from horae.domain.runs.states import RunStatus

_MILLISECOND = timedelta(milliseconds=1)
_LONGEST = 100  # characters of a queue's name: a longer one is damage, and the roll-up could not store it


@dataclass(slots=True)
class Tally:
    """What one batch adds to a job's counters. `detail` is what only the time series need."""

    job_id: str
    project_id: str
    status: RunStatus
    count: int
    duration_ms: int = 0
    retries: int = 0
    timed_out: int = 0
    run_id: str | None = None
    reason: str | None = None  # of skipped occurrences
    detail: str | None = None


def detail(queue: str | None, started: Sequence[Ended] = ()) -> str | None:
    """The queue, and how late runs started there and how long they took, in milliseconds, as JSON. The roll-up turns
    them into histograms: this is on the path of every run that ends."""
    if queue is None:
        return None
    lateness = [run.late // _MILLISECOND for run in started if run.late is not None]
    return orjson.dumps((queue, lateness, [run.duration_ms for run in started])).decode()


class Detail(NamedTuple):
    lateness: Spread
    duration: Spread
    queue: str | None

    @classmethod
    def read(cls, text: str | None) -> Detail:
        """Nothing for what is damaged, or was written by an older Horae."""
        try:
            found = orjson.loads(text or "null")
        except ValueError:
            found = None
        match found:
            case [str(queue), list(lateness), list(duration)] if len(queue) <= _LONGEST and "\0" not in queue:
                return cls(spread_of(_numbers(lateness)), spread_of(_numbers(duration)), queue)
        return cls({}, {}, None)


def _numbers(found: list[Any]) -> Iterable[int]:
    return (one for one in found if isinstance(one, int))
