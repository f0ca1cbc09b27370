"""A worker to be killed: runs one function, which reports who is alive."""

import sys

import uvloop

from horae.executors.python import PythonExecutor
from tests.integration.executors import tasks
from tests.integration.executors.attempts import make_attempt


async def main(path: str) -> None:
    executor = PythonExecutor(tasks.load(), tasks.ORIGIN)
    attempt, _ = make_attempt({"kind": "python", "function": "family", "arguments": {"path": path}})
    await executor.execute(attempt)


uvloop.run(main(*sys.argv[1:]))
