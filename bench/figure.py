"""Figures: what was measured, how often, how it varied, and what it should be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

COLUMNS = ("figure", "on", "median", "spread", "unit", "goal", "")


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table. `goal` is a bound: at least that much, or at most if `less` is better."""

    name: str
    place: str
    values: tuple[float, ...]
    unit: str
    goal: float | None = None
    less: bool = False

    @property
    def median(self) -> float:
        return median(self.values)

    @property
    def met(self) -> bool | None:
        if self.goal is None:
            return None
        return self.median <= self.goal if self.less else self.median >= self.goal

    def cells(self) -> tuple[str, ...]:
        spread = f"{number(min(self.values))}–{number(max(self.values))}" if len(self.values) > 1 else ""
        goal = "" if self.goal is None else f"{'≤' if self.less else '≥'} {number(self.goal)}"
        met = {None: "", True: "ok", False: "MISSED"}[self.met]
        return (self.name, self.place, number(self.median), spread, self.unit, goal, met)


def number(value: float) -> str:
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def merged(runs: Sequence[Sequence[Figure]]) -> list[Figure]:
    """The same figures measured several times, as one list in which each carries all its values."""
    values: dict[tuple[str, str], list[float]] = {}
    first: dict[tuple[str, str], Figure] = {}
    for run in runs:
        for figure in run:
            key = (figure.name, figure.place)
            values.setdefault(key, []).extend(figure.values)
            first.setdefault(key, figure)
    return [Figure(f.name, f.place, tuple(values[key]), f.unit, f.goal, f.less) for key, f in first.items()]


def table(figures: Iterable[Figure]) -> str:
    """As Markdown, which is also readable as it is."""
    rows = [COLUMNS, *(figure.cells() for figure in figures)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    right = {2, 3, 5}

    def line(cells: Sequence[str]) -> str:
        padded = (c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True)))
        return f"| {' | '.join(padded)} |"

    rule = "|" + "|".join("-" * (w + 1) + (":" if i in right else "-") for i, w in enumerate(widths)) + "|"
    return "\n".join([line(rows[0]), rule, *map(line, rows[1:])])
