"""Discovers what functions by path look like, in its own process: importing them may take long, print, hang or
crash, and must not do so in the worker."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from typing import Any

import orjson

from horae import prctl
from horae.domain.jobs.function import FunctionSign
from horae.domain.jobs.function_path import FoundPaths, function_elsewhere, shape_of
from horae.executors.functions.link import FunctionOrigin

_PATIENCE = 120.0  # seconds for all imports
_LONGEST_ERROR = 500
_CODE = "import sys; from horae.executors.functions.discovery import main; main(int(sys.argv[1]), int(sys.argv[2]))"


async def discover(origin: FunctionOrigin, paths: Mapping[str, str]) -> FoundPaths:
    """Never raises for what a module does; `origin.loader` returns a Registry with `errors`."""
    try:
        raw = await asyncio.to_thread(_run, origin)
        found = orjson.loads(raw)
    except subprocess.TimeoutExpired:
        return FoundPaths(errors=dict.fromkeys(paths, f"importing took longer than {_PATIENCE:.0f} s"))
    except (OSError, orjson.JSONDecodeError):
        return FoundPaths(errors=dict.fromkeys(paths, "the process that imports functions ended unexpectedly"))
    signs = {name: FunctionSign(**about["sign"]) for name, about in found["functions"].items()}
    functions = {name: function_elsewhere(signs[name], about["shape"]) for name, about in found["functions"].items()}
    errors = {name: str(error)[:_LONGEST_ERROR] for name, error in found["errors"].items()}
    return FoundPaths(functions, signs, errors)


def _run(origin: FunctionOrigin) -> bytes:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as answer:
        try:
            process = subprocess.Popen(
                [sys.executable, "-c", _CODE, str(writing), str(os.getpid())],
                env=dict(origin.environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(writing,),
                start_new_session=True,
            )
        finally:
            os.close(writing)
        asked = {"loader": origin.loader, "imports": list(origin.imports), "path": sys.path}
        try:
            assert process.stdin is not None
            process.stdin.write(orjson.dumps(asked))
            process.stdin.close()
            return _read(answer, process)
        finally:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _read(answer: Any, process: subprocess.Popen[bytes]) -> bytes:
    late = threading.Event()

    def give_up() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(_PATIENCE, give_up)
    timer.start()
    try:
        raw: bytes = answer.read()
    finally:
        timer.cancel()
    if late.is_set():
        raise subprocess.TimeoutExpired(process.args, _PATIENCE)
    return raw


def main(fd: int, parent: int) -> None:
    prctl.die_with_parent(parent)
    os.set_inheritable(fd, False)  # what a module starts does not keep it open
    asked = orjson.loads(sys.stdin.buffer.read())
    sys.path[:] = asked["path"]
    module, _, name = asked["loader"].partition(":")
    loaded = getattr(import_module(module), name)(asked["imports"])
    functions, errors = {}, dict(loaded.errors)
    for function in loaded:
        try:
            functions[function.name] = {"sign": asdict(FunctionSign.of(function)), "shape": shape_of(function)}
        except Exception as error:  # an annotation that cannot be evaluated, or has no JSON Schema
            errors[function.name] = f"its signature cannot be read: {type(error).__name__}: {error}"
    with os.fdopen(fd, "wb") as answer:
        answer.write(orjson.dumps({"functions": functions, "errors": errors}))
    os._exit(0)  # neither threads nor exit handlers of the modules matter
