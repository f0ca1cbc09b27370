"""What to run in a container, and the request to the container service."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from horae.executors.failure import Refused

# Capabilities that the services grant by default and hardly any job needs.
_DROPPED = ("AUDIT_WRITE", "MKNOD", "NET_RAW", "SETFCAP", "SETPCAP", "SYS_CHROOT")

PRIVATE = "/.horae"  # a folder in the container, for the result and for files of ours
RESULT = f"{PRIVATE}/result"
INPUT = f"{PRIVATE}/input"


@dataclass(frozen=True, slots=True)
class Bind:
    """A folder or file of the machine, seen in the container; its creator has checked that it is allowed."""

    source: str
    target: str
    read_only: bool = True


@dataclass(frozen=True, slots=True)
class Bounds:
    """Resource limits of the container; None: the service's default."""

    memory: int | None = None  # bytes
    cpus: float | None = None
    processes: int | None = None
    cpu_seconds: float | None = None  # of each process
    files: int | None = None  # open at a time, in each process


@dataclass(frozen=True, slots=True)
class ContainerWork:
    """`env` values are templates; `files` are put into the container's folder PRIVATE."""

    image: str
    command: Sequence[str] = ()  # empty: the image's own
    entrypoint: Sequence[str] | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None
    user: str | None = None
    mounts: Sequence[Bind] = ()
    bounds: Bounds = Bounds()
    network: bool = True
    pull: Literal["missing", "always", "never"] = "missing"
    files: Mapping[str, bytes] = field(default_factory=dict)


def check_mounts(work: ContainerWork) -> None:
    """Again, when the container is created: the paths were real when they were allowed, but a container that can write
    next to them may have put a link in their place since."""
    for bind in work.mounts:
        if os.path.realpath(bind.source) != bind.source:
            raise Refused(f"{bind.source}, to be mounted, has been replaced by a link")


def creation(
    work: ContainerWork,
    env: Mapping[str, str],
    labels: Mapping[str, str],
    *,
    stdin: bool = False,
    network: str | None = None,
) -> dict[str, Any]:
    """The body of a call that creates a container; without `stdin`, it reads no input. `network` is the one for
    containers that may use a network, by default the service's own."""
    body: dict[str, Any] = {
        "Image": work.image,
        "Env": pairs(env),
        "Labels": dict(labels),
        "OpenStdin": stdin,
        "StdinOnce": stdin,
        "AttachStdin": stdin,
        "AttachStdout": True,
        "AttachStderr": True,
        "StopTimeout": 0,  # removing one that still runs kills it at once
        "HostConfig": _host(work, network),
    }
    optional = {"Cmd": list(work.command), "Entrypoint": work.entrypoint, "WorkingDir": work.cwd, "User": work.user}
    return body | {name: value for name, value in optional.items() if value}


def pairs(env: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in env.items()]


def _host(work: ContainerWork, network: str | None) -> dict[str, Any]:
    bounds = work.bounds
    host: dict[str, Any] = {
        "SecurityOpt": ["no-new-privileges"],
        "CapDrop": list(_DROPPED),
        "LogConfig": {"Type": "none"},  # the output goes to the run's log, not to a file that grows
        "Mounts": [
            {"Type": "bind", "Source": bind.source, "Target": bind.target, "ReadOnly": bind.read_only}
            for bind in work.mounts
        ],
    }
    if network is not None or not work.network:
        host["NetworkMode"] = network if network is not None and work.network else "none"
    if bounds.memory is not None:
        host |= {"Memory": bounds.memory, "MemorySwap": bounds.memory}  # both together: no swap beyond
    if bounds.cpus is not None:
        host["NanoCpus"] = round(bounds.cpus * 1e9)
    if bounds.processes is not None:
        host["PidsLimit"] = bounds.processes
    if ulimits := _ulimits(bounds):
        host["Ulimits"] = ulimits
    return host


def _ulimits(bounds: Bounds) -> list[dict[str, Any]]:
    wanted = {"nofile": bounds.files, "cpu": None if bounds.cpu_seconds is None else max(1, round(bounds.cpu_seconds))}
    return [{"Name": name, "Soft": value, "Hard": value} for name, value in wanted.items() if value is not None]
