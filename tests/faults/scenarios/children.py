"""What scripts do to their worker: exhaust memory, fork, hide, hold on to the pipe, flood. None of it outlives its
attempt, and the worker continues with the others."""

from contextlib import suppress

import psutil

from tests.faults.scenario import scenario
from tests.faults.stage import Stage
from tests.integration.cluster.cluster import PATIENCE, eventually
from tests.waiting import until

ONCE = {"max_attempts": 1}
AGAIN = {"max_attempts": 2, "delay": 0}


def bad(mark: str) -> dict[str, str]:
    """By name, scripts of the kind that no one means to write; `mark` is how their processes are known."""
    nap = f"sleep {mark}"
    return {
        "eats memory": """python3 -c 'b = []
while True: b.append(bytearray(10**7))'""",
        "forks": f"for i in $(seq 40); do {nap} & done; exit 0",
        "hides": f"setsid sh -c '{nap} & {nap}' >/dev/null 2>&1 </dev/null & exit 0",
        "holds the pipe": f"{nap} & echo gone; exit 0",
        "floods": f"head -c 30000000 /dev/zero | tr '\\0' x; ({nap} &)",
        "does not listen": f"trap '' TERM INT HUP; {nap}; {nap}",
    }


def marked(mark: str) -> list[int]:
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            if mark in " ".join(process.cmdline()) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
    return found


async def all_begun(stage: Stage) -> bool:
    return not await stage.cluster.count("runs WHERE attempt = 0")


@scenario(
    "bad-children",
    "scripts eat memory, fork, call setsid, hold the pipe open and flood; half of the time their worker is killed",
    fast=("sqlite",),
)
async def bad_children(stage: Stage) -> None:
    await stage.cluster.start_scheduler()
    worker = await stage.cluster.start_worker(HORAE_SCRIPT_MEMORY="200MiB")
    mark = f"100{stage.chance.randrange(10**6):06}.{stage.seed % 1000:03}"
    killed = stage.chance.random() < 0.5
    runs: list[str] = []
    for script in bad(mark).values():
        ids = await stage.ask_for(1, {"kind": "script", "source": script}, timeout=2, retry=AGAIN if killed else ONCE)
        runs += ids
        for run_id in ids:
            stage.checker.silent.add((await stage.cluster.look(run_id)).job_id)
    stage.checker.may_fail |= set(runs)
    good = await stage.ask_for(6, stage.noting(0.2, "script"))
    await until(lambda: marked(mark), timeout=PATIENCE, message="they are under way")
    await eventually(lambda: all_begun(stage), message="all have begun")
    if killed:
        await stage.pass_by(stage.chance.random())
        await worker.kill()
        await until(lambda: not marked(mark), timeout=PATIENCE, message="they end with their worker")
        worker = await stage.cluster.start_worker(HORAE_SCRIPT_MEMORY="200MiB")
    for run_id in good:
        assert (await stage.cluster.ended(run_id)).status == "succeeded"
    for run_id in runs:
        await stage.cluster.ended(run_id)
    await until(lambda: not marked(mark), timeout=PATIENCE, message="nothing outlives its attempt")
    await stage.every_slot([worker])
