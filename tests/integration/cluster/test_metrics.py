"""Metrics and probes of schedulers and workers, on a separate port."""

from __future__ import annotations

import asyncio
import shutil
import socket
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from horae.domain.cluster.metrics import FAMILIES
from tests.faults.proxy import Proxy
from tests.faults.scenarios.clocks import Clocks
from tests.integration.cluster.cluster import KINDS, PATIENCE, TASKS, Cluster, Make, eventually, free_port
from tests.integration.cluster.oracle import Oracle
from tests.waiting import until

pytestmark = pytest.mark.slow

Numbers = dict[tuple[str, tuple[str, ...]], float]


class Notified:
    """The socket on which systemd would listen."""

    def __init__(self, path: Path) -> None:
        self.lines: list[str] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.setblocking(False)
        self.environment = {"NOTIFY_SOCKET": str(path)}

    def __enter__(self) -> Notified:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def heard(self) -> list[str]:
        """All lines so far."""
        with suppress(BlockingIOError):
            while True:
                self.lines.extend(self._socket.recv(4_096).decode().splitlines())
        return self.lines

    def count(self, line: str) -> int:
        return self.heard().count(line)


def address(port: int, path: str = "/metrics") -> str:
    return f"http://127.0.0.1:{port}{path}"


async def numbers(web: httpx.AsyncClient, url: str, **headers: str) -> Numbers:
    answer = await web.get(url, headers=headers)
    assert answer.status_code == 200, answer.text
    return {
        (sample.name, tuple(sample.labels[label] for label in sorted(sample.labels))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


@pytest.mark.parametrize("kind", KINDS[::2])
async def test_they_count_what_the_database_knows(kind: str, make_cluster: Make) -> None:
    cluster = await make_cluster(kind)
    at_worker, at_scheduler = free_port(), free_port()
    serve, scheduler, worker = await asyncio.gather(
        cluster.start_serve(HORAE_METRICS_TOKEN="letmesee"),
        cluster.start_scheduler(HORAE_METRICS_PORT=str(at_scheduler)),
        cluster.start_worker(HORAE_METRICS_PORT=str(at_worker)),
    )
    nothing = {"kind": "python", "function": "nothing"}
    await cluster.create("fine", nothing)
    await cluster.create("broken", {"kind": "script", "source": "exit 3"}, retry={"max_attempts": 2, "delay": 0})
    await cluster.create("steady", nothing, schedule={"every": "1s"}, overlap="allow")
    runs = [*await cluster.run("fine", 20), *await cluster.run("broken", 3)]
    for run_id in runs:
        await cluster.ended(run_id)

    async def fired() -> int:
        return await cluster.count("run_history WHERE scheduled_for IS NOT NULL AND status = 'succeeded'")

    await eventually(fired)
    assert await scheduler.stop() == 0  # from here on nothing fires
    await eventually(_none_live, cluster)

    async def idle() -> bool:  # as the database learns with the next heartbeat
        return bool((await cluster.worker_row(worker))["status"] == "idle")

    await eventually(idle)
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE) as web:
        mine = await numbers(web, address(at_worker))
        await numbers(web, address(serve.port), authorization="Bearer letmesee")
        whole = await numbers(web, address(serve.port), authorization="Bearer letmesee")
    steady = await fired()
    history = {row["status"]: row["n"] for row in await cluster.ask(_BY_STATUS)}
    skipped = history.pop("skipped", 0)  # by a scheduler that was late
    assert history == {"succeeded": 20 + steady, "failed": 3}
    assert sum(value for (name, _), value in whole.items() if name == "horae_occurrences_skipped_total") >= skipped
    for status, count in history.items():
        kinds = ("python", "script")
        assert sum(mine.get(("horae_runs_ended_total", (kind, status)), 0) for kind in kinds) == count
        assert whole["horae_runs_total", (status,)] == count
    assert mine["horae_runs_ended_total", ("script", "failed")] == 3
    attempts = 20 + steady + 6
    assert mine["horae_runs_started_total", ()] == attempts
    assert mine["horae_lateness_seconds_count", ()] == attempts
    assert mine["horae_claimed_runs_total", ()] == attempts
    assert mine["horae_attempt_seconds_count", ("python", "succeeded")] == 20 + steady
    assert mine["horae_attempt_seconds_count", ("script", "failed")] == 6
    assert mine["horae_attempts_retried_total", ("failed",)] == whole["horae_retries_total", ()] == 3
    assert whole["horae_dead_letters_open", ()] == 3
    assert whole["horae_workers", ("idle",)] == 1
    assert whole["horae_slots", ()] == mine["horae_worker_slots", ()] == 16
    assert mine["horae_statement_seconds_count", ()] > 0
    assert whole["horae_requests_total", ("GET", "/metrics", "200")] == 1  # the one before
    assert await worker.stop() == 0


_BY_STATUS = "SELECT status, COUNT(*) AS n FROM run_history GROUP BY status"


async def _none_live(cluster: Cluster) -> bool:
    return await cluster.count("runs") == 0


@pytest.mark.sqlite
async def test_every_family_that_is_shown_is_declared(make_cluster: Make) -> None:
    cluster = await make_cluster("sqlite")
    ports = {"worker": free_port(), "scheduler": free_port()}
    serve, *_ = await asyncio.gather(
        cluster.start_serve(HORAE_METRICS_TOKEN="letmesee"),
        cluster.start_scheduler(HORAE_METRICS_PORT=str(ports["scheduler"])),
        cluster.start_worker(HORAE_METRICS_PORT=str(ports["worker"])),
    )
    await cluster.ended(await cluster.start_run("fine", {"kind": "python", "function": "nothing"}))
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE) as web:
        for role, port in {**ports, "serve": serve.port}.items():
            headers = {"authorization": "Bearer letmesee", "accept": "application/openmetrics-text; version=1.0.0"}
            answer = await web.get(address(port), headers=headers)
            assert answer.headers["content-type"].startswith("application/openmetrics-text")
            shown = {line.split()[2] for line in answer.text.splitlines() if line.startswith("# TYPE ")}
            declared = {family.name.removesuffix("_total") for family in FAMILIES if role in family.roles}
            assert shown <= declared, f"{role} shows what is not declared"
            if role != "serve":
                assert answer.text.endswith("# EOF\n")


@pytest.mark.postgresql
async def test_probes_tell_the_truth_while_the_database_is_away(make_cluster: Make) -> None:
    cluster = await make_cluster("postgresql", HORAE_LEASE="4s", HORAE_HEARTBEAT="1s")
    async with Proxy.before(cluster.url) as proxy, httpx.AsyncClient(trust_env=False, timeout=PATIENCE) as web:
        proxy.refuse()
        ports, serves = (free_port(), free_port()), free_port()
        token = {"HORAE_METRICS_TOKEN": "letmesee"}
        members = [
            cluster.start("scheduler", HORAE_DATABASE_URL=proxy.url, HORAE_METRICS_PORT=str(ports[0]), **token),
            cluster.start(
                *("worker", "--import", TASKS),
                **{"HORAE_DATABASE_URL": proxy.url, "HORAE_METRICS_PORT": str(ports[1]), **token},
            ),
            cluster.start("serve", HORAE_DATABASE_URL=proxy.url, HORAE_PORT=str(serves), **token),
        ]

        async def all_answer(status: int, live: int = 200) -> bool:
            try:
                found = [(await web.get(address(port, "/health/ready"))).status_code for port in ports]
                alive = [(await web.get(address(port, "/health/live"))).status_code for port in ports]
            except httpx.TransportError:
                return False
            return set(found) == {status} and set(alive) == {live}

        async def figures(port: int) -> Numbers:
            return await numbers(web, address(port), authorization="Bearer letmesee")

        async def serve_is(ready: int) -> bool:
            try:
                return (await figures(serves)).get(("horae_ready", ())) == ready
            except (httpx.TransportError, AssertionError):
                return False

        await eventually(all_answer, 503)
        assert [(await figures(port))["horae_ready", ()] for port in ports] == [0, 0]
        said = (await web.get(address(ports[1], "/health/ready"))).json()
        assert said == {"status": "not ready", "service": "horae", "reasons": ["it waits for the database"]}
        proxy.accept()
        await eventually(all_answer, 200)
        await eventually(serve_is, 1)
        assert [(await figures(port))["horae_ready", ()] for port in ports] == [1, 1]
        assert ("horae_shards", ("owned",)) in await figures(serves)
        proxy.refuse()
        await eventually(all_answer, 503)
        await eventually(serve_is, 0)
        alone = await figures(serves)
        assert ("horae_shards", ("owned",)) not in alone, "nothing is known of the installation"
        assert alone["horae_loop_troubled", ("database",)] == 1
        proxy.accept()
        await eventually(all_answer, 200)
        await eventually(serve_is, 1)
        assert [await member.stop() for member in members] == [0, 0, 0]


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
@pytest.mark.parametrize("kind", [KINDS[0], KINDS[2]])
async def test_probes_and_the_watchdog_survive_a_wall_clock_that_jumps(
    kind: str, make_cluster: Make, tmp_path: Path
) -> None:
    """On SQLite the clock of the processes is the database's too; PostgreSQL's does not jump along."""
    cluster, skew = await make_cluster(kind), tmp_path / "skew"
    skew.write_text("0")
    jumping = Clocks(tmp_path).off_as_said_in(skew)
    ports = (free_port(), free_port())
    with ExitStack() as stack:
        heard = [stack.enter_context(Notified(tmp_path / f"notify-{port}")) for port in ports]
        environments = [
            {**jumping, **one.environment, "HORAE_METRICS_PORT": str(port), "WATCHDOG_USEC": "400000"}
            for port, one in zip(ports, heard, strict=True)
        ]
        members = await asyncio.gather(
            cluster.start_scheduler(**environments[0]), cluster.start_worker(**environments[1])
        )
        await cluster.create("fine", {"kind": "python", "function": "nothing"})
        async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE) as web:
            probes = [address(port, path) for port in ports for path in ("/health/live", "/health/ready")]

            async def answers() -> list[int]:
                return [(await web.get(probe)).status_code for probe in probes]

            async def all_well() -> bool:
                return await answers() == [200] * 4

            await eventually(all_well)
            for one in heard:
                await until(lambda one=one: one.count("STATUS=ready"), timeout=PATIENCE)  # type: ignore[misc]
                one.lines.clear()
            for seconds in (3_600, 0, -3_600, 0):
                skew.write_text(str(seconds))
                fed = [one.count("WATCHDOG=1") for one in heard]
                while any(one.count("WATCHDOG=1") < before + 3 for one, before in zip(heard, fed, strict=True)):
                    assert await answers() == [200] * 4, f"{seconds} s off"
                if kind == "postgresql" or seconds >= 0:  # or this run, by our own clock, is due in an hour
                    for run_id in await cluster.run("fine", 1):
                        await cluster.ended(run_id)
        assert [set(one.heard()) for one in heard] == [{"WATCHDOG=1"}] * 2, "no other news"
        assert [await member.stop() for member in members] == [0, 0]


@pytest.mark.sqlite
async def test_a_worker_that_drains_is_not_ready_and_lives(make_cluster: Make, oracle: Oracle, tmp_path: Path) -> None:
    cluster, port = await make_cluster("sqlite"), free_port()
    worker = await cluster.start_worker(HORAE_METRICS_PORT=str(port), HORAE_METRICS_TOKEN="letmesee")
    gate = tmp_path / "gate"
    arguments = {"path": str(oracle.path), "gate": str(gate)}
    run_id = await cluster.start_run("held", {"kind": "python", "function": "gated", "arguments": arguments})
    await cluster.running(run_id)
    worker.signal(15)
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE) as web:

        async def reasons() -> list[str]:
            found: list[str] = (await web.get(address(port, "/health/ready"))).json()["reasons"]
            return found

        assert await eventually(reasons) == ["it is draining"]
        assert (await web.get(address(port, "/health/live"))).status_code == 200
        assert (await web.get(address(port))).status_code == 401
        assert (await web.get(address(port), headers={"authorization": "Bearer other"})).status_code == 401
        assert (await numbers(web, address(port), authorization="Bearer letmesee"))["horae_worker_draining", ()] == 1
        assert (await web.get(address(port, "/jobs"))).status_code == 404
        assert (await web.post(address(port))).status_code == 405
    gate.touch()
    assert await worker.ended() == 0


@pytest.mark.sqlite
async def test_a_port_that_is_taken_is_named(make_cluster: Make) -> None:
    cluster = await make_cluster("sqlite")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        worker = cluster.start("worker", HORAE_METRICS_PORT=str(port))
        assert await worker.ended() == 2
    assert f"port {port} for metrics" in worker.output
    assert "HORAE_METRICS_PORT" in worker.output


@pytest.mark.sqlite
@pytest.mark.parametrize("role", ["serve", "scheduler", "worker", "up"])
async def test_systemd_is_notified(role: str, make_cluster: Make, tmp_path: Path) -> None:
    cluster = await make_cluster("sqlite", HORAE_PORT=str(free_port()))
    with Notified(tmp_path / "notify") as systemd:
        process = cluster.start(role, **systemd.environment, WATCHDOG_USEC="2000000")
        for words in ("READY=1", "STATUS=ready", "WATCHDOG=1"):
            await until(lambda w=words: systemd.count(w), timeout=PATIENCE, message=words)  # type: ignore[misc]
        heard = systemd.heard()
        assert heard.index("READY=1") == heard.index("STATUS=ready") - 1
        assert systemd.count("READY=1") == 1
        assert await process.stop() == 0
        assert systemd.count("STOPPING=1")


@pytest.mark.sqlite
async def test_up_gives_its_worker_the_next_port(make_cluster: Make) -> None:
    port = free_port()
    cluster = await make_cluster("sqlite", HORAE_PORT=str(free_port()), HORAE_METRICS_PORT=str(port))
    cluster.start("up")
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE) as web:

        async def roles() -> set[str]:
            try:
                found = [await numbers(web, address(at)) for at in (port, port + 1)]
            except httpx.TransportError:
                return set()
            return {labels[0] for one in found for name, labels in one if name == "horae_build_info"}

        async def both() -> bool:
            return await roles() == {"scheduler", "worker"}

        await eventually(both)


@pytest.mark.sqlite
async def test_a_worker_whose_claims_fail_is_not_ready_until_they_work_again(make_cluster: Make) -> None:
    cluster, port = await make_cluster("sqlite", HORAE_WORKER_POLL="200ms", HORAE_WORKER_POLL_MAX="200ms"), free_port()
    worker = await cluster.start_worker(HORAE_METRICS_PORT=str(port))
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE) as web:

        async def reasons(expected: list[str]) -> bool:
            return bool((await web.get(address(port, "/health/ready"))).json()["reasons"] == expected)

        await eventually(reasons, [])
        await cluster.tell("ALTER TABLE queues RENAME TO elsewhere")
        await eventually(reasons, ["it keeps failing to claim runs"])
        assert (await numbers(web, address(port)))["horae_loop_troubled", ("claim",)] == 1
        assert (await web.get(address(port, "/health/live"))).status_code == 200
        await cluster.tell("ALTER TABLE elsewhere RENAME TO queues")
        await eventually(reasons, [])
        assert (await numbers(web, address(port)))["horae_loop_failures_total", ("claim",)] >= 3
    assert await worker.stop() == 0
    cluster.members.remove(worker)  # it has printed a traceback, as it should
