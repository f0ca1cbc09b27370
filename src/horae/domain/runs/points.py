"""Points of a chart: the buckets of a time series, summed to the requested step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from horae.domain.errors import InvalidInput
from horae.domain.runs.series import DAY, HOUR, MINUTE, MINUTES_KEPT, Bucket, begin
from horae.domain.runs.spread import Spread, percentile

MOST_POINTS = 1_500
_COMFORTABLE = 120  # points, if no step is given
_STEPS = (MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 2 * HOUR, 6 * HOUR, DAY, 7 * DAY, 30 * DAY)
ENDED = ("succeeded", "failed", "cancelled", "skipped")


@dataclass(frozen=True, slots=True)
class Window:
    """Points from `since` on, `step` seconds each, made of buckets of `length` seconds."""

    since: datetime
    until: datetime
    step: int
    length: int

    def begins(self) -> Iterator[datetime]:
        at = self.since
        while at < self.until:
            yield at
            at += timedelta(seconds=self.step)


def window(now: datetime, since: datetime | None, until: datetime | None, step: int | None) -> Window:
    """The default is the last hour, in about a hundred points. Raises InvalidInput."""
    until = now if until is None else until
    since = until - timedelta(hours=1) if since is None else since
    if since >= until:
        raise InvalidInput("until", "must be after since")
    span = (until - since).total_seconds()
    if step is None:
        step = next((one for one in _STEPS if span / one <= _COMFORTABLE), _STEPS[-1])
        if step < HOUR and (now - since).total_seconds() > MINUTES_KEPT:
            step = HOUR
    if step < MINUTE or step % MINUTE:
        raise InvalidInput("step", "must be a whole number of minutes")
    if span / step > MOST_POINTS:
        raise InvalidInput("step", f"is too short: this would be more than {MOST_POINTS:,} points")
    length = next(one for one in (DAY, HOUR, MINUTE) if step % one == 0)
    if length == MINUTE and (now - since).total_seconds() > MINUTES_KEPT + step:
        raise InvalidInput("step", "must be a whole number of hours: minutes are kept for two days only")
    return Window(begin(since, step), until, step, length)


@dataclass(slots=True)
class Point:
    """`mine` is None if nothing is known because no scheduler was running. For sampled values, `samples` is their
    number, and `slots` the sum of the installation's slots."""

    at: datetime
    mine: Bucket | None = None
    samples: int = 0
    slots: int = 0
    done: int = 0

    @property
    def sampled(self) -> Bucket | None:
        return self.mine if self.samples else None

    def mean(self, total: int) -> float:
        return round(total / self.samples, 3) if self.samples else 0.0

    @property
    def utilisation(self) -> float | None:
        """The share of slots in use."""
        return None if self.mine is None or not self.slots else round(self.mine.running / self.slots, 4)


def points(
    window: Window, mine: Iterable[tuple[datetime, Bucket]], whole: Iterable[tuple[datetime, Bucket]]
) -> list[Point]:
    """`whole` is the installation: if it has a bucket and the requested subject has none, nothing happened."""
    found = {at: Point(at) for at in window.begins()}
    for at, bucket in whole:
        if (point := found.get(begin(at, window.step))) is not None:
            point.mine = point.mine or Bucket()
            point.samples += bucket.samples
            point.slots += bucket.slots
    before: int | None = None
    for at, bucket in mine:
        done = 0 if before is None else max(bucket.done - before, 0)
        before = bucket.done
        if (point := found.get(begin(at, window.step))) is not None:
            point.mine = point.mine or Bucket()
            point.mine.add(bucket)
            point.done += done
    return list(found.values())


def seconds(spread: Spread, share: float) -> float | None:
    found = percentile(spread, share)
    return None if found is None else round(found / 1000, 3)
