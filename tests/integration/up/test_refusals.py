"""When `horae up` cannot start: one clear line, and nothing has begun."""

import json
import socket

import pytest

pytestmark = pytest.mark.slow


async def test_a_port_in_use_is_one_clear_line_before_anything_starts(start):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        up = start(HORAE_PORT=str(port))
        assert await up.ended() != 0
    assert up.output == (
        f"horae: port {port} on 127.0.0.1 is in use: stop what uses it, or choose another with HORAE_PORT={port + 1}\n"
    )
    assert up.notes() == []


async def test_an_address_that_is_not_of_this_machine(start):
    up = start(HORAE_HOST="192.0.2.1")
    assert await up.ended() != 0
    assert up.output.startswith("horae: cannot listen on 192.0.2.1 (")
    assert up.output.count("\n") == 1


async def test_a_second_one_on_the_same_data_directory_is_refused(start):
    up = start()
    await up.ready()
    second = start()
    assert await second.ended() != 0
    assert second.output.startswith(f"horae: horae up is already running on {up.data_dir} (pid {up.pid}): ")
    assert second.output.count("\n") == 1
    assert up.code is None


async def test_all_addresses_means_the_local_one_for_the_client(start):
    up = start(HORAE_HOST="0.0.0.0")
    await up.ready()
    assert json.loads((up.data_dir / "client.json").read_text())["url"] == f"http://127.0.0.1:{up.port}"
