"""`python -m tests.faults`: plays scenarios and prints the table. `make faults` starts the servers around it."""

import argparse
import asyncio
import os
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

import psutil

import tests.faults.scenarios  # noqa: F401 (registers them)
from tests.databases import Databases
from tests.faults import report
from tests.faults.report import Line
from tests.faults.scenario import ALL, BOTH, SCENARIOS
from tests.faults.stage import Failure, Templates, play

BUSY = 60.0  # percent of the processors, above which nothing more is begun
LONGEST_WAIT = 60.0  # seconds: others may keep the machine busy forever
ABOUT = "Made by `make faults`. Figures are sums over the repetitions; recovery is in seconds."


def parse(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make faults", description=__doc__)
    parser.add_argument("--scenario", action="append", choices=sorted(SCENARIOS), help="this one (may be repeated)")
    parser.add_argument("--database", action="append", choices=ALL)
    parser.add_argument("--times", action="append", choices=BOTH, help="short leases, or those of the default settings")
    parser.add_argument(
        "--repeat", type=int, help="repetitions, instead of 20 on PostgreSQL, 5 elsewhere, 3 at defaults"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the first repetition; the next has the next")
    at_once = 4 * (os.cpu_count() or 1)  # they wait most of their time
    parser.add_argument("--at-once", type=int, default=at_once, help="clusters side by side, if the machine bears them")
    parser.add_argument("--json", type=Path, default=Path(".cache/faults.json"))
    parser.add_argument("--markdown", type=Path, default=Path(".cache/faults.md"))
    parser.add_argument("--list", action="store_true", help="only tell what there is")
    return parser.parse_args(words)


def chosen(arguments: argparse.Namespace) -> list[Line]:
    """What is asked for and can be played here; what cannot is said."""
    lines = [
        Line(scenario, kind, times)
        for scenario in SCENARIOS.values()
        for times in scenario.times
        for kind in scenario.kinds
        if scenario.name in (arguments.scenario or [name for name, s in SCENARIOS.items() if not s.only_asked])
        and kind in (arguments.database or ALL)
        and times in (arguments.times or BOTH)
    ]
    missing = {line: reason for line in lines if (reason := _missing(line))}
    for reason in sorted(set(missing.values())):
        left_out = [f"{line.scenario.name} on {line.kind}" for line in lines if missing.get(line) == reason]
        say(f"LEFT OUT, {reason}: {', '.join(left_out)}")
    return [line for line in lines if line not in missing]


def _missing(line: Line) -> str | None:
    if not line.scenario.playable:
        return f"without {line.scenario.needs}"
    if line.kind != "sqlite" and f"HORAE_TEST_{line.kind.upper()}_URL" not in os.environ:
        return f"there is no {line.kind}"
    return None


class Runner:
    """Plays clusters side by side, and those that need the machine for themselves one by one at the end."""

    def __init__(self, arguments: argparse.Namespace, templates: Templates) -> None:
        self._arguments, self._templates = arguments, templates
        self._turn = asyncio.Semaphore(arguments.at_once)
        self._door = asyncio.Lock()
        self._lines: Sequence[Line] = ()

    async def run(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        await asyncio.gather(*(self._line(line) for line in lines if not line.alone))
        self._turn = asyncio.Semaphore(1)
        for line in lines:
            if line.alone:
                await self._line(line)

    async def _line(self, line: Line) -> None:
        count = self._arguments.repeat or line.scenario.repetitions(line.kind, line.times)
        rounds = line.scenario.rounds
        clusters = [min(rounds, count - done) for done in range(0, count, rounds)]
        await asyncio.gather(*(self._in_turn(line, self._arguments.seed + n, r) for n, r in enumerate(clusters)))
        say(" ".join(line.cells()), f"({line.seconds:.0f} s)")
        write(self._arguments, [line for line in self._lines if line.repetitions])

    async def _in_turn(self, line: Line, seed: int, rounds: int) -> None:
        async with self._turn:
            await self._calm()
            began = time.monotonic()
            await self._repetition(line, seed, rounds)
            line.repetitions += rounds
            line.seconds += time.monotonic() - began

    async def _calm(self) -> None:
        """Waits for its turn at the door and until the machine has something left: what is measured is Horae, not how
        long a process waits for a processor."""
        async with self._door:
            since = time.monotonic()
            while await asyncio.to_thread(psutil.cpu_percent, 1.0) > BUSY and time.monotonic() < since + LONGEST_WAIT:
                pass

    async def _repetition(self, line: Line, seed: int, rounds: int) -> None:
        try:
            tally = await play(line.scenario, self._templates, line.kind, line.times, seed, rounds)
        except Exception as error:
            reason = str(error) if isinstance(error, Failure) else traceback.format_exc()
            line.failures.append((seed, reason))
            if isinstance(error, Failure):
                line.tally.add(error.tally)
            say(
                f"FAILED {reason}\n  again: make faults ARGS='--scenario {line.scenario.name} --database {line.kind} "
                f"--times {line.times} --seed {seed} --repeat {rounds}'"
            )
        else:
            line.tally.add(tally)


def write(arguments: argparse.Namespace, lines: Sequence[Line]) -> None:
    """What there is so far: an hour is long."""
    for path, words in ((arguments.json, report.as_json(lines)), (arguments.markdown, report.markdown(lines, ABOUT))):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(words)


def say(*words: object) -> None:
    print(*words, file=sys.stderr, flush=True)


def main() -> int:
    arguments = parse(sys.argv[1:])
    lines = chosen(arguments)
    if arguments.list:
        for line in lines:
            print(f"{line.scenario.name:28} {line.kind:12} {line.times:8} {line.scenario.what}")
        return 0
    databases = Databases()
    began = time.monotonic()
    try:
        asyncio.run(Runner(arguments, Templates(databases)).run(lines))
    finally:
        databases.drop_all()
    print(report.text(lines))
    failed, slow = [line for line in lines if line.failures], [line for line in lines if line.too_slow]
    print(
        f"\n{len(lines)} rows in {time.monotonic() - began:.0f} s, {len(failed)} with failures, "
        f"{len(slow)} slower than promised or not measured"
    )
    return 1 if failed or slow or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
