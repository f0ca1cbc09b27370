"""A real `serve` with clients that open connections and send nothing, or do not read their answers."""

import asyncio
from contextlib import AsyncExitStack

import httpx
import psutil
import pytest

from tests.integration.cluster.cluster import Cluster, Make, Member
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

FILES = 400
HALF_OPEN = 500


async def connect(serve: Member, said: bytes, stack: AsyncExitStack) -> asyncio.StreamReader:
    reader, writer = await asyncio.open_connection("127.0.0.1", serve.port)
    stack.callback(writer.close)
    writer.write(said)
    return reader


async def healthy(serve: Member) -> bool:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{serve.port}", timeout=30) as client:
        return (await client.get("/health")).status_code == 200


async def with_few_files(cluster: Cluster, **settings: str) -> Member:
    return await cluster.start_serve(before=["prlimit", f"--nofile={FILES}:{FILES}"], **settings)


async def test_half_open_connections_do_not_block_other_clients(make_cluster: Make) -> None:
    serve = await with_few_files(await make_cluster("sqlite"))
    async with AsyncExitStack() as stack:
        opened = [await connect(serve, b"G", stack) for _ in range(HALF_OPEN)]
        assert await healthy(serve)
        await until(lambda: sum(reader.at_eof() for reader in opened) >= HALF_OPEN - 100)
        (line,) = serve.logged("closed connections that sent no request")
        assert line["reason"] == "too many from one address"
        assert line["address"] == "127.0.0.1"


async def test_behind_a_proxy_all_files_may_be_used_and_the_oldest_make_room(make_cluster: Make) -> None:
    serve = await with_few_files(await make_cluster("sqlite"), HORAE_TRUSTED_PROXIES="127.0.0.1")
    async with AsyncExitStack() as stack:
        few = [await connect(serve, b"G", stack) for _ in range(120)]
        assert await healthy(serve)
        assert not any(reader.at_eof() for reader in few)
        for _ in range(HALF_OPEN):
            await connect(serve, b"G", stack)
        assert await healthy(serve)
        await until(lambda: any(reader.at_eof() for reader in few))
        (line,) = serve.logged("closed connections that sent no request")
        assert line["reason"] == "too many open files"


async def test_the_soft_limit_of_files_is_raised(make_cluster: Make) -> None:
    cluster = await make_cluster("sqlite")
    serve = await cluster.start_serve(before=["prlimit", "--nofile=256:4096"])
    assert psutil.Process(serve.pid).rlimit(psutil.RLIMIT_NOFILE)[0] == 4096
