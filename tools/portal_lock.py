"""portal/package-lock.json: complete for every platform, and without a word about where packages come from.

A registry that holds packages for some platforms only makes npm leave out the others, and then refuse its own lock
file. So they are named here: npm fetches what the platform at hand asks for, and never looks at the rest.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from platform import libc_ver, machine
from typing import Any

SYSTEMS = "aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32"
PROCESSORS = "arm64|arm|ia32|loong64|mips64el|ppc64|riscv64|s390x|wasm32|x64"
PLATFORM = re.compile(rf"-(?:({SYSTEMS})-)?({PROCESSORS})(?:-(musl|gnu))?")

Package = dict[str, Any]


def complete(file: Path, digest: Callable[[str, str], str | None]) -> None:
    """Adds what is missing; `digest` asks a registry for that of a package's version."""
    lock = json.loads(file.read_text())
    packages: dict[str, Package] = lock["packages"]
    for package in packages.values():
        package.pop("resolved", None)
    for path, name, version in missing(packages):
        owner = packages[path]
        packages[f"node_modules/{name}"] = {
            "version": version,
            **({"dev": True} if owner.get("dev") else {}),
            "optional": True,
            **platform(name),
        }
    for path, package in packages.items():
        if path in unverified(packages) and (found := digest(_name(path), package["version"])):
            package["integrity"] = found
    lock["packages"] = {"": packages.pop(""), **dict(sorted(packages.items()))}
    file.write_text(json.dumps(lock, indent=2, ensure_ascii=False) + "\n")


def flaws(file: Path) -> list[str]:
    """What is wrong with it, in words."""
    packages: dict[str, Package] = json.loads(file.read_text())["packages"]
    found = [f"{path} names a registry" for path, package in packages.items() if "resolved" in package]
    return found + [f"{name} is missing" for _, name, _ in missing(packages)]


def unverified(packages: dict[str, Package]) -> list[str]:
    """Those that npm would install unverified: there is no digest to compare with."""
    return [path for path, package in packages.items() if path and "integrity" not in package]


def concerned(package: Package, system: str, processor: str, libc: str) -> bool:
    """Whether npm installs a package on such a machine."""
    here = {"os": system, "cpu": processor, "libc": libc}
    return all(value in package.get(name, [value]) for name, value in here.items())


def unverified_here(file: Path) -> list[str]:
    """Of those, the ones for this machine."""
    packages: dict[str, Package] = json.loads(file.read_text())["packages"]
    processor = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine().lower(), machine().lower())
    libc = "glibc" if libc_ver()[0] == "glibc" else "musl"
    system = sys.platform
    return [_name(path) for path in unverified(packages) if concerned(packages[path], system, processor, libc)]


def _name(path: str) -> str:
    return path.rpartition("node_modules/")[2]


def missing(packages: dict[str, Package]) -> list[tuple[str, str, str]]:
    """Packages for other platforms that are needed by (path) but not named: path, name and version."""
    return list(_missing(packages))


def _missing(packages: dict[str, Package]) -> Iterator[tuple[str, str, str]]:
    for path, package in packages.items():
        for name, version in package.get("optionalDependencies", {}).items() if path else ():
            if f"node_modules/{name}" not in packages and f"{path}/node_modules/{name}" not in packages:
                yield path, name, version


def platform(name: str) -> Package:
    """For whom a package is, by its name."""
    found = PLATFORM.search(name)
    if not found:
        return {}
    system, processor, libc = found.groups()
    return {
        **({"os": [system]} if system else {}),
        "cpu": [processor],
        **({"libc": ["glibc" if libc == "gnu" else libc]} if libc else {}),
    }
