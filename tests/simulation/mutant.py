"""A bug that is planted: it rewrites statements on their way to the database, or puts something else in the place of a
function of the product."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from tests.simulation.rewrites import Rewrite, changing

Patch = tuple[Any, str, Any]


@dataclass
class Mutant:
    """`kind` is that of the worlds in which it is looked for."""

    name: str
    what: str
    sql: tuple[Rewrite, ...] = ()
    patches: Callable[[], list[Patch]] = list
    kind: str = "cluster"


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    with ExitStack() as stack:
        for owner, name, value in mutant.patches():
            stack.enter_context(patch.object(owner, name, value))
        stack.enter_context(changing(*mutant.sql))
        yield
