"""How many worlds it takes to find a bug that was planted."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.simulation.mutant import Mutant, planted
from tests.simulation.mutants import MUTANTS
from tests.simulation.oracle import Violation
from tests.simulation.rewrites import Misfit
from tests.simulation.trial import Trial, attempt

_DETAILS = re.compile(r" \(|:| from \d| at \d")  # what follows differs from seed to seed


@dataclass(frozen=True)
class Find:
    mutant: Mutant
    seeds: int  # as many worlds as were needed, or were tried in vain
    trial: Trial | None

    @property
    def row(self) -> str:
        found = "not found" if self.trial is None else _DETAILS.split(str(self.trial.failure), maxsplit=1)[0]
        return f"| {self.mutant.name} | {self.mutant.what} | {self.seeds} | {found} |"


def hunt(mutant: Mutant, most: int, *, likely: int = 0) -> Find:
    """In one world after the other, the likely one first. It must break a rule of the oracle: any other failure may be
    the plant's own, such as an argument of another name."""
    with planted(mutant):
        for seed in (likely, *range(most)):
            trial = attempt(str(seed), kind=mutant.kind)
            if trial.failure is not None and not isinstance(trial.failure, Violation):
                raise Misfit(f"{mutant.name} broke no rule in seed {seed}, but {trial.failure!r}") from trial.failure
            if trial.failure is not None:
                return Find(mutant, seed + 1, trial)
    return Find(mutant, most, None)


def table(most: int) -> str:
    rows = [hunt(mutant, most).row for mutant in MUTANTS]
    return "\n".join(["| mutant | what it does | worlds needed | found as |", "|---|---|---|---|", *rows])
