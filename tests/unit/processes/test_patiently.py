"""Waiting for a database that is unreachable: what is logged, and when."""

import asyncio

import pytest
from structlog.testing import capture_logs

from horae.domain.errors import StoreUnavailable
from horae.processes.loop import patiently


async def test_a_process_that_is_stopped_meanwhile_does_not_say_that_it_is_back():
    stop = asyncio.Event()

    async def away() -> str:
        stop.set()
        raise StoreUnavailable("nobody listens there")

    with capture_logs() as logs:
        assert await patiently(away, stop) is None
    assert [entry["event"] for entry in logs] == ["waiting for the database"]


async def test_another_failure_does_not_log_that_the_database_is_back():
    tries = iter([StoreUnavailable("nobody listens there"), ValueError("something else")])

    async def away() -> None:
        raise next(tries)

    with capture_logs() as logs, pytest.raises(ValueError):
        await patiently(away, asyncio.Event())
    assert [entry["event"] for entry in logs] == ["waiting for the database"]


async def test_it_logs_once_that_the_database_is_back():
    tries = iter([StoreUnavailable("nobody listens there"), None])

    async def soon() -> str:
        if error := next(tries):
            raise error
        return "done"

    with capture_logs() as logs:
        assert await patiently(soon, asyncio.Event()) == "done"
    assert [entry["event"] for entry in logs] == ["waiting for the database", "the database is back"]
