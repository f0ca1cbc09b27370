"""`--watch` on lists: the same again every two seconds, until Ctrl-C."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, TypeVar

import typer

F = TypeVar("F", bound=Callable[..., None])
PAUSE = 2.0
_CLEAR = "\x1b[H\x1b[2J\x1b[3J"  # home, and nothing on the screen or above it

_WATCH = inspect.Parameter(
    "watch",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[bool, typer.Option("--watch", "-w", help="Again every two seconds, until Ctrl-C.")],
)


def watched(command: F) -> F:
    """Gives a command that prints a list the option `--watch`."""

    @wraps(command)
    def shown(*args: Any, watch: bool = False, **kwargs: Any) -> None:
        pause = threading.Event()
        while True:
            if watch and sys.stdout.isatty():
                sys.stdout.write(_CLEAR)
            command(*args, **kwargs)
            if not watch:
                return
            sys.stdout.flush()
            pause.wait(PAUSE)

    signature = inspect.signature(command, eval_str=True)
    parameters = [*signature.parameters.values(), _WATCH]
    parameters.sort(key=lambda parameter: parameter.kind)
    shown.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return shown  # type: ignore[return-value]
