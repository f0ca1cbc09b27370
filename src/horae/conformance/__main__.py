"""`python -m horae.conformance -- AGENT …`: does this agent keep to the worker protocol?"""

from __future__ import annotations

import argparse
import asyncio
import sys
import textwrap
from collections.abc import Sequence

from horae.conformance import checks
from horae.conformance.check import CHECKS
from horae.conformance.running import CheckVerdict, verdicts
from horae.conformance.stage import PATIENCE

_WIDTH = 110


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    if options.list:
        for name, one in CHECKS.items():
            print(f"{name:22} {one.sentence}")
        return 0
    command = [part for part in options.command if part != "--"]
    if not command:
        print("name the command that starts your agent: python -m horae.conformance -- ./agent …", file=sys.stderr)
        return 2
    chosen = list(CHECKS.values()) if not options.check else [CHECKS[name] for name in options.check]
    found = asyncio.run(verdicts(chosen, command, options.patience, at_a_time=options.at_a_time, tell=_tell))
    failed = [one for one in found if not one.passed]
    skipped = sum(one.skipped for one in found)
    print(f"\n{len(found) - len(failed) - skipped} passed, {len(failed)} failed, {skipped} skipped")
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m horae.conformance",
        description="Plays the controller on loopback, starts the agent once for each check with HORAE_URL and "
        "HORAE_WORKER_KEY ({url} and {key} in the command stand for them, too), and checks what it does.",
        epilog=f"{len(CHECKS)} checks in {', '.join(checks.__all__)}. The exit code is 0 if all passed, else 1.",
    )
    parser.add_argument("--check", action="append", choices=list(CHECKS), metavar="NAME", help="only this one")
    parser.add_argument("--list", action="store_true", help="list the checks")
    parser.add_argument("--at-a-time", type=int, default=8, help="how many run at the same time (8)")
    parser.add_argument("--patience", type=float, default=PATIENCE, help=f"seconds to wait for an agent ({PATIENCE:g})")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the command that starts the agent")
    return parser


def _tell(verdict: CheckVerdict) -> None:
    word = "skipped" if verdict.skipped else "passed" if verdict.passed else "FAILED"
    print(f"{verdict.check.name:22} {word}", flush=True)
    if verdict.found:
        print(textwrap.indent(textwrap.fill(verdict.found, _WIDTH), "    "))
    if verdict.sentence:
        print(textwrap.indent(textwrap.fill(f"“{verdict.sentence}”", _WIDTH), "    "))


if __name__ == "__main__":
    sys.exit(main())
