"""A second factor and many processes: together they allow what one would; one of the version before lets no one in by
half of what it takes."""

import asyncio
from collections import Counter
from typing import Any

import httpx
import pytest

from horae.clock import SystemClock
from horae.domain.people import totp
from horae.domain.people.second_factor import CODES
from tests.first_version import unpack_first_version
from tests.integration.cluster.cluster import Make, Member
from tests.integration.cluster.test_brute_force import PASSWORD, add_user, four, log_in

pytestmark = pytest.mark.slow


async def post(client: httpx.AsyncClient, at: Member, path: str, body: Any, token: str = "") -> httpx.Response:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return await client.post(f"http://127.0.0.1:{at.port}/api/v1/auth/{path}", json=body, headers=headers)


def code(secret: str, ahead: int = 0) -> str:
    return totp.code_at(totp.read(secret), totp.step_at(SystemClock().now()) + ahead)


async def enrol(client: httpx.AsyncClient, at: Member, name: str) -> str:
    """The secret of their app."""
    token = (await log_in(client, at, name, PASSWORD)).json()["access_token"]
    secret: str = (await post(client, at, "second-factor", {"password": PASSWORD}, token)).json()["secret"]
    done = await post(client, at, "second-factor/confirm", {"code": code(secret)}, token)
    assert done.status_code == 200, done.text
    return secret


async def challenge(client: httpx.AsyncClient, at: Member, name: str) -> str:
    found: str = (await log_in(client, at, name, PASSWORD)).json()["challenge"]
    return found


@pytest.mark.postgresql
async def test_four_processes_take_a_code_once_and_allow_as_many_guesses_as_one(make_cluster: Make):
    cluster = await make_cluster("postgresql")
    for name in ("ada", "bob"):
        await add_user(cluster, name)
    members = await four(cluster)
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:

        async def storm(name: str, *codes: str) -> Counter[int]:
            given = await challenge(client, members[0], name)
            sent = (
                post(client, member, "login/code", {"challenge": given, "code": one})
                for one in codes
                for member in members
            )
            return Counter(answer.status_code for answer in await asyncio.gather(*sent))

        secret = await enrol(client, members[1], "ada")
        assert await storm("ada", code(secret, 1)) == {200: 1, 401: 3}
        await enrol(client, members[2], "bob")
        wrong = [f"wrong-{n}" for n in range(5)]
        assert await storm("bob", *wrong) == {401: CODES.free, 429: 20 - CODES.free}


@pytest.mark.sqlite
async def test_a_server_of_the_version_before_refuses_the_password(make_cluster: Make):
    cluster = await make_cluster("sqlite")
    for name in ("ada", "bob"):
        await add_user(cluster, name)
    new = await cluster.start_serve()
    old = await cluster.start_serve(PYTHONPATH=str(unpack_first_version(cluster.folder / "first")))
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        assert (await log_in(client, old, "ada", PASSWORD)).status_code == 200
        secret = await enrol(client, new, "ada")
        refused = await log_in(client, old, "ada", PASSWORD)
        assert (refused.status_code, "challenge" in refused.json()) == (401, False)
        assert (await log_in(client, old, "bob", PASSWORD)).status_code == 200
        body = {"challenge": await challenge(client, new, "ada"), "code": code(secret, 1)}
        opened = (await post(client, new, "login/code", body)).json()
        me = await client.get(
            f"http://127.0.0.1:{old.port}/api/v1/auth/me",
            headers={"authorization": f"Bearer {opened['access_token']}"},
        )
        assert me.status_code == 200, "a session that was opened with both is good everywhere"
