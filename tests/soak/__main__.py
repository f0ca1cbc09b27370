"""`python -m tests.soak`: soaks, prints the verdict, and leaves a page with plots."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from horae.domain.time.durations import parse_duration
from tests.databases import Databases
from tests.faults.checker import NOT_PROMISED
from tests.faults.stage import Failure, Stage, Templates, set_up
from tests.integration.cluster.cluster import HORAE, command
from tests.soak.faults import Strikes
from tests.soak.load import People
from tests.soak.report import table, write
from tests.soak.samples import EVERYWHERE, ON_SERVERS, Sampler
from tests.soak.series import Recording
from tests.soak.town import Town
from tests.soak.verdict import Finding, judge

REPORTS = Path("build/soak")


def main() -> int:
    arguments = _parse()
    databases = Databases()
    try:
        findings = asyncio.run(_soak(arguments, Templates(databases)))
    finally:
        databases.drop_all()
    print(table(findings))
    print(f"\nThe page with the plots: {arguments.report / 'report.html'}")
    return 0 if all(finding.ok for finding in findings) else 1


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description="A mixed load with faults, over time.")
    parser.add_argument("--time", default="10m", type=_seconds, help="how long, as 90s, 10m or 8h (10m)")
    parser.add_argument("--database", default="postgresql", choices=("postgresql", "mysql", "sqlite"))
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--schedulers", type=int, default=2)
    parser.add_argument("--every", default="20s", type=_seconds, help="about how often something is struck (20s)")
    parser.add_argument("--sample", default="5s", type=_seconds, help="how often to look (5s)")
    parser.add_argument("--seed", type=int, default=1, help="what happens to whom (1)")
    parser.add_argument("--report", type=Path, default=REPORTS, help=f"the folder of the report ({REPORTS})")
    return parser.parse_args()


def _seconds(text: str) -> float:
    return parse_duration(text).total_seconds()


async def _soak(arguments: argparse.Namespace, templates: Templates) -> list[Finding]:
    recording = Recording()
    async with set_up(templates, arguments.database, "default", arguments.seed) as stage:
        proxy = None if arguments.database == "sqlite" else await stage.proxy()
        url = stage.cluster.url if proxy is None else proxy.url
        town = Town(stage.cluster, url, workers=arguments.workers, schedulers=arguments.schedulers)
        await town.build()
        people = People(stage, town, await _token(stage))
        await people.settle(arguments.time)
        began = time.monotonic()

        def now() -> float:
            return time.monotonic() - began

        strikes = Strikes(town, proxy, arguments.seed, recording)
        sampler = Sampler(town, arguments.database, recording, now)
        await _together(
            arguments.time,
            people.live(),
            strikes.go_on(arguments.every, now),
            sampler.go_on(arguments.sample),
            town.watch(),
        )
        if proxy is not None:
            proxy.accept()
            proxy.speak()
        await people.close()
        stage.checker.asleep |= town.asleep
        wrong = await _checked(stage, people)
        expected = EVERYWHERE if proxy is None else ON_SERVERS
        findings = judge(recording, expected, stage.tally, wrong, town.ended)
        excused = stage.tally.notes.get(NOT_PROMISED, 0)
        findings.append(Finding("overlaps within workers that slept", str(excused), "any", True))
        findings.append(Finding("requests that were refused or cut off", str(people.refused), "any", True))
        title = f"Soak on {arguments.database}, {arguments.time / 60:.3g} minutes, seed {arguments.seed}"
        write(arguments.report, title, recording, findings, now())
    return findings


async def _token(stage: Stage) -> str:
    made = await command([*HORAE, "keys", "create", "soak", "--role", "admin", "--json"], stage.cluster.settings)
    return str(made["token"])


async def _together(seconds: float, *work: Coroutine[Any, Any, None]) -> None:
    """All of them until the time is up; what one of them stumbles over ends the soak."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
            for each in work:
                group.create_task(each)


async def _checked(stage: Stage, people: People) -> Sequence[str]:
    """Waits until everything has ended, stops all processes, and compares; returns what is wrong."""
    for member in stage.cluster.members:
        if member.code is None:
            member.resume()
    await stage.settle(within=120)
    rows = await stage.cluster.ask("SELECT id, job_id FROM run_history")
    others = [row for row in rows if row["job_id"] not in people.careful]
    stage.checker.may_fail |= {row["id"] for row in others}
    stage.checker.silent |= {row["job_id"] for row in others}
    try:
        await stage.finish()
    except Failure as failure:
        return str(failure).splitlines()
    return []


if __name__ == "__main__":
    sys.exit(main())
