"""A worker without privileges, for a Python without packages: starts commands, and prints how they ended."""

import json
import os
import select
import sys

sys.path.append(sys.argv[1])

from horae.executors.supervisor.client import SupervisorClient


def end_of(client: SupervisorClient, source: str) -> str:
    null = os.open(os.devnull, os.O_RDWR)
    request = {
        "argv": [sys.executable, "-c", source],
        "env": {},
        "cwd": "/",
        "limits": {"processes": 20},
        "sandboxed": False,
        "lease": float("inf"),
    }
    channel = client.start(request, (null, null, null))
    while True:
        select.select([channel], [], [])
        try:
            news = json.loads(channel.recv(4096))
        except ConnectionError:
            continue
        if "status" in news:
            return f"{news['status']} {news['why']}"


client = SupervisorClient()
bounded = "import resource, sys; sys.exit(resource.getrlimit(resource.RLIMIT_NPROC)[0] < 1_000_000)"
print(end_of(client, bounded))
bomb = "import os, time\nfor _ in range(9):\n    os.fork() or os.setsid()\ntime.sleep(60)"
print(end_of(client, bomb))
