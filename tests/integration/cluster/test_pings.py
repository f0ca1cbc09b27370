"""Pings with real processes: `serve` receives signals, a scheduler notices missing ones, and another takes over."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
import pytest

from tests.integration.cluster.cluster import KINDS, PATIENCE, Cluster, Make, eventually

pytestmark = pytest.mark.slow


@asynccontextmanager
async def calling(cluster: Cluster) -> AsyncIterator[httpx.AsyncClient]:
    found = await cluster.with_api()
    headers = {"authorization": f"Bearer {found['HORAE_TOKEN']}"}
    async with httpx.AsyncClient(base_url=f"{found['HORAE_URL']}/api/v1/", headers=headers, timeout=30) as api:
        yield api


async def rules(api: httpx.AsyncClient, state: str = "open") -> list[str]:
    """Of pings alone: a cluster without workers has other alerts."""
    found = (await api.get("alerts", params={"state": state})).json()["items"]
    return sorted(alert["rule"] for alert in found if alert["rule"].startswith("ping_"))


async def becomes(api: httpx.AsyncClient, wanted: list[str]) -> None:
    async def so() -> bool:
        return await rules(api) == wanted

    await eventually(so, message=f"the alerts {wanted} are open")


@pytest.mark.parametrize("kind", KINDS[1:2])  # the rules on all: contract/test_ping_alerts.py
async def test_late_failed_and_too_slow_through_a_failover(kind: str, make_cluster: Make):
    cluster = await make_cluster(kind, HORAE_SHARD_LEASE="2s")
    first, second = await asyncio.gather(cluster.start_scheduler(), cluster.start_scheduler())
    async with calling(cluster) as api:
        body = {"name": "often", "schedule": {"every": "1s"}, "grace": "1s"}
        often: dict[str, Any] = (await api.post("pings", json=body)).json()
        slow: dict[str, Any] = (await api.post("pings", json={"name": "slow", "timeout": "1s"})).json()
        async with httpx.AsyncClient(timeout=30) as job:
            assert (await job.head(often["url"])).status_code == 200
            await becomes(api, ["ping_late"])
            await first.kill()
            await job.post(f"{slow['url']}/start")
            await becomes(api, ["ping_late", "ping_overrun"])  # which the other one notices
            assert (await job.post(f"{often['url']}/2", content=b"no space left")).status_code == 200
            await becomes(api, ["ping_failed", "ping_overrun"])
            await second.stop()  # so that this signal is not late again at once
            await asyncio.gather(job.get(slow["url"]), job.get(often["url"]))
            await becomes(api, [])
        assert await rules(api, "cleared") == ["ping_failed", "ping_late", "ping_overrun"]
        events = (await api.get("pings/often/events")).json()["items"]
        assert [event["kind"] for event in events] == ["success", "fail", "late", "success"]
        assert (await api.get("pings/often/events/3")).json()["body"] == "no space left"
    secrets = [ping["url"].rpartition("/")[2] for ping in (often, slow)]
    assert not [token for token in secrets for member in cluster.members if token in member.output]


@pytest.mark.parametrize("kind", KINDS[2:])
async def test_a_huge_body_over_a_real_connection(kind: str, make_cluster: Make):
    cluster = await make_cluster(kind)
    async with calling(cluster) as api:
        ping = (await api.post("pings", json={"name": "loud"})).json()
        url = httpx.URL(ping["url"])
        reader, writer = await asyncio.open_connection(url.host, url.port)
        writer.write(f"POST {url.path} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000000\r\n\r\n".encode())
        writer.write(b"x" * ((16 << 20) + 1))
        await writer.drain()
        answer = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
        assert answer.startswith(b"HTTP/1.1 200")
        assert b"connection: close" in answer.lower()
        with suppress(ConnectionResetError):
            await asyncio.wait_for(reader.read(), PATIENCE)  # until it is closed
        writer.close()
        (event,) = (await api.get("pings/loud/events")).json()["items"]
        assert event["body_bytes"] > 16 << 20
        assert (await api.get("pings/loud")).json()["state"] == "up"
