"""Programs that some tests call: found on this machine, or installed where it may be."""

from __future__ import annotations

import os
import shutil
import sys

from machine import install

# By the program to look for: its package of Debian, and whose tests need it.
NEEDED = {
    "bwrap": ("bubblewrap", "sandboxed scripts"),
    "podman": ("podman", "containers"),
    "runc": ("runc", "containers"),
    "conmon": ("conmon", "containers"),
    "busybox": ("busybox-static", "containers"),
    "chromium": ("chromium", "the portal"),
    "cc": ("gcc libc6-dev", "wrong clocks"),
    "prometheus": ("prometheus", "metrics"),
    "go": ("golang-go", "the agent in Go"),
}


def find_or_install(*, in_ci: bool) -> list[str]:
    """What is still missing, in words."""
    may_install = (os.geteuid() == 0 or in_ci) and shutil.which("apt-get") is not None
    missing = []
    for program, (package, what) in NEEDED.items():
        if _there(program):
            continue
        if may_install:
            print(f"Installing {package} …", file=sys.stderr)
            if install(package) and _there(program):
                continue
        missing.append(f"No {program}: install it (Debian: apt-get install {package}). Tests of {what} need it.")
    return missing


def _there(program: str) -> bool:
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/bin") is not None
