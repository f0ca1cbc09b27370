"""Functions by path: which importable functions admins may register, and what workers find out about them. Pure: the
import itself is in sdk/function_paths.py."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from horae.domain.errors import InvalidInput
from horae.domain.jobs.function import FunctionSign
from horae.domain.jobs.task import SYSTEM, Function, named_well

_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+", re.ASCII)
_LONGEST = 500

PATHS_CHANGED = "workers:functions"  # the hint that workers get when a path is added or deleted


@dataclass(frozen=True, slots=True)
class FunctionPath:
    """A function as an admin registers it: a name for jobs, and the path of the code."""

    name: str
    path: str
    display_name: str | None = None
    description: str | None = None
    queue: str | None = None
    default_timeout: float | None = None


@dataclass(frozen=True, slots=True)
class FoundPaths:
    """What a worker found out about paths, by the functions' names: those that it can call, with what it registers
    about them, and why it cannot call the others."""

    functions: Mapping[str, Function] = field(default_factory=dict)
    signs: Mapping[str, FunctionSign] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)


def check_registration(new: FunctionPath) -> None:
    if not named_well(new.name):
        raise InvalidInput("name", "must be letters, digits, _ and . (up to 200), and not begin with a digit")
    if new.name.startswith(SYSTEM):
        raise InvalidInput("name", f"names that begin with {SYSTEM!r} are Horae's own")
    if reason := path_fault(new.path):
        raise InvalidInput("handler_path", reason)


def path_fault(path: str) -> str | None:
    """Why a path must not be registered, nor imported by a worker; None if it may."""
    if len(path) > _LONGEST or not _PATH.fullmatch(path):
        return "must be the path of a function, like shop.tasks.send_report"
    if any(part.startswith("__") for part in path.split(".")):
        return "must not contain names that begin with two underscores"
    if module_fault(path):
        return "must not be of the standard library or of Horae: wrap the call in your own function"
    return None


def module_fault(module: str) -> bool:
    """Whether functions of a module are never called by path: the standard library can do everything with arguments
    alone (os.system), and Horae's own code works on its database."""
    root = module.partition(".")[0]
    return root in sys.stdlib_module_names or root == "horae"


def allowed(path: str, modules: Collection[str] | None) -> bool:
    """Whether the operator allows it: `modules` and what is below them; None allows all."""
    return modules is None or any(path.startswith(f"{module}.") for module in modules)


def shape_of(function: Function) -> dict[str, Any]:
    """What a worker must know of a function that another process has imported."""
    return {
        "accepts": sorted(function.accepts),
        "requires": sorted(function.requires),
        "takes_any": function.takes_any,
        "takes_context": function.takes_context,
    }


def function_elsewhere(sign: FunctionSign, shape: Mapping[str, Any]) -> Function:
    """The function as its worker sees it, which never imports it."""
    return Function(
        name=sign.name,
        call=_elsewhere,
        kind="process",
        accepts=frozenset(shape["accepts"]),
        requires=frozenset(shape["requires"]),
        takes_any=bool(shape["takes_any"]),
        takes_context=bool(shape["takes_context"]),
        display_name=sign.display_name,
        description=sign.description,
    )


def _elsewhere(**_: Any) -> None:
    raise AssertionError("a function by path is called only in a process of its own")
