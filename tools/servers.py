#!/usr/bin/env python3
"""The real servers that tests and benchmarks run on: found or installed, started, and stopped again.

    tools/servers.py start [kind …]             start and leave running; prints their URLs
    tools/servers.py stop                       stop what `start` started
    tools/servers.py run [kind …] -- command …  start, run the command with the URLs set, stop
    tools/servers.py env | status               URLs for a shell; what is running

The kinds are those of the machine (postgresql, mysql: MariaDB's or MySQL's, …) and newer ones, downloaded and run out
of a folder (newer_kinds.py: mysql9, postgresql17, …), which tests use as they use those of the machine.

Each server has a private port on 127.0.0.1 and its own folder, fresh at every start. It is durable
(fsync on, on a disk) unless `--fast`, which tests use; the two are different servers. Where
HORAE_TEST_<FAMILY>_URL is set, that server is used and nothing is started. A server that can be neither found
nor installed is named and left out (its tests skip); with CI=true that is an error.

How it stays right when several people run it at once, or when it is killed:
- every start and stop happens under the lock `transition`;
- `run` holds the lock `users` in shared mode, and the last one out stops what no one asked to keep;
- a process counts as ours only if its id *and* its start time are the ones written down.

To add a kind of server: one more class in server_kinds.py (a newer version: newer_kinds.py; a pooler before one:
poolers.py).
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import IO

import programs
from newer_kinds import KINDS as NEWER_KINDS
from poolers import PgBouncer
from server_kinds import KINDS as SERVER_KINDS
from server_kinds import Missing, Server

PROJECT = Path(__file__).resolve().parent.parent
KINDS: dict[str, type[Server]] = {**SERVER_KINDS, **NEWER_KINDS, PgBouncer.kind: PgBouncer}
DEFAULT_KINDS = ("postgresql", "mysql", "pgbouncer", "redis", "rabbitmq")
IN_CI = os.environ.get("CI", "").lower() in ("1", "true", "yes")


def main() -> int:
    arguments = parse(sys.argv[1:])
    kinds = arguments.kinds or list(DEFAULT_KINDS)
    needed = [KINDS[kind].behind for kind in kinds]
    kinds = list(dict.fromkeys([*(kind for kind in needed if kind), *kinds]))
    servers = [server(KINDS[kind], arguments.fast) for kind in kinds]
    if arguments.verb == "run":
        if arguments.programs and not have_programs():
            return 1
        return run(servers, arguments.command)
    if arguments.verb == "start":
        urls, missing = start(servers, keep=True)
        show(urls, arguments.json)
        return 1 if missing and IN_CI else 0
    if arguments.verb == "stop":
        return stop()
    if arguments.verb == "env":
        show({s.variable: url for s in everything() if (url := s.running_url())} | given(), arguments.json)
        return 0
    return status(arguments.json)


def parse(words: list[str]) -> argparse.Namespace:
    command: list[str] = []
    if "--" in words:
        split = words.index("--")
        words, command = words[:split], words[split + 1 :]
    parser = argparse.ArgumentParser(prog="tools/servers.py", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("verb", choices=["start", "stop", "run", "env", "status"])
    parser.add_argument("kinds", nargs="*", help=f"of {', '.join(KINDS)}; default: {' '.join(DEFAULT_KINDS)}")
    parser.add_argument("--fast", action="store_true", help="not durable, for tests")
    parser.add_argument("--programs", action="store_true", help="with `run`: also what tests call (programs.py)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of shell lines")
    arguments = parser.parse_intermixed_args(words)
    for kind in arguments.kinds:
        if kind not in KINDS:
            parser.error(f"unknown server {kind!r}: choose from {', '.join(KINDS)}")
    families = [KINDS[kind].family for kind in arguments.kinds]
    if arguments.verb == "run" and len(set(families)) < len(families):
        parser.error("two servers of one family: tests would not know which one to use")
    if bool(command) != (arguments.verb == "run"):
        parser.error("`run` takes a command after `--`, the others do not")
    arguments.command = command
    return arguments


# ---- the verbs


def have_programs() -> bool:
    """False if the command cannot do without what is missing."""
    missing = programs.find_or_install(in_ci=IN_CI)
    for words in missing:
        tell(f"{words} They will {'fail' if IN_CI else 'not run'}.")
    return not (missing and IN_CI)


def start(servers: list[Server], *, keep: bool) -> tuple[dict[str, str], list[Server]]:
    """Gives the URLs by variable, and those that could not be had."""
    urls = {server.variable: os.environ[server.variable] for server in servers if server.variable in given()}
    wanted = [server for server in servers if server.variable not in urls]
    missing: list[Server] = []
    with locked("transition"):
        found = []
        for server in wanted:
            try:
                if server.behind in {other.kind for other in missing}:
                    raise Missing(f"it stands before {server.behind}, which is missing")
                server.find_or_install(may_install=os.geteuid() == 0 or IN_CI)
                found.append(server)
            except Missing as reason:
                missing.append(server)
                consequence = "fail" if IN_CI else "not run"
                tell(f"No {server.title}: {reason}\n  Tests that need it will {consequence}.")
        for turn in ([s for s in found if not s.behind], [s for s in found if s.behind]):
            with ThreadPoolExecutor(max_workers=len(KINDS)) as pool:
                for server, url in zip(turn, pool.map(lambda s: bring_up(s, keep), turn), strict=True):
                    urls[server.variable] = url
    return urls, missing


def bring_up(server: Server, keep: bool) -> str:
    url = server.running_url()
    if not url:
        url = server.start()
    if keep:
        server.keep(True)
    return url


def stop() -> int:
    with locked("transition"):
        for server in everything():
            server.keep(False)
        if not stop_unused():
            tell("In use by a running `servers.py run`: they will stop when it ends.")
    return 0


def stop_unused() -> bool:
    """Under the lock `transition`: stops what no one keeps, unless a `run` is under way."""
    with (home() / "users.lock").open("w") as users:
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        for server in everything():
            if not server.kept():
                server.stop()
    return True


def run(servers: list[Server], command: list[str]) -> int:
    with locked("transition"):  # so that no one stops a server between our look at it and our use of it
        users = (home() / "users.lock").open("w")
        fcntl.flock(users, fcntl.LOCK_SH)
    child: subprocess.Popen[bytes] | None = None

    def on_signal(number: int, _: FrameType | None) -> None:
        if child is None:
            raise KeyboardInterrupt
        if number != signal.SIGINT:  # a terminal has sent Ctrl-C to the command already
            child.send_signal(number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, on_signal)
    try:
        urls, missing = start(servers, keep=False)
        if missing and IN_CI:
            return 1
        try:
            child = subprocess.Popen(command, env={**os.environ, **urls, **chosen(servers)})
        except OSError as error:
            tell(f"cannot run {command[0]}: {error.strerror}")
            return 127
        code = child.wait()
        return code if code >= 0 else 128 - code
    except KeyboardInterrupt:
        return 130
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        users.close()
        with locked("transition"):
            stop_unused()


def chosen(servers: list[Server]) -> dict[str, str]:
    """Which version stands for its family, for tests that start their own servers."""
    return {f"HORAE_TEST_{server.family.upper()}_KIND": server.kind for server in servers}


def status(as_json: bool) -> int:
    rows = [row for server in everything() if (row := server.status())]
    if as_json:
        print(json.dumps(rows, indent=2))
        return 0
    for row in rows:
        kept = "kept" if row["keep"] else "until the last `run` ends"
        print(f"{row['name']:16} pid {row['pid']:<8} {row['url']}  ({kept}; {row['folder']})")
    if not rows:
        print("no server is running")
    return 0


# ---- where things are


def home() -> Path:
    """Not inside the project: servers run as other users, who may be unable to reach it. Not in memory
    either, where fsync would cost nothing."""
    if chosen := os.environ.get("HORAE_SERVERS_DIR"):
        return opened(Path(chosen).resolve())
    disk = Path("/var/tmp")
    return opened((disk if os.access(disk, os.W_OK) else Path(tempfile.gettempdir())) / unique_name())


def memory() -> Path:
    """Where a fast server has its data: making a database there takes a tenth of the time."""
    disk = Path("/dev/shm")
    if "HORAE_SERVERS_DIR" in os.environ or not os.access(disk, os.W_OK):
        return home()
    return opened(disk / unique_name()) if shutil.disk_usage(disk).total >= 4 << 30 else home()


def unique_name() -> str:
    return f"horae-servers-{os.getuid()}-{hashlib.sha256(str(PROJECT).encode()).hexdigest()[:8]}"


def opened(folder: Path) -> Path:
    folder.mkdir(mode=0o711, parents=True, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        sys.exit(f"{folder} belongs to somebody else: set HORAE_SERVERS_DIR to a folder of yours")
    for part in (folder, *folder.parents) if os.geteuid() == 0 else ():
        if not part.stat().st_mode & 0o001:
            sys.exit(f"{part} is closed to the users of the servers: chmod o+x, or set HORAE_SERVERS_DIR")
    return folder


def everything() -> list[Server]:
    return [server(kind, fast) for kind in KINDS.values() for fast in (True, False)]


def server(kind: type[Server], fast: bool) -> Server:
    return kind(home(), memory() if fast else home(), fast=fast)


def given() -> dict[str, str]:
    return {kind.variable: url for kind in KINDS.values() if (url := os.environ.get(kind.variable))}


@contextlib.contextmanager
def locked(name: str) -> Iterator[IO[str]]:
    with (home() / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def show(urls: dict[str, str], as_json: bool) -> None:
    if as_json:
        print(json.dumps(urls, indent=2))
        return
    for variable, url in urls.items():
        print(f"export {variable}={url}")


def tell(text: str) -> None:
    print(text, file=sys.stderr)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
