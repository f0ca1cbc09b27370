"""Compare: the drain of others on the same machine, in the same minutes, as ratios. Their drivers are in rivals/; the
libraries are installed into a temporary folder, never into the project."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import drain
from bench.figure import Figure
from bench.options import Options
from bench.place import Place, database
from bench.process import cpu

RIVALS = Path(__file__).with_name("rivals")
TARGETS = {"graphile-worker": 1.25}


@dataclass(frozen=True, slots=True)
class Rival:
    """`install` and `command` are run in a copy of the rival's folder."""

    name: str
    folder: str
    install: tuple[tuple[str, ...], ...]
    command: tuple[str, ...]
    share: float = 1.0  # of the runs, for those that would take minutes


_VENV = (sys.executable, "-m", "venv", "venv")


def _pip(*packages: str) -> tuple[tuple[str, ...], ...]:
    return (_VENV, ("venv/bin/pip", "install", "--quiet", "--disable-pip-version-check", *packages))


ALL = (
    Rival(
        "graphile-worker",
        "graphile",
        (("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"),),
        ("node", "drain.js"),
    ),
    Rival("PgQueuer", "pgqueuer", _pip("pgqueuer[asyncpg]", "uvloop"), ("venv/bin/python", "drain.py")),
    Rival(
        "Procrastinate", "procrastinate", _pip("procrastinate", "psycopg[binary]"), ("venv/bin/python", "drain.py"), 0.1
    ),
)


async def measure(kind: str, options: Options) -> list[Figure]:
    figures = [f for f in await drain.measure(kind, options) if "RSS" not in f.name]
    own = figures[0].median
    for rival in ALL:
        with _installed(rival) as folder:
            if folder is None:
                continue
            found = await _drain(kind, rival, folder, int(options.runs * rival.share))
        rate = found[0].median
        ratio = Figure(f"Horae ÷ {rival.name}", found[0].place, (own / rate,), "×", target=TARGETS.get(rival.name))
        figures += [*found, ratio]
    return figures


_folders: dict[str, Path | None] = {}
_home = tempfile.TemporaryDirectory(prefix="horae-rivals-")


@contextmanager
def _installed(rival: Rival) -> Iterator[Path | None]:
    """Installed at first use; None, said once, where that is not possible."""
    if rival.name not in _folders:
        folder = Path(_home.name) / rival.folder
        shutil.copytree(RIVALS / rival.folder, folder)
        _folders[rival.name] = folder if all(_ran(rival, words, folder) for words in rival.install) else None
    yield _folders[rival.name]


def _ran(rival: Rival, words: tuple[str, ...], folder: Path) -> bool:
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    except OSError as error:
        print(f"  {rival.name} is left out: {words[0]}: {error.strerror}", file=sys.stderr)
        return False
    if done.returncode:
        print(f"  {rival.name} is left out: {' '.join(words)}: {done.stderr.strip()[-300:]}", file=sys.stderr)
    return done.returncode == 0


async def _drain(kind: str, rival: Rival, folder: Path, count: int) -> list[Figure]:
    async with database(kind) as place:
        answer, server_cpu = await _talk(place, rival, folder, count)
    if answer["count"] != count:
        raise AssertionError(f"{rival.name}: {count} jobs queued, {answer['count']} done")
    name = f"{rival.name}: drain"
    return [
        Figure(name, place.title, (count / answer["seconds"],), "jobs/s"),
        Figure(f"{name}, worker CPU", place.title, (answer["cpu"] / count * 1e6,), "µs/job"),
        Figure(f"{name}, server CPU", place.title, (server_cpu / count * 1e6,), "µs/job"),
        Figure(f"{rival.name}: enqueue in bulk", place.title, (answer["queued"],), "jobs/s"),
    ]


async def _talk(place: Place, rival: Rival, folder: Path, count: int) -> tuple[dict[str, Any], float]:
    """The driver reports that its queue is full, is started, and answers; and what the server used meanwhile."""
    environment = {**place.inherited(), "DATABASE_URL": place.url, "COUNT": str(count)}
    child = await asyncio.create_subprocess_exec(
        *rival.command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdin
    assert child.stdout
    try:
        async with asyncio.timeout(600):
            if (await child.stdout.readline()).strip() != b"filled":
                raise RuntimeError(f"{rival.name} did not fill its queue")
            server = place.server()
            before = cpu(server)
            child.stdin.write(b"go\n")
            answer = await child.stdout.readline()
            return json.loads(answer), cpu(server) - before
    finally:
        if child.returncode is None:
            child.terminate()
        await child.wait()
