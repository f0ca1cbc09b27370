"""This machine: what is installed or can be, its ports, and its processes."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

POLICY = Path("/usr/sbin/policy-rc.d")


def which(name: str) -> Path | None:
    places = os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin", "/sbin"])
    found = shutil.which(name, path=places)
    return Path(found) if found else None


def install(package: str) -> bool:
    """One or several, with apt-get, keeping the package from starting its own service."""
    sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
    apt = [*sudo, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300"]
    guard = not POLICY.exists()
    if guard:
        script = "#!/bin/sh\nexit 101\n"
        subprocess.run([*sudo, "tee", POLICY], input=script.encode(), stdout=subprocess.DEVNULL, check=False)
        subprocess.run([*sudo, "chmod", "755", POLICY], check=False)
    try:
        command = [*apt, "install", "-y", "--no-install-recommends", *package.split()]
        if quietly(command):
            return True
        quietly([*apt, "update"])  # a fresh machine has no package lists, an old one has stale ones
        return quietly(command)
    finally:
        if guard:
            subprocess.run([*sudo, "rm", "-f", POLICY], check=False)


def quietly(command: list[str]) -> bool:
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return done.returncode == 0


def readable(command: list[str]) -> str:
    """What a program prints; nothing if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(port: int, *, say: bytes = b"", greets: bytes) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
            connection.sendall(say)
            return greets in connection.recv(64)
    except OSError:
        return False


def own(folder: Path, user: pwd.struct_passwd | None) -> None:
    if user:
        os.chown(folder, user.pw_uid, user.pw_gid)


def start_time(pid: int) -> str | None:
    """Together with its id this identifies a process permanently: ids are reused, start times are not."""
    if Path("/proc/self/stat").exists():
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return None
        return None if fields[0] == "Z" else fields[19]
    shown = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, check=False)
    return shown.stdout.decode().strip() or None


def alive(pid: int, started: str | None) -> bool:
    return started is not None and start_time(pid) == started


def signal_group(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, number)


def gone_within(seconds: float, state: dict[str, Any]) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not alive(state["pid"], state["started"]):
            return True
        time.sleep(0.02)
    return False
