"""Profile: where the microseconds of a drained run go, in the worker by samples of its stacks (py-spy, which must be on
the PATH) and in the server by statement, where it keeps such statistics.

`python -m bench.profile postgresql --runs 60000`. PostgreSQL reports statements if it was started with
shared_preload_libraries=pg_stat_statements, MariaDB with performance_schema=ON."""

from __future__ import annotations

import argparse
import asyncio
import logging
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path

import uvloop

from bench import drain, queue
from bench.place import KINDS, Place, fresh, until
from bench.process import Process, cpu, horae

# A stack whose innermost function is of the driver is in its C code or in the kernel: encoding, sending and, where
# there are fewer cores than processes, waiting for one.
DRIVERS = ("asyncpg/", "asyncmy/", "MysqlConnection", "SqliteConnection", "concurrent/futures", "asyncio/futures")
# Otherwise the first of these that it holds names what the time was spent on.
PARTS = (
    ("heartbeat.py", "heartbeat"),
    ("Slots._perform", "execute: the attempt's task"),
    ("Slots.start", "start: the attempt and its task"),
    ("_claimed", "claim: rows to runs"),
    ("Intake.", "start: the rest"),
    ("Claimer.", "claim: verb, store and loop"),
    ("rows_params", "report: outcomes to parameters"),
    ("after_ends", "report: what an end brings about"),
    ("Reporter", "report: verb, store and loop"),
    ("_chain_future", "hand-over between threads"),
    ("Runner.run", "event loop and driver, called by it"),
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.profile", description="Where a run's microseconds go.")
    parser.add_argument("database", choices=KINDS)
    parser.add_argument("--runs", type=int, default=60_000)
    parser.add_argument("--slots", type=int, default=100)
    parser.add_argument("--functions", type=int, default=25, help="how many single functions to list")
    arguments = parser.parse_args()
    if not shutil.which("py-spy"):
        sys.exit("py-spy is not on the PATH: put it there (pip install py-spy, in an environment of its own)")
    logging.getLogger("asyncmy").setLevel(logging.ERROR)  # it repeats notes of the server about the names of keys
    uvloop.run(_profile(arguments))


async def _profile(arguments: argparse.Namespace) -> None:
    runs: int = arguments.runs
    async with fresh(arguments.database) as place:
        async with place.store() as store:
            await queue.fill(store, await queue.manual_job(store, "nothing"), runs)
        await _reset(place)
        server = place.server()
        async with horae(place, "worker", "--import", "bench.tasks", "--slots", str(arguments.slots)) as worker:
            mine, servers = worker.cpu(), cpu(server)
            stacks = await _sampled(place, worker)
            mine, servers = (worker.cpu() - mine) / runs * 1e6, (cpu(server) - servers) / runs * 1e6
        seconds = await drain.checked(place, runs)
        statements = await _statements(place, runs)
    print(f"{runs / seconds:,.0f} runs/s while sampled; worker {mine:.1f} µs of CPU per run, server {servers:.1f}\n")
    _print("part of the worker", _parts(stacks), mine)
    _print("function of the worker (itself)", _leaves(stacks), mine, arguments.functions)
    for line in statements:
        print(line)


async def _sampled(place: Place, worker: Process) -> list[tuple[list[str], int]]:
    """Stacks that held the interpreter, and how often, until the queue is empty."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stacks"
        words = ["--gil", "--nonblocking", "--function", "--rate", "500", "--duration", "600", "--format", "raw"]
        spy = await asyncio.create_subprocess_exec(
            *["py-spy", "record", "--pid", str(worker.child.pid), *words, "--output", str(path)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        await until(lambda: drain.empty(place), seconds=600, every=0.2)
        with suppress(ProcessLookupError):
            spy.send_signal(signal.SIGINT)
        await spy.wait()
        lines = path.read_text().splitlines()
    return [(stack.split(";"), int(count)) for stack, _, count in (line.rpartition(" ") for line in lines)]


def _parts(stacks: list[tuple[list[str], int]]) -> Counter[str]:
    parts: Counter[str] = Counter()
    for frames, count in stacks:
        text = ";".join(frames)
        if any(word in frames[-1] for word in DRIVERS):
            name = "driver: encode, send, wait for a core"
        else:
            name = next((label for word, label in PARTS if word in text), "the rest")
        parts[name] += count
    return parts


def _leaves(stacks: list[tuple[list[str], int]]) -> Counter[str]:
    leaves: Counter[str] = Counter()
    for frames, count in stacks:
        leaves[frames[-1]] += count
    return leaves


def _print(title: str, samples: Counter[str], microseconds: float, most: int | None = None) -> None:
    total = samples.total() or 1
    print(f"| {title} | µs per run | share |\n|---|---:|---:|")
    for name, count in samples.most_common(most):
        print(f"| {name} | {count / total * microseconds:.2f} | {count / total:.0%} |")
    print()


# ---- the server's side

_MYSQL = "performance_schema.events_statements_summary_by_digest"


async def _reset(place: Place) -> None:
    with suppress(Exception):  # where there are no such statistics there is nothing to reset
        if place.kind == "postgresql":
            await place.ask("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
            await place.ask("SELECT pg_stat_statements_reset()")
        elif place.kind == "mysql":
            await place.ask(f"TRUNCATE TABLE {_MYSQL}")


async def _statements(place: Place, runs: int) -> list[str]:
    if place.kind == "postgresql":
        sql = (
            "SELECT calls, rows, total_exec_time * 1000 AS micros, wal_bytes, query FROM pg_stat_statements s "
            "JOIN pg_database d ON d.oid = s.dbid AND d.datname = current_database() ORDER BY micros DESC LIMIT 12"
        )
    elif place.kind == "mysql":
        sql = (
            'SELECT COUNT_STAR AS calls, SUM_ROWS_AFFECTED + SUM_ROWS_SENT AS "rows", '
            "SUM_TIMER_WAIT / 1000000 AS micros, "
            f"0 AS wal_bytes, DIGEST_TEXT AS query FROM {_MYSQL} WHERE SCHEMA_NAME = DATABASE() "
            "ORDER BY SUM_TIMER_WAIT DESC LIMIT 12"
        )
    else:
        return []
    try:
        rows = await place.ask(sql)
    except Exception as error:
        return [f"(no statistics about statements: {error})"]
    lines = ["| statement | calls | rows | µs per run | WAL bytes per run |", "|---|---:|---:|---:|---:|"]
    for row in rows:
        text = " ".join(str(row["query"]).split()).replace("|", "/")[:90]
        numbers = f"{float(row['micros']) / runs:.2f} | {float(row['wal_bytes']) / runs:.0f}"
        lines.append(f"| {text} | {row['calls']} | {row['rows']} | {numbers} |")
    return lines


if __name__ == "__main__":
    main()
