"""A real Podman for tests: its service on a socket, with its own images and containers, removed at the end."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.lacking import lacking

IMAGE = "localhost/horae-test:1"
_NEEDED = {"podman": "podman", "runc": "runc", "conmon": "conmon", "busybox": "busybox-static"}
_CONF = """
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
"""
_REGISTRIES = """
[[registry]]
prefix = "127.0.0.1"
location = "127.0.0.1"
insecure = true
"""
_IMAGE = """
FROM scratch
COPY busybox /bin/busybox
RUN ["/bin/busybox", "--install", "-s", "/bin"]
ENV PATH=/bin FROM_IMAGE=yes
ENTRYPOINT ["/bin/sh", "-c"]
CMD ["echo by default"]
"""


class Podman:
    def __init__(self) -> None:
        missing = [package for program, package in _NEEDED.items() if shutil.which(program) is None]
        if missing:
            lacking(f"no Podman: the package {' and '.join(missing)} is not installed")
        self.folder = Path(tempfile.mkdtemp(prefix="horae-podman-"))
        self.socket = str(self.folder / "api.sock")
        self._environment = {
            **os.environ,
            "CONTAINERS_CONF": str(self._write("containers.conf", _CONF)),
            "CONTAINERS_REGISTRIES_CONF": str(self._write("registries.conf", _REGISTRIES)),
        }
        self._service: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        context = self.folder / "image"
        context.mkdir()
        shutil.copy(shutil.which("busybox") or "", context / "busybox")
        (context / "Containerfile").write_text(_IMAGE)
        self.run("build", "--isolation=chroot", "-t", IMAGE, str(context))
        self._service = self.serve(self.socket)

    def serve(self, socket: str) -> subprocess.Popen[bytes]:
        """A service on that socket; there may be several."""
        log = self.folder / "service.log"
        with log.open("ab") as output:
            service = subprocess.Popen(
                self._command("system", "service", "--time=0", f"unix://{socket}"),
                env=self._environment,
                cwd=self.folder,
                stdout=subprocess.DEVNULL,
                stderr=output,
            )
        deadline = time.monotonic() + 30
        while not Path(socket).is_socket():
            with suppress(subprocess.TimeoutExpired):
                service.wait(0.02)
            if service.poll() is not None or time.monotonic() > deadline:
                lacking(f"Podman does not start: {log.read_text()[-500:]}")
        return service

    def stop(self) -> None:
        if self._service is not None:
            self.run("rm", "--all", "--force", "--time=0")
            self._service.terminate()
            self._service.wait(10)
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            self._command(*arguments),
            env=self._environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            lacking(f"`podman {arguments[0]}` fails on this machine: {done.stderr[-500:]}")
        return done.stdout

    def containers(self) -> list[dict[str, Any]]:
        """All there are, running or not."""
        found: list[dict[str, Any]] = json.loads(self.run("ps", "--all", "--format=json"))
        return found

    def _command(self, *arguments: str) -> list[str]:
        places = [f"--{name}={self.folder / name}" for name in ("root", "runroot", "tmpdir")]
        return ["podman", *places, "--storage-driver=vfs", *arguments]

    def _write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        return path
