"""How many calls a worker has open files for: its limits are its own, so each test is its own process."""

import asyncio
import subprocess
import sys

import pytest

PROBE = """
import resource, sys
from horae.executors.http_files import allow_sockets
soft, hard, slots = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
room = allow_sockets(slots)
print(room, *resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(
    ("soft", "hard", "slots", "room", "then"),
    [
        (1_024, 4_096, 16, 16, 1_024),  # enough as it is: no one else's programs see another limit
        (1_024, 4_096, 1_000, 1_000, 2_256),
        (1_024, 1_500, 1_000, 1_000, 1_500),
        (300, 1_024, 1_000, 768, 1_024),
    ],
)
async def test_room(soft: int, hard: int, slots: int, room: int, then: int) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROBE, str(soft), str(hard), str(slots)), stdout=subprocess.PIPE
    )
    told, _ = await process.communicate()
    assert told.split() == [str(room).encode(), str(then).encode(), str(hard).encode()]
