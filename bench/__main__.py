"""`python -m bench [figure …]`: measures, and prints one table."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import signal
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import median

import uvloop

from bench import (
    alerts,
    calls,
    compare,
    drain,
    engine,
    enqueue,
    firing,
    follow,
    herd,
    hostile,
    idle,
    intake,
    latency,
    lateness,
    lists,
    load,
    machine,
    metrics,
    night,
    portal,
    scripts,
    sharing,
    wide,
)
from bench.figure import Figure, merged, table
from bench.options import Options
from bench.place import KINDS, NoServer
from horae.wiring.shared import settle_down

Measure = Callable[[str, Options], Awaitable[Sequence[Figure]]]


@dataclass(frozen=True, slots=True)
class Bench:
    """A tool that measures some figures, and where it does so by default."""

    measure: Measure
    kinds: tuple[str, ...] = KINDS
    repeat: int | None = None  # where once is enough: its figures are made of hundreds of samples
    by_default: bool = True


@dataclass(frozen=True, slots=True)
class Report:
    """The figures, how busy others kept the machine before each, and what could not be measured."""

    figures: list[Figure]
    noise: list[float]
    failures: list[str]


BENCHES = {
    "drain": Bench(drain.measure),
    "latency": Bench(latency.measure, repeat=1),
    "firing": Bench(firing.measure),
    "wide": Bench(wide.measure, repeat=1),
    "sharing": Bench(sharing.measure, ("postgresql",), by_default=False),
    "lateness": Bench(lateness.measure, repeat=1),
    "enqueue": Bench(enqueue.measure),
    "engine": Bench(engine.measure, ("postgresql",), by_default=False),  # it needs RabbitMQ and Redis
    "intake": Bench(intake.measure, ("postgresql",), by_default=False),  # so does this
    "api": Bench(load.measure, ("postgresql", "sqlite"), repeat=1),
    "alerts": Bench(alerts.measure, repeat=1),
    "lists": Bench(lists.measure, ("postgresql",), repeat=1, by_default=False),  # it fills a table for minutes
    "metrics": Bench(metrics.measure, ("postgresql",), repeat=1, by_default=False),  # so does this
    "follow": Bench(follow.measure, ("postgresql", "sqlite"), repeat=1),
    "http": Bench(calls.measure, ("postgresql", "sqlite")),
    "scripts": Bench(scripts.measure, ("postgresql", "sqlite"), repeat=1),
    "idle": Bench(idle.measure, ("postgresql", "sqlite"), repeat=1),
    "herd": Bench(herd.measure, ("postgresql",), repeat=1, by_default=False),
    "hostile": Bench(hostile.measure, ("sqlite",), repeat=1),
    "portal": Bench(portal.measure, ("sqlite",), repeat=1, by_default=False),  # it needs a browser
    "night": Bench(night.measure, ("sqlite",), repeat=1, by_default=False),  # so does this, for a quarter of an hour
    "compare": Bench(compare.measure, ("postgresql",), by_default=False),  # installs other libraries elsewhere
}

_NAMED = ", ".join(name for name, bench in BENCHES.items() if not bench.by_default)


def main() -> int:
    arguments = _parse()
    logging.getLogger("asyncmy").setLevel(logging.ERROR)  # it repeats notes of the server about the names of keys
    options = Options(**{f.name: value for f in fields(Options) if (value := getattr(arguments, f.name)) is not None})
    report = Report([], [], [])
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    settle_down()  # some figures are measured in this process: as in those of Horae
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_measure(arguments, options, report))
    except KeyboardInterrupt:
        report.failures.append("the rest: interrupted")
    _show(report, arguments.json)
    return 1 if report.failures else 0


def _show(report: Report, path: Path | None) -> None:
    print(table(report.figures))
    if report.noise:
        others = f"others used {median(report.noise):.0f} % of it (at most {max(report.noise):.0f})"
        print(f"\nMeasured on {machine.described()}; {others}.")
    for failure in report.failures:
        print(f"FAILED: {failure}")
    if path:
        path.write_text(json.dumps([asdict(figure) for figure in report.figures], indent=1))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measures Horae's figures.")
    parser.add_argument("figures", nargs="*", help=f"of {', '.join(BENCHES)}; {_NAMED} only if they are named")
    parser.add_argument("--database", action="append", choices=KINDS, help="repeatable; all that matter by default")
    parser.add_argument(
        "--repeat", type=int, help="how often; the table shows medians (3, or 1 where that is many samples)"
    )
    parser.add_argument("--patience", type=float, default=0, help="seconds to wait for the machine to be quiet (0)")
    parser.add_argument("--json", type=Path, help="also write the figures into this file")
    for field, words in (
        ("runs", "runs that are queued, for drain and enqueue"),
        ("slots", "slots of the worker that drains"),
        ("published", "runs that are published again and drained through a broker, for engine"),
        ("triggers", "triggers, one at a time, for latency"),
        ("jobs", "jobs that are due at once, for firing"),
        ("herd", "jobs that are due at once while a worker waits, for herd"),
        ("table", "jobs in the table, for firing; those that are not due wait for another day"),
        ("clients", "connections at a time, for api"),
        ("history", "ended runs, for lists and metrics"),
        ("scripts", "short scripts, for scripts"),
        ("calls", "calls by the worker and by each bare loop, for http"),
    ):
        parser.add_argument(f"--{field}", type=int, help=f"{words} ({getattr(Options(), field):,})")
    parser.add_argument("--wakeups", choices=("database", "redis"), help="what carries them, for latency (database)")
    parser.add_argument("--seconds", type=float, help=f"how long to look at idle processes ({Options().seconds:g})")
    parser.add_argument("--minutes", type=float, help=f"how long pages stay open, for night ({Options().minutes:g})")
    arguments = parser.parse_args()
    for name in arguments.figures:
        if name not in BENCHES:
            parser.error(f"there is no figure {name!r}: choose from {', '.join(BENCHES)}")
    return arguments


async def _measure(arguments: argparse.Namespace, options: Options, report: Report) -> None:
    for name in arguments.figures or [name for name, bench in BENCHES.items() if bench.by_default]:
        bench = BENCHES[name]
        times = arguments.repeat or bench.repeat or 3
        for kind in arguments.database or bench.kinds:
            runs: list[Sequence[Figure]] = []
            for n in range(times):
                percent = await machine.quiet(arguments.patience)
                try:
                    runs.append(await _once(f"{name} {n + 1} of {times}", bench, kind, options, percent))
                except NoServer as reason:
                    print(f"  {name}: left out: {reason}", file=sys.stderr)
                    break
                except Exception:  # the other figures are wanted all the same
                    print(f"  {name} on {kind} FAILED:\n{traceback.format_exc()}", file=sys.stderr)
                    report.failures.append(f"{name} on {kind}")
                    continue
                report.noise.append(percent)
            report.figures.extend(merged(runs))


async def _once(title: str, bench: Bench, kind: str, options: Options, percent: float) -> Sequence[Figure]:
    began = time.perf_counter()
    figures = await bench.measure(kind, options)
    first, took = figures[0], time.perf_counter() - began
    told = f"{first.name}: {first.median:,.1f} {first.unit}"
    print(f"  {title} on {first.place}: {told} ({took:.0f} s, others used {percent:.0f} %)", file=sys.stderr)
    return figures


if __name__ == "__main__":
    sys.exit(main())
