"""The registry of scenarios.

How to add one: write a function of a `Stage` in the module of its group in tests/faults/scenarios/ (or in a new one
there: all are found), and register it:

    @scenario("worker-killed", "a worker is killed (-9) while it runs something")
    async def worker_killed(stage: Stage) -> None:
        await stage.cluster.start_scheduler()
        await stage.cluster.start_workers(2)
        runs = await stage.ask_for(10)                  # or stage.plan(...): jobs on a schedule, with their calendar
        for _ in stage.rounds():                        # one fault per round; each counts as a repetition
            ...
            stage.recovered(seconds)                    # once per fault, if there is something to recover from

Everything that differs between repetitions comes from `stage.chance` (a random.Random of the seed). When the
function returns, the stage waits until everything is over, stops what runs, and the checker compares the oracle's file,
the database and the calendar (checker.py); anything lost, doubled, overlapping or stale fails the repetition, and so
does a process that printed a traceback or an `assert` of the scenario. A repetition that failed prints its seed:
`make faults ARGS='--scenario worker-killed --database mysql --seed 17 --repeat 1'` plays it again.

`kinds` says on which databases it makes sense, `times` whether it runs with short leases, at the default times, or
both; `fast` names the databases of which one round runs in `make test`; `alone` keeps other scenarios from running
beside it; `rounds` is how many faults one cluster bears before the next repetition gets a fresh one; `most` bounds the
repetitions of what takes long; `only_asked` leaves it out unless it is named; `needs` names a program, or with
`possible` everything else; `bound` is the recovery that is promised, which `make faults` holds it to.
"""

import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tests.faults.stage import Stage

Play = Callable[["Stage"], Awaitable[None]]
Times = Literal["short", "default"]
ALL = ("postgresql", "mysql", "sqlite")
SERVERS = ("postgresql", "mysql")
BOTH: tuple[Times, ...] = ("short", "default")
SHORT: tuple[Times, ...] = ("short",)
DEFAULT: tuple[Times, ...] = ("default",)  # where nothing fails that a lease would have to end for
REPETITIONS = {"postgresql": 20, "mysql": 5, "sqlite": 5}
REPETITIONS_AT_DEFAULTS = 3


@dataclass(frozen=True)
class Scenario:
    name: str
    what: str
    play: Play
    kinds: tuple[str, ...] = ALL
    times: tuple[Times, ...] = SHORT
    fast: tuple[str, ...] = ()
    rounds: int = 1
    most: int | None = None  # repetitions of what takes long and has no chance in it
    alone: bool = False
    within: float = 120.0  # seconds for one repetition
    only_asked: bool = False  # left out unless it is named
    needs: str | None = None  # what it cannot be played without: a program, or what `possible` looks for
    possible: Callable[[], bool] | None = None
    bound: float | None = None  # seconds that p99 of recovery may take, at the last of `times`

    @property
    def playable(self) -> bool:
        if self.possible is not None:
            return self.possible()
        return self.needs is None or shutil.which(self.needs) is not None

    def repetitions(self, kind: str, times: Times) -> int:
        usual = REPETITIONS[kind] if times == self.times[0] else REPETITIONS_AT_DEFAULTS
        return usual if self.most is None else min(usual, self.most)


SCENARIOS: dict[str, Scenario] = {}


def scenario(
    name: str,
    what: str,
    *,
    kinds: tuple[str, ...] = ALL,
    times: tuple[Times, ...] = SHORT,
    fast: tuple[str, ...] = (),
    rounds: int = 1,
    most: int | None = None,
    alone: bool = False,
    within: float = 120.0,
    only_asked: bool = False,
    needs: str | None = None,
    possible: Callable[[], bool] | None = None,
    bound: float | None = None,
) -> Callable[[Play], Play]:
    def register(play: Play) -> Play:
        assert name not in SCENARIOS, f"two scenarios are named {name}"
        SCENARIOS[name] = Scenario(
            name, what, play, kinds, times, fast, rounds, most, alone, within, only_asked, needs, possible, bound
        )
        return play

    return register
