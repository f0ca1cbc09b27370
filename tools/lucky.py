#!/usr/bin/env python3
"""The tests that failed in `make test` and passed in `make test-again`: a bug of the test, or of Horae.

tools/lucky.py keep     after `make test`: remembers what failed
tools/lucky.py report   at the end: lists what has passed since
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

CACHE = Path(__file__).resolve().parent.parent / ".cache"
NOW = CACHE / "pytest" / "v" / "cache" / "lastfailed"
FIRST = CACHE / "failed-first"


def main() -> int:
    match sys.argv[1:]:
        case ["keep"]:
            CACHE.mkdir(exist_ok=True)
            FIRST.write_text(json.dumps(failed(NOW)))
        case ["report"]:
            print(report(failed(FIRST), failed(NOW)), end="")
            FIRST.unlink(missing_ok=True)
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


def failed(file: Path) -> list[str]:
    """The tests that pytest has noted there."""
    return list(json.loads(file.read_text())) if file.is_file() else []


def report(first: list[str], now: list[str]) -> str:
    """Nothing if no test was lucky."""
    lucky = sorted(set(first) - set(now))
    if not lucky:
        return ""
    lines = ["", f"PASSED ONLY WHEN RUN AGAIN: {len(lucky)}. Mend the cause (CONTRIBUTING.md, Tests):"]
    return "\n".join([*lines, *(f"  {test}" for test in lucky), ""])


if __name__ == "__main__":
    sys.exit(main())
