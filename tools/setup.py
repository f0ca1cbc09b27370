"""Make .venv from the pinned requirements; do nothing, quickly, when it is up to date.

    tools/setup.py          set up
    tools/setup.py lock     pin the requirements again, then set up

Runs on the bare standard library. uv is taken from the PATH or bootstrapped into .uv/.
"""

import sys

if sys.version_info < (3, 11):  # before anything that an older Python cannot read
    sys.exit(
        "Horae needs Python 3.11 or newer, and %s is %d.%d: install one, then `make setup PYTHON=python3.12`"
        % (sys.executable, sys.version_info[0], sys.version_info[1])
    )

import fcntl
import hashlib
import os
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PINS = ROOT / "requirements"
STAMP = VENV / ".horae-setup"


def main() -> None:
    with alone():
        if sys.argv[1:] == ["lock"]:
            pin()
        elif sys.argv[1:]:
            sys.exit(f"unknown argument {sys.argv[1]!r}: tools/setup.py [lock]")
        if not up_to_date():
            install()
        if sys.dont_write_bytecode:
            compile_sources()


@contextmanager
def alone() -> Iterator[None]:
    """Two `make` at once: the second waits, then finds it done."""
    VENV.mkdir(exist_ok=True)
    with (VENV / ".horae-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def up_to_date() -> bool:
    return STAMP.is_file() and STAMP.read_text() == fingerprint() and works()


def works() -> bool:
    python = VENV / "bin" / "python"
    check = "import sys; sys.exit(sys.version_info < (3, 11))"
    return python.exists() and subprocess.run([python, "-c", check], check=False).returncode == 0


def fingerprint() -> str:
    """Everything that the environment is made of; its place counts, since its scripts name their interpreter."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    parts = [str(VENV), repr(project["project"]), repr(project["build-system"])]
    parts.append((PINS / "dev.txt").read_text())
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def install() -> None:
    uv = find_uv()
    STAMP.unlink(missing_ok=True)
    if not works():
        for entry in VENV.iterdir():
            if entry.name != ".horae-lock":
                shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
        run(uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, VENV)
    # Compiled now: where nothing may write bytecode later, every command would compile all it imports again.
    run(uv, "pip", "sync", "--quiet", "--compile-bytecode", "--require-hashes", PINS / "dev.txt")
    run(uv, "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--editable", ROOT)
    STAMP.write_text(fingerprint())
    print("Horae is set up: .venv/bin/horae", file=sys.stderr)


def compile_sources() -> None:
    """Our own, as the packages above: each process that a test starts would spend a fifth of its start on it. What
    cannot be compiled is for others to tell."""
    command = [str(VENV / "bin" / "python"), "-m", "compileall", "-qq", "src", "tests"]
    subprocess.run(command, cwd=ROOT, check=False)


def fetch(pins: str, target: Path) -> None:
    """What these pins name, into its own folder; for other tools. Ends the process if it cannot be had."""
    with alone():
        shutil.rmtree(target, ignore_errors=True)
        run(
            find_uv(),
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--require-hashes",
            "--target",
            target,
            "-r",
            PINS / pins,
        )


def pin() -> None:
    """Hashes, no addresses: who installs decides from where. `make lock ARGS=--upgrade` renews."""
    uv = find_uv()
    for name, what in {
        "runtime.txt": ["pyproject.toml"],
        "dev.txt": ["pyproject.toml", "--group", "dev", "--constraint", "requirements/runtime.txt"],
        "uv.txt": ["--group", "uv"],
        "node.txt": ["--group", "node"],
        "audit.txt": ["--group", "audit"],
    }.items():
        options = ["--universal", "--python-version", "3.11", "--generate-hashes", "--no-annotate", "--quiet"]
        options += ["--custom-compile-command", "make lock", *os.environ.get("ARGS", "").split()]
        run(uv, "pip", "compile", *what, *options, "--output-file", f"requirements/{name}")


def find_uv() -> Path:
    if found := shutil.which("uv"):
        return Path(found)
    home = ROOT / ".uv"
    uv = home / "bin" / "uv"
    if not uv.exists() or subprocess.run([uv, "--version"], capture_output=True, check=False).returncode:
        print("Fetching uv into .uv/", file=sys.stderr)
        shutil.rmtree(home, ignore_errors=True)
        try:
            run(sys.executable, "-m", "venv", home)
        except SystemExit:
            sys.exit("Python cannot make a virtual environment: install python3-venv or uv and try again")
        pip = (home / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        run(*pip, "--require-hashes", "--requirement", PINS / "uv.txt")
    return uv


def run(*command: str | Path) -> None:
    environment = {**os.environ, "VIRTUAL_ENV": str(VENV)}
    code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    if code:
        sys.exit(f"set-up failed: {' '.join(Path(str(part)).name for part in command[:4])} … (exit {code})")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
