"""A worker to be killed or suspended: runs one script, given on the command line, and prints the supervisor's pid and
the script's first output."""

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import uvloop

from horae.clock import SystemClock
from horae.executors.commands import CommandRunner
from horae.executors.script import ScriptExecutor
from tests.integration.executors.attempts import make_attempt
from tests.waiting import until


async def main(scratch: str, lease: str, source: str) -> None:
    runner = CommandRunner(os.environ, scratch=Path(scratch))
    attempt, log = make_attempt({"kind": "script", "source": source})
    attempt.lease.move(SystemClock().monotonic() + float(lease))
    task = asyncio.create_task(ScriptExecutor(runner).execute(attempt))
    await until(lambda: log.text().endswith("\n"))
    print(runner._supervisor.pid, log.text().strip(), flush=True)
    await task


uvloop.run(main(*sys.argv[1:]))
