"""`make simulate SEEDS=0-1999`: worlds of these seeds, one after the other, or several at once with `--jobs`.

A seed that fails is shortened to what it needs to fail, and reported as a timeline, with the command that replays it.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.simulation.hunt import table
from tests.simulation.shrink import shrink
from tests.simulation.trial import Trial, attempt, told

MOST = 150


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("seeds", nargs="*", default=["0-299"], help="such as 7 or 0-1999")
    parser.add_argument("--only", help="the faults and wishes that happen, with commas between them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once")
    parser.add_argument("--no-shrink", action="store_true", help="tell a failure as it is")
    parser.add_argument("--mutants", action="store_true", help="the table of planted bugs, and the worlds needed")
    parser.add_argument("--year", action="store_true", help="years of schedules instead of minutes of a cluster")
    parser.add_argument("--broker", action="store_true", help="clusters whose runs a broker carries")
    given = parser.parse_args()
    if given.mutants:
        print(table(MOST))
        return 0
    keep = None if given.only is None else given.only.split(",")
    seeds = [seed for text in given.seeds for seed in _seeds(text)]
    if given.year:
        return _years(seeds, keep)
    began, failed, virtual, steps = time.monotonic(), 0, 0.0, 0
    for trial in _trials(seeds, given.jobs, keep, "broker" if given.broker else "cluster"):
        virtual += trial.virtual
        steps += trial.steps
        if trial.failure is not None:
            failed += 1
            print(told(trial if given.no_shrink or keep is not None else shrink(trial), trial), flush=True)
    seconds = time.monotonic() - began
    print(
        f"{len(seeds)} worlds, {virtual / 3600:.1f} hours of theirs and {steps} steps in {seconds:.0f} s "
        f"({len(seeds) / seconds:.1f} a second): {failed} failed"
    )
    return 1 if failed else 0


def _years(seeds: list[str], keep: list[str] | None) -> int:
    """A failure is reported as it is: shortening it would take many years of simulation."""
    failed = 0
    for seed in seeds:
        began = time.monotonic()
        year = attempt(seed, keep=keep, kind="year")
        if year.failure is not None:
            failed += 1
            print(told(year, year), flush=True)
            continue
        rows = ", ".join(f"{count} {status}" for status, count in year.ended.items())
        print(f"year {seed}: {rows}; {len(year.happened)} faults, in {time.monotonic() - began:.0f} s", flush=True)
    return 1 if failed else 0


def _trials(seeds: list[str], jobs: int, keep: list[str] | None, kind: str) -> Iterator[Trial]:
    work = partial(attempt, keep=keep, kind=kind)
    if jobs == 1 or len(seeds) < 8:
        yield from map(work, seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(work, seeds, chunksize=8)


def _seeds(text: str) -> list[str]:
    first, _, last = text.partition("-")
    return [str(seed) for seed in range(int(first), int(last or first) + 1)]


if __name__ == "__main__":
    sys.exit(main())
