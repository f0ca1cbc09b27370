"""Responses of a server that has not reached its database yet."""

import httpx
import pytest
from fastapi import FastAPI

from horae.api.startup import StartupApp
from horae.clock import SystemClock, SystemIds


@pytest.mark.parametrize(
    ("path", "code", "status"),
    [("/health/live", 200, "healthy"), ("/health", 503, "starting"), ("/health/ready", 503, 503), ("/jobs", 503, 503)],
)
async def test_before_it_is_open(path: str, code: int, status: object):
    door = StartupApp(SystemIds(), SystemClock())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(door), base_url="http://door") as web:
        answer = await web.get(path)
        assert (answer.status_code, answer.json()["status"]) == (code, status)
        app = FastAPI()
        app.get(path)(lambda: {"status": "open"})
        door.open(app)
        assert (await web.get(path)).json() == {"status": "open"}
