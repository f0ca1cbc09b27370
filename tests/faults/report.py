"""The table: scenario × database, as text, Markdown and JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from tests.faults.scenario import Scenario, Times
from tests.faults.tally import Tally, percentile

HEAD = (
    "scenario",
    "database",
    "times",
    "repetitions",
    "expected",
    "created",
    "duplicated",
    "lost",
    "overlapping",
    "stale refused",
    "stale accepted",
    "recovery p50",
    "p99",
    "max",
    "measured",
    "promised",
    "failed",
)


_ROOMY = 5.0  # seconds of recovery that are promised, and hold beside others


@dataclass(eq=False)
class Line:
    scenario: Scenario
    kind: str
    times: Times
    repetitions: int = 0
    tally: Tally = field(default_factory=Tally)
    failures: list[tuple[int, str]] = field(default_factory=list)  # seed and reason
    seconds: float = 0.0  # of all its clusters

    @property
    def bound(self) -> float | None:
        return self.scenario.bound if self.times == self.scenario.times[-1] else None

    @property
    def alone(self) -> bool:
        """Has the machine for itself: it needs it, or is held to so little time that others would be in the way."""
        return self.scenario.alone or (self.bound is not None and self.bound < _ROOMY)

    @property
    def too_slow(self) -> bool:
        found = percentile(self.tally.recovery, 0.99)
        return self.bound is not None and (found is None or found > self.bound)

    def cells(self) -> list[str]:
        t = self.tally
        times = [percentile(t.recovery, share) for share in (0.5, 0.99, 1.0)]
        return [
            self.scenario.name,
            self.kind,
            self.times,
            str(self.repetitions),
            *(str(n) for n in (t.expected, t.created, t.duplicated, t.lost, t.overlapping)),
            str(t.stale_refused),
            str(t.stale_accepted),
            *("–" if seconds is None else f"{seconds:.2f} s" for seconds in times),
            str(len(t.recovery)),
            "–" if self.bound is None else f"{self.bound:g} s",
            str(len(self.failures)),
        ]

    def record(self) -> dict[str, object]:
        t = self.tally
        return {
            "scenario": self.scenario.name,
            "what": self.scenario.what,
            "database": self.kind,
            "times": self.times,
            "repetitions": self.repetitions,
            **{name: value for name, value in asdict(t).items() if name != "recovery"},
            "recovery": {
                "p50": percentile(t.recovery, 0.5),
                "p99": percentile(t.recovery, 0.99),
                "max": percentile(t.recovery, 1.0),
                "measured": len(t.recovery),
                "promised": self.bound,
            },
            "failures": [{"seed": seed, "reason": reason} for seed, reason in self.failures],
            "seconds": round(self.seconds, 1),
        }


def text(lines: Sequence[Line]) -> str:
    rows = [list(HEAD), *(line.cells() for line in lines)]
    widths = [max(len(row[n]) for row in rows) for n in range(len(HEAD))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def markdown(lines: Sequence[Line], about: str) -> str:
    rows = [HEAD, ["---"] * 3 + ["---:"] * (len(HEAD) - 3), *(line.cells() for line in lines)]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    what = {line.scenario.name: line.scenario.what for line in lines}
    noted = [
        f"- `{line.scenario.name}` on {line.kind} ({line.times}): {name}: {count}"
        for line in lines
        for name, count in sorted(line.tally.notes.items())
    ]
    words = "\n".join(f"- `{name}`: {words}" for name, words in what.items())
    also = "\n\nAlso counted:\n\n" + "\n".join(noted) if noted else ""
    return f"{about}\n\n{table}\n\n{words}{also}\n"


def as_json(lines: Sequence[Line]) -> str:
    return json.dumps([line.record() for line in lines], indent=2, ensure_ascii=False) + "\n"
