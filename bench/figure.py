"""Figures: what was measured, how often, how it varied, and what it should be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median, quantiles

COLUMNS = ("figure", "on", "median", "spread", "unit", "floor", "target", "")
_RIGHT = {2, 3, 5, 6}


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table. `floor` is what the issues demand now and `target` what the design wants: bounds that the
    median must reach, or stay under where `less` is better."""

    name: str
    place: str
    values: tuple[float, ...]
    unit: str
    floor: float | None = None
    target: float | None = None
    less: bool = False

    @property
    def median(self) -> float:
        return median(self.values)

    def reaches(self, bound: float | None) -> bool:
        return bound is None or (self.median <= bound if self.less else self.median >= bound)

    def verdict(self) -> str:
        if not self.reaches(self.floor):
            return "MISSED"
        if self.target is not None:
            return "target met" if self.reaches(self.target) else "short of target"
        return "" if self.floor is None else "ok"

    def cells(self) -> tuple[str, ...]:
        spread = f"{number(min(self.values))}–{number(max(self.values))}" if len(self.values) > 1 else ""
        bounds = ("" if x is None else f"{'≤' if self.less else '≥'} {number(x)}" for x in (self.floor, self.target))
        return (self.name, self.place, number(self.median), spread, self.unit, *bounds, self.verdict())


def number(value: float) -> str:
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def percentile(values: Sequence[float], percent: int) -> float:
    return quantiles(values, n=100, method="inclusive")[percent - 1]


def merged(runs: Sequence[Sequence[Figure]]) -> list[Figure]:
    """The same figures measured several times, as one list in which each carries all its values."""
    found: dict[tuple[str, str], Figure] = {}
    for figure in (figure for run in runs for figure in run):
        key = (figure.name, figure.place)
        known = found.get(key)
        found[key] = replace(known, values=known.values + figure.values) if known else figure
    return list(found.values())


def table(figures: Iterable[Figure]) -> str:
    """As Markdown, which is also readable as it is."""
    rows = [COLUMNS, *(figure.cells() for figure in figures)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.rjust(width) if i in _RIGHT else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return f"| {' | '.join(padded)} |"

    rule = "|" + "|".join("-" * (w + 1) + (":" if i in _RIGHT else "-") for i, w in enumerate(widths)) + "|"
    return "\n".join([line(rows[0]), rule, *map(line, rows[1:])])
