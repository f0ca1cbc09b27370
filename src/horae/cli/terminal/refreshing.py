"""`--watch` on lists: refreshes every two seconds, until Ctrl-C."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import partial, wraps
from typing import IO, Annotated, Any, TypeVar, cast

import typer

from horae.cli.terminal.printing import say
from horae.domain.errors import StoreUnavailable

F = TypeVar("F", bound=Callable[..., None])
PAUSE = 2.0
_CLEAR = "\x1b[H\x1b[2J\x1b[3J"  # cursor home, clear the screen and the scrollback

_WATCH = inspect.Parameter(
    "watch",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[bool, typer.Option("--watch", "-w", help="Refresh every two seconds, until Ctrl-C.")],
)


class _Screen:
    """Clears the terminal when the first new line arrives, not before: the old ones stay until then."""

    def __init__(self) -> None:
        self.cleared = not sys.stdout.isatty()

    def of(self, stream: IO[str]) -> Any:
        return _Clearing(self, stream)


class _Clearing:
    def __init__(self, screen: _Screen, stream: IO[str]) -> None:
        self._screen, self._stream = screen, stream

    def write(self, text: str) -> int:
        if not self._screen.cleared:
            self._screen.cleared = True
            terminal = sys.__stdout__ or self._stream
            terminal.write(_CLEAR)
            terminal.flush()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def watched(command: F) -> F:
    """Adds the option `--watch` to a command that prints a list."""

    @wraps(command)
    def shown(*args: Any, watch: bool = False, **kwargs: Any) -> None:
        if not watch:
            command(*args, **kwargs)
            return
        from horae.sdk.answers import Unreachable

        show, pause = partial(command, *args, **kwargs), threading.Event()
        _once(show)
        while not pause.wait(PAUSE):
            try:
                _once(show)
            except (Unreachable, StoreUnavailable) as error:  # the server will be back
                say(f"horae: {error}; retrying")

    signature = inspect.signature(command, eval_str=True)
    parameters = [*signature.parameters.values(), _WATCH]
    parameters.sort(key=lambda parameter: parameter.kind)
    vars(shown)["__signature__"] = signature.replace(parameters=parameters)
    return cast("F", shown)


def _once(show: Callable[[], None]) -> None:
    screen = _Screen()
    with redirect_stdout(screen.of(sys.stdout)), redirect_stderr(screen.of(sys.stderr)):
        show()
    sys.stdout.flush()
