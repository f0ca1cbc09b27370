"""`horae ping URL -- command`: runs a command and reports its start, its exit code and the end of its output. Needs no
account, and never gets in the way: if the report fails, the command runs all the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import uuid
from typing import IO, Annotated, Any

import typer

from horae.cli.terminal.printing import say
from horae.domain.errors import HoraeError, InvalidInput

_TAIL = 10_000  # bytes of output that are sent
_TRIES, _PATIENCE, _PAUSE = 3, 10.0, 1.0
_PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_CANNOT_RUN, _NOT_FOUND, _BY_SIGNAL = 126, 127, 128  # as shells report it


class Unheard(HoraeError):
    """The ping did not arrive."""


def register(app: typer.Typer) -> None:
    app.command("ping", context_settings={"ignore_unknown_options": True})(ping)


def ping(
    url: Annotated[str, typer.Argument(metavar="URL", help="The ping's URL.")],
    command: Annotated[
        list[str] | None, typer.Argument(metavar="[-- COMMAND ...]", help="What to run.", show_default=False)
    ] = None,
    start: Annotated[bool, typer.Option("--start", help="Report a start; without a command.")] = False,
    fail: Annotated[bool, typer.Option("--fail", help="Report a failure; without a command.")] = False,
    quiet: Annotated[bool, typer.Option("--no-output", help="Do not send the end of the output.")] = False,
) -> None:
    """Report to a ping: success, or the start, exit code and output of a command."""
    if not url.startswith(("http://", "https://")):
        raise InvalidInput("URL", "must begin with http:// or https://")
    if not command:
        if start and fail:
            raise InvalidInput("--start", "cannot be combined with --fail")
        if not _sent(url, "/start" if start else "/fail" if fail else ""):
            raise Unheard
        return
    if start or fail:
        raise InvalidInput("--start" if start else "--fail", "cannot be combined with a command")
    raise typer.Exit(_run(url, command, quiet))


def _run(url: str, command: list[str], quiet: bool) -> int:
    rid = str(uuid.uuid4())
    _sent(url, "/start", rid=rid)
    tail = _Tail()
    try:
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as error:
        say(f"horae ping: cannot run {command[0]}: {error.strerror}")
        code = _NOT_FOUND if isinstance(error, FileNotFoundError) else _CANNOT_RUN
        _sent(url, f"/{code}", rid=rid, body=f"cannot run {command[0]}: {error.strerror}\n".encode())
        return code
    before = {number: signal.signal(number, lambda got, _: child.send_signal(got)) for number in _PASSED_ON}
    readers = [
        threading.Thread(target=tail.copy, args=pipes, daemon=True)
        for pipes in ((child.stdout, sys.stdout.buffer), (child.stderr, sys.stderr.buffer))
    ]
    for reader in readers:
        reader.start()
    code = child.wait()
    for reader in readers:
        reader.join(_PAUSE)  # a process that it left running may still hold the pipe
    for number, handler in before.items():
        signal.signal(number, handler)
    code = _BY_SIGNAL - code if code < 0 else code
    _sent(url, f"/{code}", rid=rid, body=b"" if quiet else tail.read())
    return code


class _Tail:
    """The end of a command's output, in the order in which it arrived."""

    def __init__(self) -> None:
        self._kept, self._lock = bytearray(), threading.Lock()

    def copy(self, source: IO[bytes], to: IO[bytes]) -> None:
        begun = b""  # of a line: output of the other stream must not end up inside it
        while chunk := os.read(source.fileno(), 65_536):
            lines, end, begun = (begun + chunk).rpartition(b"\n")
            self._keep(lines + end)
            if len(begun) > _TAIL:
                self._keep(begun)
                begun = b""
            try:
                to.write(chunk)
                to.flush()
            except OSError:  # the reader is gone: the command must not fail because of that
                continue
        self._keep(begun)

    def _keep(self, text: bytes) -> None:
        with self._lock:
            self._kept += text
            del self._kept[:-_TAIL]

    def read(self) -> bytes:
        with self._lock:
            return bytes(self._kept)


def _sent(url: str, outcome: str, *, rid: str | None = None, body: bytes = b"") -> bool:
    """Whether it arrived. Reports what is wrong without the URL, which is a secret."""
    import httpx

    asked = httpx.URL(url.rstrip("/") + outcome)
    params: dict[str, Any] = {} if rid is None else {"rid": rid}
    trouble = ""
    for attempt in range(_TRIES):
        if attempt:
            threading.Event().wait(_PAUSE * 2**attempt)
        try:
            answer = httpx.post(asked, params=params, content=body, timeout=_PATIENCE, follow_redirects=True)
        except httpx.HTTPError as error:
            trouble = type(error).__name__
            continue
        if answer.is_success:
            return True
        trouble = f"HTTP {answer.status_code}"
        if answer.status_code < 500 and answer.status_code not in (408, 429):
            break
    say(f"horae ping: the ping was not delivered ({trouble})")
    return False
