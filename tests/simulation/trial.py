"""One world from its beginning to its end, or to what went wrong in it."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass

from tests.simulation.carried import Carried
from tests.simulation.database import Folder
from tests.simulation.oracle import Violation
from tests.simulation.timeline import timeline
from tests.simulation.world import World
from tests.simulation.year import Year

KINDS: dict[str, type[World]] = {"cluster": World, "broker": Carried, "year": Year}  # minutes of it, or a year


@dataclass(frozen=True)
class Trial:
    seed: str
    kind: str  # of the world
    failure: Exception | None
    ended: dict[str, int]  # occurrences, by what became of them
    happened: tuple[str, ...]  # faults and wishes, by their keys
    timeline: list[str]
    fingerprint: str
    virtual: float
    steps: int
    seconds: float  # of this machine's time

    @property
    def what(self) -> str:
        """The failure in words that do not change with the rest of the world."""
        if self.failure is None:
            return ""
        text = self.failure.what if isinstance(self.failure, Violation) else repr(self.failure)
        return "".join(letter for letter in text if not letter.isdigit())


def attempt(seed: str, *, keep: Collection[str] | None = None, kind: str = "cluster") -> Trial:
    began = time.process_time()
    failure: Exception | None = None
    with Folder() as path:
        world = KINDS[kind](seed, path, keep=keep)
        try:
            world.run()
        except Exception as error:
            failure = error
    about = failure.about if isinstance(failure, Violation) else set()
    return Trial(
        seed,
        kind,
        failure,
        world.oracle.ended,
        tuple(world.faults.happened),
        timeline(world.trace, about) if failure is not None else [],
        world.trace.fingerprint(),
        world.loop.time(),
        len(world.trace.entries),
        time.process_time() - began,
    )


def told(trial: Trial, first: Trial) -> str:
    """A failure, so that someone can find out why: `trial` may be shorter than the `first` one of its seed."""
    lines = [f"seed {trial.seed} failed: {trial.failure!r}", *trial.timeline]
    kind = "" if first.kind == "cluster" else f"--{first.kind}"
    lines.append(f"again, as it was:   make simulate SEEDS={first.seed}{kind and f' ARGS={kind}'}")
    if len(trial.happened) < len(first.happened):
        only = ",".join(trial.happened)
        lines.append(f"again, as above:    make simulate SEEDS={first.seed} ARGS='{kind and f'{kind} '}--only {only}'")
    return "\n".join(["", *lines, ""])
