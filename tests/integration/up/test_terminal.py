"""The output of `horae up`: a slow or absent reader does not block its processes (back-pressure ends at the parent)."""

import os
import pty
import signal
import termios

import pytest

from tests.integration.up.running import Running, stand_ins
from tests.waiting import until

pytestmark = pytest.mark.slow


async def test_a_reader_that_does_not_read_blocks_no_process(tmp_path):
    """The child gets rid of its lines, and the tree stops in order."""
    reading, writing = os.pipe()
    up = Running(stand_ins(worker="flood"), tmp_path / "data", stdout=writing)
    os.close(writing)
    try:
        await until(lambda: up.noted("flooded"))
        up.signal_group(signal.SIGINT)
        await until(lambda: up.noted("end", "serve"))
    finally:
        with os.fdopen(reading, "rb") as stream:
            stream.read()
        assert await up.ended() == 0
        up.kill()


async def test_a_closed_reader_blocks_no_process(tmp_path):
    reading, writing = os.pipe()
    up = Running(stand_ins(worker="flood"), tmp_path / "data", stdout=writing)
    os.close(writing)
    os.close(reading)
    try:
        await until(lambda: up.noted("flooded"))
        up.signal_group(signal.SIGINT)
        assert await up.ended() == 0
    finally:
        up.kill()


async def test_a_paused_terminal_blocks_no_process(tmp_path):
    """Ctrl-S."""
    master, terminal = pty.openpty()
    termios.tcflow(terminal, termios.TCOOFF)
    up = Running(stand_ins(worker="flood"), tmp_path / "data", stdout=terminal)
    try:
        await until(lambda: up.noted("flooded"))
        up.signal_group(signal.SIGINT)
        assert await up.ended() == 0
    finally:
        up.kill()
        os.close(master)
        os.close(terminal)


async def test_all_lines_come_whole_and_in_order(start):
    up = start(stand_ins(worker="flood"))
    await up.ready()
    await until(lambda: up.noted("flooded"))
    up.signal_group(signal.SIGINT)
    assert await up.ended() == 0
    lines = [line for line in up.output.splitlines() if line.startswith("worker    | line ")]
    assert lines == [f"worker    | line {n} {'x' * 60}" for n in range(60_000)]
    assert up.output.count("y") >= 200_000
