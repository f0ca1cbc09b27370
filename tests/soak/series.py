"""What was sampled: named series of numbers over time, and the moments at which something was done to the cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean, median


@dataclass(frozen=True, slots=True)
class Point:
    at: float  # seconds since the beginning
    value: float


@dataclass(slots=True)
class Series:
    """One line of a plot."""

    title: str
    points: list[Point] = field(default_factory=list)

    def add(self, at: float, value: float) -> None:
        self.points.append(Point(at, value))

    @property
    def values(self) -> list[float]:
        return [point.value for point in self.points]

    def last_part(self, part: float) -> Series:
        """What was sampled in the last part of the time."""
        return Series(self.title, self.points[int(len(self.points) * (1 - part)) :])

    def slope(self) -> float:
        """By how much it rises in an hour, by least squares: single peaks hardly matter."""
        if len(self.points) < 3:
            return 0.0
        x, y = fmean(p.at for p in self.points), fmean(self.values)
        spread = sum((p.at - x) ** 2 for p in self.points)
        return 3600 * sum((p.at - x) * (p.value - y) for p in self.points) / spread if spread else 0.0

    def summary(self) -> tuple[float, float, float]:
        """Median, greatest and last value."""
        values = self.values or [0.0]
        return median(values), max(values), values[-1]


@dataclass(frozen=True, slots=True)
class Mark:
    """Something was done to the cluster."""

    at: float
    what: str


@dataclass(slots=True)
class Recording:
    """Everything that was seen: plots by title, each with its unit and series."""

    units: dict[str, str] = field(default_factory=dict)
    plots: dict[str, dict[str, Series]] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)

    def add(self, plot: str, unit: str, series: str, at: float, value: float) -> None:
        self.units.setdefault(plot, unit)
        lines = self.plots.setdefault(plot, {})
        lines.setdefault(series, Series(series)).add(at, value)

    def mark(self, at: float, what: str) -> None:
        self.marks.append(Mark(at, what))

    def series(self, plot: str) -> Sequence[Series]:
        return list(self.plots.get(plot, {}).values())
