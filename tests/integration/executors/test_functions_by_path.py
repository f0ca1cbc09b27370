"""Functions by path on a worker: what can be imported and called, and what happens when the paths change."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from horae.domain.jobs.task import Registry
from horae.domain.runs.outcome import Outcome
from horae.executors.functions.by_path import PathFunctions
from horae.executors.functions.link import FunctionOrigin
from horae.executors.python import PythonExecutor
from tests.integration.executors.attempts import make_attempt
from tests.integration.executors.tasks import ORIGIN
from tests.waiting import until

CODE = """
import asyncio, functools, os, time
from os import system

def add(a: int, b: int = 2) -> int:
    return a + b

async def later(a: int) -> int:
    await asyncio.sleep(0)
    return a + os.getpid() * 0

def slow(path: str) -> str:
    open(path, "w").close()
    while os.path.exists(path):
        time.sleep(0.01)
    return "done"

class Box:
    @staticmethod
    def put(x: str) -> str:
        return x

partly = functools.partial(add, 1)
number = 7
"""


@pytest.fixture
async def by_path(tmp_path: Path) -> AsyncIterator[PathFunctions]:
    (tmp_path / "warehouse.py").write_text(CODE)
    (tmp_path / "broken.py").write_text("import no_such_library")
    (tmp_path / "leaving.py").write_text("raise SystemExit(3)")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    origin = FunctionOrigin("tests.integration.executors.test_functions_by_path:load", (str(tmp_path),), environment)
    found = PathFunctions(origin, slots=2)
    yield found
    await found.close()


def load(entries: list[str]) -> Any:
    """As a worker does, which has the folder on its path."""
    import sys

    from horae.sdk.function_paths import load_paths

    sys.path.insert(0, os.environ["PYTHONPATH"])
    return load_paths(entries)


async def call(executor: PythonExecutor, function: str, **arguments: Any) -> Outcome:
    attempt, _ = make_attempt({"kind": "python", "function": function, "arguments": arguments})
    return await executor.execute(attempt)


async def test_what_can_be_imported_is_called_and_the_rest_says_why(by_path: PathFunctions) -> None:
    names = ("add", "later", "Box.put", "system", "partly", "number", "Box", "nowhere")
    paths = {name.replace(".", "_"): f"warehouse.{name}" for name in names}
    paths |= {"broken": "broken.f", "leaving": "leaving.f", "absent": "absent.f", "os": "warehouse.os.system"}
    found = await by_path.learn(paths)
    assert sorted(found.functions) == ["Box_put", "add", "later"]
    assert {name: error.rpartition(": ")[2] for name, error in found.errors.items()} == {
        "system": "wrap it in your own function",
        "os": "wrap it in your own function",
        "partly": "wrap it in your own function",
        "number": "is not a function",
        "Box": "is not a function",
        "nowhere": "warehouse has no attribute nowhere",
        "broken": "No module named 'no_such_library'",
        "leaving": "3",
        "absent": "No module named 'absent'",
    }
    executor = PythonExecutor(Registry(), ORIGIN, slots=2, by_path=by_path)
    assert set(executor.offers()) == {"python:Box_put", "python:add", "python:later"}
    assert (await call(executor, "add", a=1)).result == "3"
    assert (await call(executor, "later", a=1)).result == "1"
    assert (await call(executor, "add", a="x")).permanent
    assert (await call(executor, "add", b=1)).error == "add: missing argument a"
    assert "no function named system" in ((await call(executor, "system", command="id")).error or "")


async def test_a_call_continues_while_the_paths_change(by_path: PathFunctions, tmp_path: Path) -> None:
    await by_path.learn({"slow": "warehouse.slow"})
    executor = PythonExecutor(Registry(), ORIGIN, slots=2, by_path=by_path)
    waits = tmp_path / "waits"
    running = asyncio.create_task(call(executor, "slow", path=str(waits)))
    await until(waits.exists)
    await by_path.learn({"add": "warehouse.add"})
    assert (await call(executor, "add", a=1)).result == "3"
    assert (await call(executor, "slow", path="x")).permanent, "it is not known any longer"
    waits.unlink()
    assert (await running).result == '"done"'
    await by_path.learn({})
    assert list(executor.offers()) == []


async def test_what_the_operator_does_not_allow(by_path: PathFunctions) -> None:
    limited = PathFunctions(by_path._origin, slots=1, modules=("elsewhere",))
    found = await limited.learn({"add": "warehouse.add"})
    assert found.errors == {"add": "HORAE_FUNCTION_PATHS of this worker does not allow it"}
    assert found.functions == {}
