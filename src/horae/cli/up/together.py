"""Runs the processes of `horae up` together: the checks before they start, and the messages when they do."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import json
import os
import shutil
import socket
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import IO

from horae.cli.up.demo import add_examples
from horae.cli.up.fork import Work
from horae.cli.up.output import Terminal
from horae.cli.up.tree import ProcessPlan, Tree
from horae.config import PREFIX, Settings, service_manager
from horae.domain.cluster.readiness import STARTING, Readiness
from horae.domain.errors import ConfigurationError, HoraeError
from horae.domain.loopback import local_host, local_url
from horae.private_file import write_private
from horae.watch.systemd import SystemdNotifier

LOCK_FILE = "up.lock"
SLACK = 5.0  # seconds in which a child exits once nothing keeps it
SLOW = 15.0  # seconds after which a message says that the API is slow to start

Prepare = Callable[[Settings, str | None], str]
"""Upgrades the schema and ensures that there is an admin's API key: the given one if it is valid, or a new one."""


def run(
    settings: Settings, prepare: Prepare, children: dict[str, Work], *, demo: bool = False, colour: bool = False
) -> int:
    """Runs the whole tree until it is stopped; returns the exit code."""
    with closing(_lock(settings.make_data_dir())):
        _check_port(settings)
        token = prepare(settings, _known_token(settings))
        _write_client(settings, token)
        examples = partial(add_examples, _url(settings), token) if demo else None
        return asyncio.run(_run(settings, children, examples, colour))


async def _run(settings: Settings, children: dict[str, Work], examples: Work | None, colour: bool) -> int:
    terminal = Terminal(sys.stdout.fileno(), colour=colour)
    drain = {"worker": settings.drain_timeout + settings.grace}
    plans = [ProcessPlan(name, work, SLACK + drain.get(name, 0)) for name, work in children.items()]
    tree = Tree(plans, terminal)
    answers = asyncio.Event()
    greeting = asyncio.create_task(_greet(settings, tree, terminal, examples, answers))
    systemd = SystemdNotifier(*service_manager(), partial(_readiness, answers, tree.stopping))
    systemd.start()
    try:
        await tree.run()
    finally:
        greeting.cancel()
        await systemd.close()
        terminal.say(f"horae up: {tree.failure}" if tree.failure else "Stopped.")
        terminal.close()
    return 2 if tree.failure else 0


# ---- before the children start


def _lock(data_dir: Path) -> IO[str]:
    """Only one `horae up` may use a data directory. The lock is released with the process, however it ends."""
    path = data_dir / LOCK_FILE
    try:
        file = path.open("a+")
    except OSError as error:
        raise ConfigurationError(f"cannot open {path}: {error.strerror}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        pid = file.read(20).strip()
        file.close()
        raise ConfigurationError(
            f"horae up is already running on {data_dir} (pid {pid or 'unknown'}): stop it first, or choose "
            f"another data directory with {PREFIX}DATA_DIR=…"
        ) from None
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
    return file


def _check_port(settings: Settings) -> None:
    """Reports now that the port is taken, not after everything else has started."""
    host, port = settings.host, settings.port
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        advice = {
            errno.EADDRINUSE: f"port {port} on {host} is in use: stop what uses it, or choose another with "
            f"{PREFIX}PORT={port + 1 if port < 65_535 else 8080}",
            errno.EACCES: f"port {port} needs more rights than you have: choose another with {PREFIX}PORT=8080",
        }
        other = f"cannot listen on {host} ({error.strerror}): set {PREFIX}HOST to an address of this machine"
        raise ConfigurationError(advice.get(error.errno or 0, other)) from None


def _known_token(settings: Settings) -> str | None:
    with suppress(OSError, ValueError, KeyError, TypeError):
        return str(json.loads(settings.client_file.read_text())["token"])
    return None


def _write_client(settings: Settings, token: str) -> None:
    """Where the command line finds the API and its key; readable by its owner only, written atomically."""
    path = settings.client_file
    text = json.dumps({"url": _url(settings), "token": token}) + "\n"
    try:
        write_private(path, text)
    except OSError as error:
        raise HoraeError(f"cannot write {path}: {error.strerror}") from None


# ---- once they run


def _readiness(answers: asyncio.Event, stopping: asyncio.Event) -> Readiness:
    if stopping.is_set():
        return Readiness(("it is stopping",), leaving=True)
    return Readiness() if answers.is_set() else STARTING


async def _greet(
    settings: Settings, tree: Tree, terminal: Terminal, examples: Work | None, answers: asyncio.Event
) -> None:
    """Prints the addresses as soon as the API answers."""
    loop = asyncio.get_running_loop()
    late = loop.call_later(SLOW, terminal.say, "The API is not responding yet; still waiting.")
    while not await _answers(settings):
        with suppress(TimeoutError):
            async with asyncio.timeout(0.05):
                await tree.stopping.wait()
                late.cancel()
                return
    late.cancel()
    answers.set()
    for line in _greeting(settings):
        terminal.say(line)
    if examples is not None:
        await tree.once(ProcessPlan("demo", examples, SLACK))


async def _answers(settings: Settings) -> bool:
    try:
        async with asyncio.timeout(2):
            reader, writer = await asyncio.open_connection(local_host(settings.host), settings.port)
            try:
                writer.write(b"GET /health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                answer = await reader.read(4_096)
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return False
    return answer.partition(b"\r\n")[0].split()[1:2] == [b"200"]


def _greeting(settings: Settings) -> list[str]:
    horae = _how_to_call()
    elsewhere = settings.sources.get("data_dir", "default").startswith(PREFIX)
    setting = [f"    export {PREFIX}DATA_DIR={settings.data_dir}"] if elsewhere else []
    return [
        "",
        f"  Horae is running on {_url(settings)}",
        f"  Data is kept in {settings.data_dir}",
        "",
        "  In another terminal:",
        *setting,
        f"    {horae} jobs create hello --script 'echo hello' --every 10s",
        f"    {horae} runs list",
        "",
        "  Ctrl-C stops it.",
        "",
    ]


def _how_to_call() -> str:
    """How to call this very program from here."""
    found = shutil.which("horae")
    program = Path(sys.argv[0])
    if found and program.exists() and Path(found).samefile(program):
        return "horae"
    with suppress(ValueError):
        return str(program.absolute().relative_to(Path.cwd()))
    return str(program) if program.name == "horae" else "horae"


def _url(settings: Settings) -> str:
    return local_url(settings.host, settings.port)
