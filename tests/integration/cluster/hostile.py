"""A script that searches for everything it must not see, and non-root workers to run it on."""

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.integration.cluster.cluster import ROOT, TASKS, Cluster, Member, free_port
from tests.lacking import lacking

NOBODY = 65534
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
_PACKAGES = sysconfig.get_path("purelib")
_TRY = "import subprocess, sys, horae.cli.app; subprocess.run([sys.executable, '-c', ''], check=True)"


def _works(*command: str, **environment: str) -> bool:
    try:
        done = subprocess.run(command, check=False, capture_output=True, cwd="/", env={**os.environ, **environment})
    except OSError:
        return False
    return done.returncode == 0


def _python() -> str | None:
    """An interpreter that no one can start, with our packages; the test's own may be in someone's home."""
    if os.geteuid() != 0:
        return None
    open_way(ROOT)  # a temporary folder is closed to others, as CI may make one for its checkout
    usual = f"/usr/bin/python3.{sys.version_info.minor}"
    found = (python for python in (sys.executable, usual) if _works(*AS_NOBODY, python, "-c", _TRY, PYTHONPATH=PATH))
    return next(found, None)


@cache
def python() -> str:
    """What the user `nobody` runs Horae with. Without it the test is skipped, or fails where all of them must run."""
    return _python() or lacking("needs root, to become nobody, and a Python and a checkout that nobody can read")


PATH = f"{ROOT / 'src'}:{ROOT}:{_PACKAGES}"
needs_nobody = pytest.mark.usefixtures("nobody")
needs_bubblewrap = pytest.mark.usefixtures("nobody_s_bubblewrap")


async def start(
    cluster: Cluster, role: str, *arguments: str, before: Sequence[str] = AS_NOBODY, **settings: str
) -> Member:
    """A process of the cluster's that is not root."""
    if role == "worker":
        arguments = ("--import", TASKS, *arguments)
    if role == "serve":
        settings["HORAE_PORT"] = str(free_port())
    usual = {**cluster.settings, "PYTHONPATH": PATH, **_settle(cluster), **settings}
    log = cluster.folder / f"{role}-{len(cluster.members)}.log"
    member = Member(role, [*before, python(), "-m", "horae", role, *arguments], usual, log)
    cluster.members.append(member)
    return await member.ready()


# The values are given backwards, so that this script's own source is not what it finds. It looks at everything it may
# open of every process, and at every file below the folders.
_SEARCH = """
import json, os
wanted = {name: value[::-1].encode() for name, value in json.loads(os.environ["WANTED"]).items()}
folders = json.loads(os.environ["FOLDERS"])
found, looked = set(), {"processes": 0, "environ": 0, "mem": 0, "files": 0}
def check(data, where):
    for name, value in wanted.items():
        if value in data:
            found.add(f"{name} in {where}")
me = os.getpid()
for pid in filter(str.isdigit, os.listdir("/proc")):
    if int(pid) == me:
        continue
    who = f"/proc/{pid}"
    looked["processes"] += 1
    try:
        name = open(f"{who}/comm").read().strip()
        data = open(f"{who}/environ", "rb").read()
        looked["environ"] += 1
        check(data, f"environ of {name}")
    except OSError:
        pass
    try:
        with open(f"{who}/mem", "rb", 0) as mem:
            for line in open(f"{who}/maps").read().splitlines():
                span, rights, *_ = line.split()
                if not rights.startswith("rw"):
                    continue
                begin, end = (int(part, 16) for part in span.split("-"))
                try:
                    mem.seek(begin)
                    check(mem.read(min(end - begin, 1 << 28)), f"memory of {name}")
                    looked["mem"] += 1
                except (OSError, ValueError, OverflowError):
                    pass
    except OSError:
        pass
for folder in folders:
    for path, folders_in_it, files in os.walk(folder):
        for file in files:
            try:
                with open(os.path.join(path, file), "rb") as opened:
                    data = opened.read(1 << 24)
                looked["files"] += 1
                check(data, os.path.join(path, file))
            except OSError:
                pass
json.dump({"found": sorted(found), "looked": looked, "uid": os.getuid()}, open(os.environ["HORAE_RESULT"], "w"))
"""


def search(wanted: Mapping[str, str], *folders: str | Path) -> dict[str, Any]:
    """A target whose result says where it found which of the values."""
    return {
        "kind": "script",
        "interpreter": "python",
        "source": _SEARCH,
        "env": {
            "WANTED": json.dumps({name: value[::-1] for name, value in wanted.items()}),
            "FOLDERS": json.dumps([str(folder) for folder in folders]),
        },
    }


def give(folder: Path, user: int = NOBODY) -> None:
    """Makes a folder and all in it that user's."""
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user, user, follow_symlinks=False)


def open_way(folder: Path) -> None:
    """Lets others come to a temporary folder."""
    for parent in (folder, *folder.parents):
        if parent.stat().st_uid == os.geteuid() and str(parent).startswith(("/tmp/", "/dev/shm/")):
            parent.chmod(parent.stat().st_mode | 0o055 if parent == folder else parent.stat().st_mode | 0o011)


def _settle(cluster: Cluster) -> dict[str, str]:
    """Makes the cluster's folder and database usable by the user `nobody`; the settings that follow from it."""
    home = cluster.folder / "home"
    for folder in (home, cluster.folder / "data"):
        folder.mkdir(exist_ok=True)
        give(folder)
    open_way(cluster.folder)
    if cluster.url.startswith("sqlite:///"):
        file = Path(cluster.url.removeprefix("sqlite:///"))
        open_way(file.parent)
        give(file.parent)
    return {"HOME": str(home), "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": "", "XDG_CACHE_HOME": "", "TMPDIR": ""}
