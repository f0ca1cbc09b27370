"""What may go wrong wherever a process touches the store. Each seed chooses which kinds there are in its world and how
often; each process draws from its own stream, so that leaving out one fault (to find those that matter) leaves
the others as they are."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass

# Kind → how likely at one point, and at a commit, where it hurts most.
RATES = {
    "crash": (0.001, 0.007),  # kill -9
    "stop": (0.003, 0.006),  # SIGSTOP, for longer than leases
    "skew": (0.0006, 0.0006),  # the local clock jumps
    "fail": (0.002, 0.005),  # the connection breaks before anything took effect
    "busy": (0.002, 0.002),  # someone was in the way
    "lost reply": (0.0, 0.02),  # it took effect, and no one learns of it
    "slow": (0.0015, 0.004),  # seconds pass
    "terminate": (0.0003, 0.0003),  # SIGTERM: an orderly stop
}
WEIGHTS = (0.0, 0.3, 1.0, 1.0, 3.0)
HINTS = {"lost": 0.2, "late": 0.2, "twice": 0.1}
MESSAGES = {"lost": 0.1, "late": 0.15, "twice": 0.15}  # of a broker


@dataclass(frozen=True)
class Fault:
    kind: str
    key: str  # process and place: the same in every world of this seed
    seconds: float


class Faults:
    """`keep` names the faults that happen, if not all do that the seed brings."""

    def __init__(self, seed: str, keep: Collection[str] | None = None) -> None:
        chance = random.Random(f"{seed}/faults")
        self._plain: list[tuple[str, float]] = []
        self._commit: list[tuple[str, float]] = []
        for kind, (plain, commit) in RATES.items():
            weight = chance.choice(WEIGHTS)
            self._plain.append((kind, plain * weight))
            self._commit.append((kind, commit * weight))
        self._hints = {kind: rate * chance.choice((0, 1, 1, 3)) for kind, rate in HINTS.items()}
        chance = random.Random(f"{seed}/messages")
        self._messages = {kind: rate * chance.choice((0, 1, 1, 2)) for kind, rate in MESSAGES.items()}
        self._sum = sum(rate for _, rate in self._plain), sum(rate for _, rate in self._commit)
        self.keep = None if keep is None else frozenset(keep)
        self.happened: list[str] = []
        self.on = True

    def at(self, process: str, point: int, chance: random.Random, *, commit: bool) -> Fault | None:
        draw = chance.random()
        if draw >= self._sum[commit]:
            return None
        seconds = chance.random()
        for kind, rate in self._commit if commit else self._plain:
            if draw < rate:
                return self._wanted(Fault(kind, f"{process}@{point}", seconds))
            draw -= rate
        return None

    def hint(self, process: str, point: int, chance: random.Random) -> str | None:
        return self._one_of(self._hints, process, point, chance)

    def message(self, sender: str, point: int, chance: random.Random) -> str | None:
        return self._one_of(self._messages, sender, point, chance)

    def _one_of(self, rates: Mapping[str, float], process: str, point: int, chance: random.Random) -> str | None:
        draw = chance.random()
        for kind, rate in rates.items():
            if draw < rate:
                wanted = self._wanted(Fault(kind, f"{process}#{point}", 0))
                return None if wanted is None else kind
            draw -= rate
        return None

    def _wanted(self, fault: Fault) -> Fault | None:
        if not self.on or (self.keep is not None and fault.key not in self.keep):
            return None
        self.happened.append(fault.key)
        return fault

    def wanted(self, key: str) -> bool:
        """The same for what people do."""
        if self.keep is not None and key not in self.keep:
            return False
        self.happened.append(key)
        return True
