"""`horae up` itself: real children, real jobs."""

import json
import os
import signal
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.integration.up.running import Running, alive
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

Json = dict[str, Any]


class Api:
    """The API, as the command line finds it."""

    def __init__(self, up: Running) -> None:
        self.found = json.loads((up.data_dir / "client.json").read_text())
        headers = {"Authorization": f"Bearer {self.found['token']}"}
        self._client = httpx.Client(base_url=self.found["url"], headers=headers, trust_env=False, timeout=10)

    def get(self, path: str) -> Any:
        answer = self._client.get(path)
        answer.raise_for_status()
        return answer.json()

    def script(self, name: str, source: str, **fields: Any) -> Json:
        return self.job(name, {"kind": "script", "source": source}, **fields)

    def container(self, name: str, image: str, **fields: Any) -> Json:
        return self.job(name, {"kind": "container", "image": image}, **fields)

    def job(self, name: str, target: Json, **fields: Any) -> Json:
        job = {"name": name, "target": target, "schedule": {"manual": True}, **fields}
        answer = self._client.post("/api/v1/jobs", json=job)
        assert answer.status_code == 201, answer.text
        found: Json = answer.json()
        return found

    def trigger(self, job: Json) -> str:
        answer = self._client.post(f"/api/v1/jobs/{job['id']}/run", json={})
        assert answer.status_code == 202, answer.text
        return str(answer.json()["id"])

    def run(self, run_id: str) -> Json:
        found: Json = self.get(f"/api/v1/runs/{run_id}")
        return found

    def log(self, run_id: str) -> str:
        return "".join(line["text"] for line in self.get(f"/api/v1/runs/{run_id}/log")["items"])

    async def ended(self, run_id: str, timeout: float = 20) -> Json:
        ends = ("succeeded", "failed", "cancelled")
        await until(lambda: self.run(run_id)["status"] in ends, timeout=timeout)
        return self.run(run_id)


async def running_file(path: Path) -> int:
    """The pid that a script wrote into the file."""
    await until(lambda: path.exists() and path.read_text().strip())
    return int(path.read_text())


async def test_a_job_runs_and_everything_is_there_after_a_restart(start_up):
    up = start_up()
    await up.ready()
    api = Api(up)
    job = api.script("hello", "echo hello; grep SigBlk /proc/self/status")
    first = await api.ended(api.trigger(job))
    assert first["status"] == "succeeded"
    # The children of `up` ignore Ctrl-C; what they start has nothing blocked.
    assert api.log(first["id"]).split() == ["hello", "SigBlk:", "0000000000000000"]
    up.signal_group(signal.SIGINT)
    assert await up.ended() == 0
    assert list((up.data_dir / "wake").iterdir()) == []

    up = start_up()
    await up.ready()
    again = Api(up)
    assert again.found["token"] == api.found["token"]
    assert again.run(first["id"])["status"] == "succeeded"
    assert (await again.ended(again.trigger(job)))["status"] == "succeeded"


async def test_many_queues_and_stranded_runs_do_not_delay_others(start_up):
    up = start_up()
    await up.ready()
    api = Api(up)
    runs = [api.trigger(api.script(f"job-{n}", "true", queue=f"queue-{n}")) for n in range(100)]
    stuck = api.container("stuck", "nobody/offers:this", queue="queue-7")
    waiting = [api.trigger(stuck) for _ in range(20)]
    last = await api.ended(api.trigger(api.script("last", "true")))
    assert last["status"] == "succeeded"
    assert {(await api.ended(run))["status"] for run in runs} == {"succeeded"}
    assert {api.run(run)["status"] for run in waiting} == {"queued"}


async def test_the_children_have_titles_and_the_parent_has_one_thread(start_up):
    """With more threads, forking would not be safe."""
    up = start_up()
    await up.ready()
    parent = psutil.Process(up.pid)
    assert parent.num_threads() == 1
    assert sorted(" ".join(child.cmdline()) for child in parent.children()) == [
        "horae scheduler", "horae serve", "horae worker",
    ]  # fmt: skip
    secret = (up.data_dir / "secret.key").read_text().strip()
    for process in up.processes():
        assert secret not in "".join(process.environ().values())
        assert secret not in " ".join(process.cmdline())
    assert secret not in up.output


async def test_running_work_may_end_and_what_takes_longer_is_done_again(start_up, tmp_path):
    up = start_up(HORAE_DRAIN_TIMEOUT="2s")
    await up.ready()
    api = Api(up)
    short, long = tmp_path / "short", tmp_path / "long"
    # The long one ends at once the second time.
    first = api.trigger(api.script("short", f"echo $$ > {short}; while test -e {short}; do sleep 0.05; done"))
    again = f"test -e {long} && exit 0; echo $$ > {long}; exec sleep 600"
    second = api.trigger(api.script("long", again, retry={"max_attempts": 1}))
    await running_file(short)
    pid = await running_file(long)
    up.seen.add(pid)
    up.signal_group(signal.SIGINT)
    await until(lambda: "draining" in up.output)
    short.unlink()
    assert await up.ended() == 0
    assert "interrupting the remaining runs" in up.output

    up = start_up()
    await up.ready()
    api = Api(up)
    assert api.run(first)["status"] == "succeeded"
    assert (await api.ended(second))["status"] == "succeeded"


async def test_sigterm_to_the_whole_group_is_one_orderly_stop_as_well(start_up, tmp_path):
    """A service manager does that: the worker gets it twice, once from its parent."""
    up = start_up(HORAE_DRAIN_TIMEOUT="1h")
    await up.ready()
    api = Api(up)
    file = tmp_path / "pid"
    api.trigger(api.script("short", f"echo $$ > {file}; while test -e {file}; do sleep 0.05; done"))
    await running_file(file)
    up.signal_group(signal.SIGTERM)
    await until(lambda: "draining" in up.output and "Stopping" in up.output)
    file.unlink()
    assert await up.ended() == 0
    assert "interrupting" not in up.output


async def test_a_second_signal_interrupts_at_once(start_up, tmp_path):
    up = start_up(HORAE_DRAIN_TIMEOUT="1h")
    await up.ready()
    api = Api(up)
    api.trigger(api.script("long", f"echo $$ > {tmp_path / 'pid'}; exec sleep 600"))
    up.seen.add(await running_file(tmp_path / "pid"))
    up.signal_group(signal.SIGINT)
    await until(lambda: "draining" in up.output)
    up.signal_group(signal.SIGINT)
    assert await up.ended(timeout=5) == 0
    assert "interrupting the remaining runs" in up.output
    assert "killed" not in up.output


async def test_nothing_survives_a_killed_parent_and_the_work_goes_on_after_it(start_up, tmp_path):
    up = start_up()
    await up.ready()
    api = Api(up)
    again = f"test -e {tmp_path / 'pid'} && exit 0; echo $$ > {tmp_path / 'pid'}; exec sleep 600"
    run_id = api.trigger(api.script("long", again, retry={"max_attempts": 2, "delay": 0}))
    up.seen.add(await running_file(tmp_path / "pid"))
    up.processes()
    up.signal_parent(signal.SIGKILL)
    await until(lambda: not up.processes(), timeout=2)

    up = start_up()
    await up.ready()
    assert (await Api(up).ended(run_id))["status"] == "succeeded"


async def test_a_killed_worker_is_replaced_and_its_work_is_done_again(start_up, tmp_path):
    up = start_up()
    await up.ready()
    api = Api(up)
    again = f"test -e {tmp_path / 'pid'} && exit 0; echo $$ > {tmp_path / 'pid'}; exec sleep 600"
    run_id = api.trigger(api.script("long", again, retry={"max_attempts": 2, "delay": 0}))
    script = await running_file(tmp_path / "pid")
    (worker,) = [process for process in up.processes() if " ".join(process.cmdline()) == "horae worker"]
    os.kill(worker.pid, signal.SIGKILL)
    await until(lambda: not alive(script), timeout=2)
    assert (await api.ended(run_id))["attempt"] == 2
    assert f"worker (pid {worker.pid}) was killed by SIGKILL; restarting it" in up.output


def four_jobs(api: Api) -> bool:
    return len(api.get("/api/v1/jobs")["items"]) == 4


async def test_examples_are_made_once(start_up):
    for said in (4, 0):
        up = start_up("--demo")
        await up.ready()
        api = Api(up)
        await until(partial(four_jobs, api))
        assert up.output.count("created the example job") <= said
        up.signal_group(signal.SIGINT)
        assert await up.ended() == 0


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("HORAE_EXECUTORS", "http,telepathy", "telepathy"),
        ("HORAE_PORT", "eighty", "HORAE_PORT"),
        ("HORAE_LEASE", "5s", "HORAE_LEASE"),
        ("HORAE_DATABASE_URL", "postgresql://nobody:n0thing@127.0.0.1:1/none", "database"),
    ],
)
async def test_wrong_settings_are_one_clear_line(start_up, tmp_path, setting, value, said):
    up = start_up(**{setting: value})
    assert await up.ended() != 0
    assert said in up.output.splitlines()[-1]
    assert "Traceback" not in up.output
    assert "n0thing" not in up.output
