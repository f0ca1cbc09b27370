"""Programs of another Debian suite, beside those of this machine: downloaded with every library they need, unpacked
into a folder, and run with those libraries. Nothing is installed and nothing of the machine is touched.

    unpacked("sid", "mysql-server-core") / "usr/sbin/mysqld"     a program that starts like any other

apt-get works on its own state in which no package is installed, so it fetches all dependencies down to the C
library. The mirror, its proxy and its keys are those that this machine's apt is set up with: only the suite is another.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from machine import quietly, readable

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_ELF = b"\x7fELF"
# `--argv0`: programs look for others beside themselves, and find the ones that are wrapped like them.
_WRAPPER = """\
#!/bin/sh
exec "{loader}" --library-path "{libraries}" --argv0 "$0" "$0.elf" "$@"
"""


class Unavailable(Exception):
    """The packages cannot be had here; the message says why."""


def unpacked(suite: str, *packages: str) -> Path:
    """The folder that stands for `/`. Downloaded once for all clones of this repository; delete the folder to get the
    suite's current packages."""
    place = folder(suite, *packages)
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            with tempfile.TemporaryDirectory(dir=place.parent, prefix=f"{place.name}.") as draft:
                Path(draft).chmod(0o755)
                root = Path(draft) / "root"
                _unpack(_download(Path(draft), suite, packages), root)
                _wrap(root, at=place)
                root.rename(place)
    return place


def folder(suite: str, *packages: str) -> Path:
    return _home() / "-".join([suite, packages[0]])


def _home() -> Path:
    """Not inside the project: servers run as other users, who may be unable to reach it."""
    chosen = os.environ.get("HORAE_PACKAGES_DIR")
    disk = Path("/var/tmp") if os.access("/var/tmp", os.W_OK) else Path(tempfile.gettempdir())
    home = Path(chosen).resolve() if chosen else disk / f"horae-packages-{os.getuid()}"
    home.mkdir(mode=0o755, parents=True, exist_ok=True)
    if home.stat().st_uid != os.getuid():
        raise Unavailable(f"{home} belongs to somebody else: set HORAE_PACKAGES_DIR to a folder of yours")
    home.chmod(0o755)  # regardless of the umask: servers run as other users
    return home


def mirror() -> str:
    """The archive that this machine's own apt uses for Debian."""
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise Unavailable("this is not a Debian system: there is no apt-get")
    release = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    if release.get("ID", "").strip('"') != "debian":
        raise Unavailable("this is not a Debian system: its archive has other suites")
    suites = {release.get("VERSION_CODENAME", "").strip('"'), "stable", "testing", "unstable", "sid"}
    form = "$(REPO_URI) $(RELEASE) $(COMPONENT)"
    for line in readable(["apt-get", "indextargets", "--format", form, "Created-By: Packages"]).splitlines():
        archive, suite, component = line.rsplit(" ", 2)
        if suite in suites and component == "main":
            return archive
    raise Unavailable("apt is set up with no Debian archive")


def _download(draft: Path, suite: str, packages: Sequence[str]) -> list[Path]:
    for name in ("state/lists/partial", "cache/archives/partial", "none"):
        (draft / name).mkdir(parents=True)
    (draft / "status").touch()
    signed = f"[signed-by={KEYRING}] " if KEYRING.exists() else ""
    (draft / "sources.list").write_text(f"deb {signed}{mirror()} {suite} main\n")
    options = {
        "Dir::State": draft / "state",
        "Dir::State::status": draft / "status",  # of a machine on which nothing is installed
        "Dir::Cache": draft / "cache",
        "Dir::Etc::sourcelist": draft / "sources.list",
        "Dir::Etc::sourceparts": draft / "none",
        "Dir::Etc::preferences": draft / "none/none",
        "Dir::Etc::preferencesparts": draft / "none",
        "APT::Install-Recommends": "false",
        "APT::Keep-Downloaded-Packages": "true",
        "Acquire::Languages": "none",
    }
    if os.geteuid() == 0:
        options["APT::Sandbox::User"] = "root"  # the folder is ours alone
    apt = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in options.items())]
    if not quietly([*apt, "update"]):
        raise Unavailable(f"apt-get could not read Debian's suite {suite} from this machine's mirror")
    if not quietly([*apt, "install", "-y", "--download-only", *packages]):
        raise Unavailable(f"apt-get could not download {' '.join(packages)} from Debian's suite {suite}")
    return sorted((draft / "cache/archives").glob("*.deb"))


def _unpack(files: list[Path], root: Path) -> None:
    for file in files:
        if not quietly(["dpkg-deb", "-x", str(file), str(root)]):
            raise Unavailable(f"{file.name} could not be unpacked")
    root.chmod(0o755)


def _wrap(root: Path, *, at: Path) -> None:
    """Each program becomes a script that starts it with the unpacked loader and libraries: those of this machine may
    be too old for it."""
    loader = next((root / "usr").glob("lib*/ld-linux-*.so.*"), None)
    if loader is None:
        raise Unavailable("the packages hold no dynamic loader")
    libraries = ":".join(str(at / part.relative_to(root)) for part in sorted((root / "usr/lib").glob("*-linux-gnu*")))
    script = _WRAPPER.format(loader=at / loader.relative_to(root), libraries=libraries)
    for pattern in ("usr/bin/*", "usr/sbin/*", "usr/lib/postgresql/*/bin/*"):
        for program in root.glob(pattern):
            if program.is_file() and not program.is_symlink() and _is_elf(program):
                program.rename(program.with_name(f"{program.name}.elf"))
                program.write_text(script)
                program.chmod(0o755)


def _is_elf(program: Path) -> bool:
    with program.open("rb") as file:
        return file.read(4) == _ELF
