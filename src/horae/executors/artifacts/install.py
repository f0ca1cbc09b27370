"""Creates a virtual environment from an archive's requirements.txt."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from horae.executors.artifacts.download import Unavailable
from horae.executors.failure import Refused, one_line
from horae.prctl import die_with_parent

REQUIREMENTS = "requirements.txt"
_TAIL = 64 * 1024
# pip's messages when an index cannot be reached right now.
_AWAY = ("connection", "retrying", "temporary failure", "timed out", "name or service not known", "network is unreach")


def install(files: Path, environment: Path) -> None:
    """`environment` is where it is created, and where it stays: an environment cannot be moved."""
    requirements = files / REQUIREMENTS
    if not requirements.is_file():
        raise Refused(f"the archive has no {REQUIREMENTS}to install from")
    _run("the virtual environment cannot be created", [sys.executable, "-m", "venv", str(environment)], files)
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    if "--hash=" in requirements.read_text(errors="replace"):
        pip.append("--require-hashes")
    _run(f"{REQUIREMENTS} cannot be installed", [*pip, "-r", REQUIREMENTS], files)


def _run(what: str, command: list[str], cwd: Path) -> None:
    done = subprocess.run(
        command,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        # An entry whose lock is lost must not be written to. This process is small, and does nothing else meanwhile.
        preexec_fn=die_with_parent,
        check=False,
    )
    if done.returncode == 0:
        return
    text = done.stdout[-_TAIL:].decode(errors="replace")
    message = one_line(f"{what}: {_complaint(text)}")
    if any(words in text.lower() for words in _AWAY):
        raise Unavailable(message)
    raise Refused(message)


def _complaint(text: str) -> str:
    """The lines that pip marks as errors, otherwise the last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return "; ".join(errors) or (lines[-1] if lines else "no reason was given")
