"""Pages as a newcomer follows them: the commands of a page, a shell that runs them, and a terminal that stays open.

A block of commands is marked by a comment before it, `<!-- test: first job -->`; blocks of one name run in one shell,
in their order.
"""

import json
import os
import re
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

BLOCK = re.compile(r"<!-- test: ([a-z ]+) -->\n *```sh\n(.*?)```", re.DOTALL)


class Pages:
    """The marked blocks of some pages."""

    def __init__(self, pages: Sequence[Path]) -> None:
        self._blocks = [block for page in pages for block in BLOCK.findall(page.read_text())]
        self.names = {name for name, _ in self._blocks}

    def commands(self, name: str, **replaced: str) -> str:
        """The commands that go by this name; every text to be replaced must be there."""
        text = "\n".join(block for found, block in self._blocks if found == name)
        assert text, f"there is no block `<!-- test: {name} -->`"
        for old, new in replaced.items():
            assert old in text, f"{old} is not in the block {name}"
            text = text.replace(old, new)
        return text


def environment(**settings: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("HORAE_")} | settings


class Shell:
    """Runs commands as a user in the folder would type them."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self._folder = folder
        self._environment = environment(**settings)

    def run(self, script: str) -> str:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def json(self, command: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.run(f"{command} --json"))["items"]
        return found


class Terminal:
    """A terminal in which commands go on in the background."""

    def __init__(self, folder: Path, script: str, *, name: str = "terminal", **settings: str) -> None:
        self._file = folder / f"{name}.txt"
        with self._file.open("wb") as output:
            self._shell = subprocess.Popen(
                ["bash", "-euo", "pipefail", "-c", f"{script}\nwait"],
                cwd=folder,
                env=environment(**settings),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        return self._file.read_text()

    def key(self) -> str | None:
        """The API key that was printed."""
        found = re.search(r"^horae_\S+$", self.output, re.MULTILINE)
        return found[0] if found else None

    def says(self, *signs: str) -> bool:
        """Whether all of these were printed; fails if the shell has ended."""
        assert self._shell.poll() is None, self.output
        return all(sign in self.output for sign in signs)

    def ctrl_c(self) -> None:
        """The command in it ends by itself, with everything that it has started."""
        processes = psutil.Process(self._shell.pid).children(recursive=True)
        os.killpg(self._shell.pid, signal.SIGINT)
        self._shell.wait(30)
        assert psutil.wait_procs(processes, timeout=10)[1] == [], self.output

    def kill(self) -> None:
        """The end of a test that failed."""
        with suppress(psutil.NoSuchProcess):
            shell = psutil.Process(self._shell.pid)
            for process in [*shell.children(recursive=True), shell]:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
        self._shell.wait()

    def close(self) -> None:
        """Asks everything in it to stop; nothing may be left."""
        shell = psutil.Process(self._shell.pid)
        processes = shell.children(recursive=True)
        for process in [*processes, shell]:
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        self._shell.wait(10)
        assert psutil.wait_procs(processes, timeout=10)[1] == []
