"""A real Prometheus over a running cluster: it reads every process, and answers all queries of the dashboard."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from horae.watch.alert_rules import prometheus_rules
from horae.watch.dashboard import grafana_dashboard
from tests.integration.cluster.cluster import PATIENCE, Make, eventually, free_port
from tests.lacking import lacking

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

TOKEN = "letmesee"


@contextmanager
def prometheus(folder: Path, targets: list[str]) -> Iterator[str]:
    """Its address. It reads the targets every second."""
    program = shutil.which("prometheus") or lacking("no prometheus: install Debian's prometheus")
    (folder / "rules.yml").write_text(yaml.safe_dump(prometheus_rules()))
    scrape = {
        "job_name": "horae",
        "scrape_interval": "1s",
        "scrape_timeout": "1s",
        "authorization": {"credentials": TOKEN},
        "static_configs": [{"targets": targets}],
    }
    settings = {"global": {"evaluation_interval": "1s"}, "rule_files": ["rules.yml"], "scrape_configs": [scrape]}
    (folder / "prometheus.yml").write_text(yaml.safe_dump(settings))
    port = free_port()
    command = [
        program,
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    with (folder / "prometheus.log").open("wb") as log:
        running = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        running.terminate()
        running.wait()


async def test_it_reads_every_process_and_answers_the_dashboard(make_cluster: Make, tmp_path: Path) -> None:
    cluster = await make_cluster("sqlite", HORAE_METRICS_TOKEN=TOKEN)
    ports = free_port(), free_port()
    serve, *_ = await asyncio.gather(
        cluster.start_serve(),
        cluster.start_scheduler(HORAE_METRICS_PORT=str(ports[0])),
        cluster.start_worker(HORAE_METRICS_PORT=str(ports[1])),
    )
    await cluster.create("steady", {"kind": "python", "function": "nothing"}, schedule={"every": "1s"})
    targets = [f"127.0.0.1:{port}" for port in (serve.port, *ports)]
    with prometheus(tmp_path, targets) as url:
        async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=PATIENCE) as web:

            async def result(query: str) -> list[Any]:
                answer = await web.get("/api/v1/query", params={"query": query})
                assert answer.status_code == 200, f"{query}: {answer.text}"
                found: list[Any] = answer.json()["data"]["result"]
                return found

            async def ready() -> bool:
                try:  # it listens before it can answer, and says 503 until then
                    return (await web.get("/-/ready")).is_success
                except httpx.TransportError:
                    return False

            async def all_up() -> bool:
                return len(await result("up == 1")) == len(targets)

            async def seen(query: str) -> list[Any]:
                return await result(query.replace("$__rate_interval", "30s"))

            await eventually(ready)
            await eventually(all_up)
            rules = (await web.get("/api/v1/rules")).json()["data"]["groups"][0]["rules"]
            assert {rule["health"] for rule in rules} <= {"ok", "unknown"}
            panels = [panel for panel in grafana_dashboard()["panels"] if "targets" in panel]
            for panel in panels:
                for target in panel["targets"]:
                    await seen(target["expr"])  # everything there is by now can be parsed
            by_title = {panel["title"]: panel["targets"][0]["expr"] for panel in panels}
            for title in ("Runs ended", "Workers", "Slots busy", "Lateness", "Fire lag", "Statements", "Requests"):
                await eventually(seen, by_title[title], message=title)
