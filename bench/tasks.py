"""What the measured workers run (`horae worker --import bench.tasks`)."""

from __future__ import annotations

import os
import socket
import time

import horae

STAMPS = "BENCH_STAMPS"  # the variable that names the socket to which `stamp` reports when it began
_stamps = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)


@horae.task
async def nothing() -> None:
    """Nothing at all: what a run costs is then what Horae costs."""


@horae.task
def in_process() -> None:
    """The same in a process of the pool."""


@horae.task(isolation="thread")
def in_thread() -> None:
    """The same in a thread."""


@horae.task
async def stamp(context: horae.Context) -> None:
    """Reports when it began, by the clock that all processes of a machine share."""
    began = time.monotonic_ns()
    _stamps.sendto(f"{context.run_id} {began}".encode(), os.environ[STAMPS])
