"""What counts as a leak. Bounds compare the last quarter of the time with the second one: the first is warming up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from tests.faults.tally import Tally
from tests.soak import samples
from tests.soak.series import Recording, Series
from tests.soak.town import SPARED

ENOUGH = 8  # samples, two in each quarter


@dataclass(frozen=True, slots=True)
class Finding:
    name: str
    seen: str
    bound: str
    ok: bool


def judge(
    recording: Recording, expected: Sequence[str], tally: Tally, wrong: Sequence[str], ended: Sequence[str]
) -> list[Finding]:
    """`expected`: what must have been looked at; nothing that was not seen is fine."""
    return [*_promise(tally, wrong, ended), *_missing(recording, expected), *_growth(recording)]


def _promise(tally: Tally, wrong: Sequence[str], ended: Sequence[str]) -> Iterator[Finding]:
    yield Finding("occurrences and requests", f"{tally.created:,} of {tally.expected:,}", "all", not tally.broken)
    for name in ("lost", "duplicated", "overlapping", "stale_accepted"):
        count = getattr(tally, name)
        yield Finding(name.replace("_", " "), str(count), "0", count == 0)
    yield Finding("stale writes refused", str(tally.stale_refused), "any", True)
    yield Finding("what the checker says", "; ".join(wrong)[:500] or "nothing", "nothing", not wrong)
    yield Finding("processes that ended by themselves", "; ".join(ended)[:500] or "none", "none", not ended)


def _missing(recording: Recording, expected: Sequence[str]) -> Iterator[Finding]:
    for plot in expected:
        judged = [s for s in recording.series(plot) if plot not in (samples.MEMORY, samples.FILES) or SPARED in s.title]
        if not judged or min(len(series.points) for series in judged) < ENOUGH:
            yield Finding(plot, "not looked at, or not often enough", f"{ENOUGH} samples", False)


def _growth(recording: Recording) -> Iterator[Finding]:
    for series in recording.series(samples.MEMORY):
        if SPARED in series.title:
            yield _bounded(f"memory of {series.title}", series, "MiB", more=0.15, plus=8)
    for series in recording.series(samples.FILES):
        if SPARED in series.title:
            yield _bounded(f"open files of {series.title}", series, "", more=0.1, plus=8)
    for series in recording.series(samples.ZOMBIES):
        last = series.values[-1] if series.values else 0
        yield Finding("zombies at the end", f"{last:.0f}", "0", last == 0)
    for series in recording.series(samples.BLOAT):
        yield _bounded(f"size of {series.title}", series, "MiB", more=1.0, plus=4)
    for series in recording.series(samples.CONNECTIONS):
        yield _bounded("connections of the server", series, "", more=0.25, plus=5)
    for series in recording.series(samples.CLAIMS):
        if series.title == "p50":
            yield _bounded("due to started, p50", series, "ms", more=1.0, plus=20)


def _bounded(name: str, series: Series, unit: str, *, more: float, plus: float) -> Finding:
    """The last quarter's median may be so much above the second quarter's."""
    quarter = max(len(series.points) // 4, 1)
    before, after = median(series.values[quarter : 2 * quarter] or [0]), median(series.values[-quarter:] or [0])
    bound = before * (1 + more) + plus
    seen = f"{before:,.1f} → {after:,.1f}{' ' * bool(unit)}{unit}, {series.last_part(0.5).slope():+,.1f} an hour"
    return Finding(name, seen, f"≤ {bound:,.1f} {unit}".rstrip(), after <= bound)
