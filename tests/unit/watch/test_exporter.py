"""The exporter, on a real socket."""

import asyncio

from horae.domain.cluster.meters import Meters
from horae.domain.cluster.readiness import Readiness
from horae.watch.exporter import _MOST, Exporter


async def test_connections_that_others_hold_open_do_not_fail_the_probes():
    """A script on the same machine could otherwise have the worker restarted."""
    exporter = Exporter(Meters, lambda: Readiness(()))
    port = await exporter.start("127.0.0.1", 0)
    held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2 * _MOST)]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /health/live HTTP/1.1\r\n\r\n")
    assert (await reader.readline()).startswith(b"HTTP/1.1 200")
    for _, each in [(reader, writer), *held]:
        each.close()
    await exporter.close()
