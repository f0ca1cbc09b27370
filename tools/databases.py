#!/usr/bin/env python3
"""What must hold on every database, tried on servers newer than this machine's own: the contract of the store, clusters
of real processes, and the fault scenarios of which `make test` plays one round on some database.

    tools/databases.py [kind …] [-- pytest arguments …]

One server after the other, each downloaded if it is not there yet. A server that cannot be had is a failure: this is
what a release claims to run on. `make test-databases` is the way to call it.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from machine import readable
from newer_kinds import KINDS
from server_kinds import Missing, Server

PROJECT = Path(__file__).resolve().parent.parent
SUITES = ("tests/contract", "tests/integration/cluster", "tests/faults")
OUTCOMES = {0: "passed", 5: "no test was chosen"}


def main() -> int:
    words, more = sys.argv[1:], []
    if "--" in words:
        split = words.index("--")
        words, more = words[:split], words[split + 1 :]
    parser = argparse.ArgumentParser(prog="tools/databases.py", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("kinds", nargs="*", default=list(KINDS), help=f"of {', '.join(KINDS)}; default: all")
    kinds = parser.parse_args(words).kinds
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        parser.error(f"unknown server {unknown[0]!r}: choose from {', '.join(KINDS)}")
    rows = [tried(KINDS[kind], more) for kind in kinds]
    print("\n" + "\n".join(f"{title:16} {outcome:24} {seconds:6.0f} s" for title, outcome, seconds in rows))
    return 0 if all(outcome == OUTCOMES[0] for _, outcome, _ in rows) else 1


def tried(kind: type[Server], more: list[str]) -> tuple[str, str, float]:
    """The server's title, what came of it, and how long it took."""
    began = time.monotonic()
    server = kind(PROJECT, PROJECT, fast=True)
    try:
        server.find_or_install(may_install=True)
    except Missing as reason:
        print(f"No {kind.title}: {reason}", file=sys.stderr)
        return kind.title, "NOT TESTED", time.monotonic() - began
    title = f"{kind.title.split()[0]} {version(server)}"
    print(f"==== {title}", flush=True)
    chosen = [word for word in more if word.startswith("tests/")] or list(SUITES)
    rest = [word for word in more if word not in chosen]
    tests = [sys.executable, "-m", "pytest", "-m", kind.family, *rest, *chosen]
    servers = [sys.executable, str(PROJECT / "tools" / "servers.py"), "run", "--fast", "--programs", kind.kind]
    given = {name: value for name, value in os.environ.items() if name != kind.variable}  # that is another version
    code = subprocess.run([*servers, "--", *tests], cwd=PROJECT, env=given, check=False).returncode
    return title, OUTCOMES.get(code, "FAILED"), time.monotonic() - began


def version(server: Server) -> str:
    found = re.search(r"(?:Ver|PostgreSQL\)) ([\d.]+)", readable([str(server.program()), "--version"]))
    return found[1] if found else "of an unknown version"


if __name__ == "__main__":
    sys.exit(main())
