"""`python -m bench [figure …]`: measures, and prints one table."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import uvloop

from bench import drain
from bench.figure import Figure, merged, table
from bench.place import KINDS, NoServer

Measure = Callable[[str], Awaitable[Sequence[Figure]]]


def main() -> int:
    arguments = _parse()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        figures = runner.run(_measure(arguments))
    print(table(figures))
    return 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measures Horae's figures.")
    parser.add_argument("figures", nargs="*", choices=["drain", []], help="which; all by default")
    parser.add_argument("--database", action="append", choices=KINDS, help="repeatable; all by default")
    parser.add_argument("--repeat", type=int, default=3, help="how often; the table shows medians")
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--slots", type=int, action="append", help="of the draining worker; repeatable")
    return parser.parse_args()


async def _measure(arguments: argparse.Namespace) -> list[Figure]:
    found: list[Figure] = []
    for slots in arguments.slots or [100]:
        measure = partial(drain.measure, options=drain.Options(runs=arguments.runs, slots=slots))
        for kind in arguments.database or KINDS:
            found += await _repeat("drain", kind, arguments.repeat, measure)
    return found


async def _repeat(name: str, kind: str, times: int, measure: Measure) -> list[Figure]:
    runs: list[Sequence[Figure]] = []
    for n in range(times):
        began = time.perf_counter()
        try:
            runs.append(await measure(kind))
        except NoServer as reason:
            print(f"  {name}: left out: {reason}", file=sys.stderr)
            return []
        first, took = runs[-1][0], time.perf_counter() - began
        told = f"{name} on {kind} {n + 1}/{times}: {first.median:,.0f} {first.unit} ({took:.0f} s)"
        print(f"  {told}", file=sys.stderr)
    return merged(runs)


if __name__ == "__main__":
    sys.exit(main())
