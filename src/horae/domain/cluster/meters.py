"""Metrics: what a process counts, as plain numbers. Counting is on the path of every run, so it takes no lock and
creates no objects; `watch/exposition.py` turns the numbers into Prometheus' format. The metrics are declared once
(metrics.py)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping

from horae.domain.cluster.metrics import Family

Labels = tuple[str, ...]
Gauge = Callable[[], Mapping[Labels, float]]


class Histogram:
    """How many observations fell into each bucket (the last one has no upper bound), and their sum."""

    __slots__ = ("_bounds", "counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self._bounds, value)] += 1
        self.total += value

    def cumulative(self) -> Iterator[tuple[str, float]]:
        """As Prometheus expects them: up to each bound, and all."""
        seen = 0
        for bound, count in zip((*map(str, self._bounds), "+Inf"), self.counts, strict=True):
            seen += count
            yield bound, seen


class Histograms(dict[Labels, Histogram]):
    """The histograms of one metric by their labels, each created on first use."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds

    def __missing__(self, labels: Labels) -> Histogram:
        made = self[labels] = Histogram(self._bounds)
        return made


class Meters:
    """The counters, gauges and histograms of one process."""

    def __init__(self) -> None:
        self._counters: dict[Family, dict[Labels, float]] = {}
        self._histograms: dict[Family, Histograms] = {}
        self._gauges: dict[Family, Gauge] = {}

    def add(self, family: Family, *labels: str, by: float = 1) -> None:
        counts = self._counters.setdefault(family, {})
        counts[labels] = counts.get(labels, 0) + by

    def observe(self, family: Family, value: float, *labels: str) -> None:
        self.histogram(family, *labels).observe(value)

    def histogram(self, family: Family, *labels: str) -> Histogram:
        return self.histograms(family)[labels]

    def histograms(self, family: Family) -> Histograms:
        """For frequent observations: look them up once."""
        found = self._histograms.get(family)
        if found is None:
            found = self._histograms[family] = Histograms(family.buckets)
        return found

    def gauge(self, family: Family, read: Gauge) -> None:
        """`read` is called on every scrape."""
        self._gauges[family] = read

    def level(self, family: Family, read: Callable[[], float]) -> None:
        """A gauge without labels."""
        self._gauges[family] = lambda: {(): read()}

    def numbers(self) -> Iterator[tuple[Family, Mapping[Labels, float]]]:
        """Counters and gauges. A copy: another thread may count meanwhile."""
        for family, counts in list(self._counters.items()):
            yield family, dict(counts)
        for family, read in list(self._gauges.items()):
            yield family, read()

    def distributions(self) -> Iterator[tuple[Family, Mapping[Labels, Histogram]]]:
        for family, found in list(self._histograms.items()):
            if found:
                yield family, dict(found)
