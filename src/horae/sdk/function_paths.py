"""Imports functions by their paths, undecorated: in the processes that call them, never in the worker itself."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from horae.domain.errors import InvalidInput
from horae.domain.jobs.function_path import module_fault, path_fault
from horae.domain.jobs.task import Registry, describe

__all__ = ["LoadedPaths", "load_paths"]


@dataclass(slots=True)
class LoadedPaths(Registry):
    """The functions that could be imported; `errors` says why, by name, others could not."""

    errors: dict[str, str] = field(default_factory=dict)


def load_paths(entries: Iterable[str]) -> LoadedPaths:
    """`entries` are `name=path`. One that cannot be imported does not affect the others."""
    here = str(Path().resolve())
    if here not in sys.path:
        sys.path.insert(0, here)
    loaded = LoadedPaths()
    for entry in entries:
        name, _, path = entry.partition("=")
        try:
            # An async one, too, runs in a process: an admin's choice of code never enters the worker.
            loaded.functions[name] = replace(describe(_resolved(path), name=name), kind="process")
        except InvalidInput as error:
            loaded.errors[name] = str(error)
        except (Exception, SystemExit) as error:  # a module may raise anything while it is imported
            kind = "" if isinstance(error, ModuleNotFoundError) else f"{type(error).__name__}: "
            loaded.errors[name] = f"cannot import {path}: {kind}{' '.join(str(error).split())}"
    return loaded


def _resolved(path: str) -> Callable[..., Any]:
    if reason := path_fault(path):
        raise InvalidInput(path, reason)
    module, rest = _module(path)
    found: Any = module
    for part in rest:
        if not hasattr(found, part):
            raise InvalidInput(path, f"{getattr(found, '__name__', 'it')} has no attribute {part}")
        found = getattr(found, part)
    if inspect.isclass(found) or inspect.ismodule(found) or not callable(found):
        raise InvalidInput(path, "is not a function")
    if isinstance(found, functools.partial) or module_fault(getattr(found, "__module__", None) or "builtins"):
        raise InvalidInput(path, "is a function of the standard library or of Horae: wrap it in your own function")
    call: Callable[..., Any] = found
    return call


def _module(path: str) -> tuple[Any, list[str]]:
    """The longest part of a path that is a module, and the rest. An import that fails inside a module is not taken for
    a missing module."""
    parts = path.split(".")
    for length in range(len(parts) - 1, 0, -1):
        name = ".".join(parts[:length])
        try:
            return importlib.import_module(name), parts[length:]
        except ModuleNotFoundError as error:
            missing = error.name or ""
            if length == 1 or not (name == missing or name.startswith(f"{missing}.")):
                raise
    raise AssertionError("unreachable")
