"""`python -m bench.check`: has a change made Horae slower? Measures an earlier commit and this tree in turn, in one
run, and compares them as ratios, so that what else the machine does strikes both alike."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
FIGURES = ("drain", "firing", "enqueue", "latency")
Key = tuple[str, str]
Values = dict[Key, list[float]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One figure of both trees; `gain` is above 1 where this tree is the better one."""

    name: str
    place: str
    unit: str
    base: float
    here: float

    @property
    def gain(self) -> float:
        over, under = (self.here, self.base) if self.unit.endswith("/s") else (self.base, self.here)
        return over / under if under else 1.0


def main() -> int:
    arguments = _parse()
    base, here, units = _measured(arguments)
    compared = list(_compared(base, here, units))
    worse = [each for each in compared if each.gain < arguments.least]
    lacking = {key: values for key, values in (base | here).items() if key not in base or key not in here}
    _show(compared, arguments)
    for (name, place), values in sorted(lacking.items()):
        where = "here" if (name, place) in base else f"in {arguments.base}"
        print(f"LACKING: {name} on {place} was not measured {where}: {median(values):,.1f} {units[name, place]} there")
    for each in worse:
        print(f"SLOWER: {each.name} on {each.place}: {each.gain:.2f} of {arguments.base}, at least {arguments.least}")
    lost = base.keys() - here.keys()  # what cannot be measured any more may be slower
    return 1 if worse or lost or not compared else 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.check", description=__doc__)
    parser.add_argument("figures", nargs="*", default=FIGURES, help=f"as for `python -m bench` ({' '.join(FIGURES)})")
    parser.add_argument("--base", default="HEAD~1", help="the commit to compare with (HEAD~1)")
    parser.add_argument("--database", action="append", help="repeatable (postgresql and sqlite)")
    parser.add_argument("--repeat", type=int, default=3, help="how often each tree is measured; medians count (3)")
    parser.add_argument("--least", type=float, default=0.95, help="fails below this part of the base's figure (0.95)")
    parser.add_argument(
        "--all", action="store_true", help="all figures of `make bench`, as far as both trees know them"
    )
    arguments = parser.parse_args()
    if arguments.all:
        arguments.figures = ()
    return arguments


def _measured(arguments: argparse.Namespace) -> tuple[Values, Values, dict[Key, str]]:
    base: Values = {}
    here: Values = {}
    units: dict[Key, str] = {}
    databases = [f"--database={kind}" for kind in arguments.database or ("postgresql", "sqlite")]
    words = [*arguments.figures, *databases, "--repeat=1"]
    with _checked_out(arguments.base) as tree:
        for n in range(arguments.repeat):
            sides: Sequence[tuple[Path, Values]] = [(tree, base), (PROJECT, here)]
            for place, values in sides if n % 2 else sides[::-1]:  # neither is always the one that comes second
                for figure in _run(place, words):
                    key = (figure["name"], figure["place"])
                    values.setdefault(key, []).extend(figure["values"])
                    units[key] = figure["unit"]
    return base, here, units


@contextmanager
def _checked_out(commit: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="horae-base-") as folder:
        tree = Path(folder) / "tree"
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", tree, commit], cwd=PROJECT, check=True)
        try:
            yield tree
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=PROJECT, check=True)


def _run(tree: Path, words: Iterable[str]) -> list[dict[str, Any]]:
    """Both trees share the environment's libraries; each brings its own code, for its children as well."""
    print(f"— {'this tree' if tree == PROJECT else 'the base'}", file=sys.stderr)
    result = tree / f".bench-{os.getpid()}.json"
    paths = os.pathsep.join([str(tree / "src"), str(tree)])
    try:
        subprocess.run(
            [sys.executable, "-m", "bench", *words, "--json", result],
            cwd=tree,
            env=os.environ | {"PYTHONPATH": paths},
            stdout=subprocess.DEVNULL,
            check=False,  # a figure that fails is named below
        )
        return list(json.loads(result.read_text())) if result.exists() else []  # it may not know the figure
    finally:
        result.unlink(missing_ok=True)


def _compared(base: Values, here: Values, units: dict[Key, str]) -> Iterator[Comparison]:
    for key in base.keys() & here.keys():
        yield Comparison(*key, units[key], median(base[key]), median(here[key]))


def _show(compared: list[Comparison], arguments: argparse.Namespace) -> None:
    print(f"| figure | on | {arguments.base} | here | unit | gain |\n|---|---|---:|---:|---|---:|")
    for each in sorted(compared, key=lambda each: (each.name, each.place)):
        print(f"| {each.name} | {each.place} | {each.base:,.1f} | {each.here:,.1f} | {each.unit} | {each.gain:.2f} |")
    if not compared:
        print("nothing could be compared: is there a server? `make bench-check` starts them")


if __name__ == "__main__":
    sys.exit(main())
