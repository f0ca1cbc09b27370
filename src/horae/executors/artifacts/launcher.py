"""Calls a function of an unpacked archive: `python launcher.py module:function arguments result`, in its folder.

Run by any Python from 3.8 on, also in containers, so nothing but the standard library is imported. The function's
return value is written to the file `result` as JSON. Errors are written there too, and set the exit status.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

FAILED = 70  # the exit status that marks the result as a report
REPORT = "horae.failure"
LIMIT = 64 * 1024
TRACEBACK_LIMIT = 24 * 1024


class Hopeless(Exception):
    """Another attempt would end the same; the message is one sentence."""


def main(entrypoint: str, arguments: str, result: str) -> None:
    sys.path[0] = str(Path.cwd())
    status = FAILED
    try:
        text = as_json(call(find(entrypoint), entrypoint, merged(Path(arguments).read_text(encoding="utf-8"))))
        status = 0
    except Hopeless as error:
        text = report(str(error), permanent=True)
    except Exception as error:
        text = raised(error)
    Path(result).write_text(text, encoding="utf-8")
    sys.exit(status)


def find(entrypoint: str) -> Callable[..., Any]:
    module_name, _, name = entrypoint.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module_name}.".startswith(f"{error.name}."):
            raise Hopeless(f"the archive has no module {module_name}") from None
        raise
    function = getattr(module, name, None)
    if not callable(function):
        raise Hopeless(f"the module {module_name} has no function {name}")
    return function


def merged(arguments: str) -> dict[str, Any]:
    """The job's arguments, overridden name by name by the run's input."""
    found: dict[str, Any] = json.loads(arguments)
    text = sys.stdin.read()
    given = json.loads(text) if text.strip() else None
    if isinstance(given, dict):
        found.update(given)
    elif given is not None:
        raise Hopeless("the input of a function must be a JSON object: its members are the arguments")
    return found


def call(function: Callable[..., Any], entrypoint: str, arguments: dict[str, Any]) -> Any:
    try:
        inspect.signature(function).bind(**arguments)
    except TypeError as error:
        raise Hopeless(f"{entrypoint} does not take these arguments: {error}") from None
    except ValueError:
        pass  # it has no signature to inspect
    value = function(**arguments)
    return asyncio.run(awaited(value)) if inspect.isawaitable(value) else value


async def awaited(value: Any) -> Any:
    return await value


def as_json(value: Any) -> str:
    if value is None:
        return ""
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise Hopeless(f"the result cannot be written as JSON: {error}") from None
    if len(text) > LIMIT:  # ASCII only
        raise Hopeless(f"the result is longer than {LIMIT // 1024} KiB of JSON")
    return text


def raised(error: Exception) -> str:
    trace = traceback.format_exc()
    sys.stderr.write(trace)
    message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    kinds = [kind.__name__ for kind in type(error).__mro__ if kind.__module__.partition(".")[0] == "horae"]
    retry_after = getattr(error, "seconds", None) if "RetryLater" in kinds else None
    return report(message, trace=trace, permanent="PermanentError" in kinds, retry_after=retry_after)


def report(error: str, *, trace: str | None = None, permanent: bool = False, retry_after: Any = None) -> str:
    cut = None if trace is None else trace.encode("utf-8", "replace")[-TRACEBACK_LIMIT:].decode("utf-8", "replace")
    about = {"error": error[:2_000], "traceback": cut, "permanent": permanent, "retry_after": retry_after}
    return json.dumps({REPORT: about})


if __name__ == "__main__":
    main(*sys.argv[1:])
