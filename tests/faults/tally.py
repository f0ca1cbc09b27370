"""What a repetition came to, in the terms of the promise; tallies add up to a row of the table."""

from dataclasses import dataclass, field, fields
from math import ceil


@dataclass
class Tally:
    """All but the first two and `stale_refused` must stay 0. Recovery is in seconds, one figure per fault."""

    expected: int = 0  # occurrences, by the calendar, and runs that were asked for
    created: int = 0  # of those, how many have a row
    duplicated: int = 0
    lost: int = 0  # no row, a row that never ends, or a success that no one worked for
    overlapping: int = 0  # two attempts of one run, or more runs of a job than it allows, at a time
    stale_refused: int = 0
    stale_accepted: int = 0
    recovery: list[float] = field(default_factory=list)
    notes: dict[str, int] = field(default_factory=dict)  # what else a scenario counts

    def add(self, other: "Tally") -> None:
        for f in fields(self):
            if f.name == "notes":
                for name, count in other.notes.items():
                    self.notes[name] = self.notes.get(name, 0) + count
            else:
                setattr(self, f.name, getattr(self, f.name) + getattr(other, f.name))

    @property
    def broken(self) -> bool:
        return bool(
            self.created != self.expected or self.duplicated or self.lost or self.overlapping or self.stale_accepted
        )


def percentile(values: list[float], share: float) -> float | None:
    """The nearest rank: a figure that was really measured."""
    if not values:
        return None
    return sorted(values)[max(ceil(share * len(values)) - 1, 0)]
