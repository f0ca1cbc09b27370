"""Expensive reads take turns, and waiting is bounded."""

import asyncio

import pytest

from horae.api import turns
from horae.api.errors import TooManyRequests
from horae.api.turns import Turns


async def test_one_at_a_time_and_waiting_too_long_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(turns, "PATIENCE", 0.05)
    line = Turns()
    async with line.turn():
        with pytest.raises(TooManyRequests):
            async with line.turn():
                pytest.fail("two at once")
    async with line.turn():
        pass


async def test_the_next_one_goes_on_when_one_is_done_or_fails():
    line, order = Turns(), []

    async def read(name: str) -> None:
        async with line.turn():
            order.append(name)
            if name == "a":
                raise RuntimeError

    found = await asyncio.gather(*(read(name) for name in "abc"), return_exceptions=True)
    assert order == ["a", "b", "c"]
    assert [type(one) for one in found] == [RuntimeError, type(None), type(None)]


async def test_a_long_line_is_refused_at_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(turns, "WAITING", 0)
    with pytest.raises(TooManyRequests):
        async with Turns().turn():
            pytest.fail("nobody may wait")
