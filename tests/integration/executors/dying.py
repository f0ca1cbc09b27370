"""A worker to be killed: runs one script and prints its pid."""

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import uvloop

from horae.executors.commands import CommandRunner
from horae.executors.process import Leash
from horae.executors.script import ScriptExecutor
from tests.integration.executors.attempts import make_attempt
from tests.waiting import until


async def main(leash: str, scratch: str) -> None:
    runner = CommandRunner(os.environ, scratch=Path(scratch))
    executor = ScriptExecutor(runner)
    runner._leash = Leash.by_fork() if leash == "by_fork" else Leash.find(os.environ["PATH"])
    attempt, log = make_attempt({"kind": "script", "source": "trap '' TERM; echo $$; while :; do sleep 0.1; done"})
    task = asyncio.create_task(executor.execute(attempt))
    await until(lambda: log.text().endswith("\n"))
    print(log.text().strip(), flush=True)
    await task


uvloop.run(main(*sys.argv[1:]))
