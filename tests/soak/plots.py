"""Lines over time as SVG, drawn here: a plot needs no library, and the page no script."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import floor, log10

from tests.soak.series import Mark, Series

WIDTH, HEIGHT = 860, 220
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 10, 26
COLOURS = ("#2563eb", "#d97706", "#059669", "#dc2626", "#7c3aed", "#0891b2", "#be185d", "#4d7c0f")


def plot(series: Sequence[Series], unit: str, marks: Sequence[Mark], seconds: float) -> str:
    top = max((max(line.values, default=0) for line in series), default=0) or 1.0
    step = _step(top)
    highest = step * (floor(top / step) + 1)

    def x(at: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * at / seconds

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / highest

    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img">']
    for n in range(round(highest / step) + 1):
        level = y(n * step)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{level:.1f}" y2="{level:.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{level + 4:.1f}" text-anchor="end">{_number(n * step)}</text>')
    for n in range(7):
        at = seconds * n / 6
        parts.append(f'<text x="{x(at):.1f}" y="{HEIGHT - 8}" text-anchor="middle">{_clock(at)}</text>')
    for mark in marks:
        told = escape(f"{_clock(mark.at)} {mark.what}")
        parts.append(
            f'<line class="mark" x1="{x(mark.at):.1f}" x2="{x(mark.at):.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}">'
            f"<title>{told}</title></line>"
        )
    for n, line in enumerate(series):
        way = " ".join(f"{x(p.at):.1f},{y(p.value):.1f}" for p in line.points)
        parts.append(f'<polyline points="{way}" stroke="{COLOURS[n % len(COLOURS)]}"/>')
    parts.append("</svg>")
    return "".join(parts) + _legend(series, unit)


def _legend(series: Sequence[Series], unit: str) -> str:
    names = (
        f'<span><i style="background:{COLOURS[n % len(COLOURS)]}"></i>{escape(line.title)}</span>'
        for n, line in enumerate(series)
    )
    return f'<p class="legend">{escape(unit)} {"".join(names)}</p>'


def _step(top: float) -> float:
    """A round number that goes three to six times into the highest value."""
    power = 10.0 ** floor(log10(top))
    return next(power * part for part in (0.2, 0.5, 1, 2, 5) if top / (power * part) <= 6)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
