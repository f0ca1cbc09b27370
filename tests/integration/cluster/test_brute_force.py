"""Guessing passwords through many processes at once: together they allow no more tries than one would."""

import asyncio
from collections import Counter

import httpx
import pytest

from horae.accounts import users
from horae.api.signing_in.passwords import hash_password
from horae.api.signing_in.welcome import first_token
from horae.domain.people.account import NewUser
from horae.domain.people.lockout import ACCOUNT, ADDRESS
from tests.integration.cluster.cluster import IDS, Cluster, Make, Member, free_port
from tests.waiting import until

PASSWORD = "seven ducks cross over"


async def four(cluster: Cluster, **settings: str) -> list[Member]:
    started = [cluster.start("serve", HORAE_PORT=str(free_port()), **settings) for _ in range(4)]
    return [await member.ready() for member in started]


async def log_in(client: httpx.AsyncClient, at: Member, username: str, password: str) -> httpx.Response:
    body = {"username": username, "password": password}
    return await client.post(f"http://127.0.0.1:{at.port}/api/v1/auth/login", json=body)


async def add_user(cluster: Cluster, name: str) -> None:
    user = NewUser(IDS.new(), name, hash_password(PASSWORD), False, "test")
    await cluster.store.transact(users.create_user, user=user)


@pytest.mark.slow
@pytest.mark.postgresql
async def test_four_processes_allow_as_many_tries_as_one(make_cluster: Make):
    cluster = await make_cluster("postgresql")
    for name in ("ada", "bob"):
        await add_user(cluster, name)
    members = await four(cluster)
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:

        async def storm(*names: str) -> Counter[int]:
            """Wrong passwords are tried on every process at the same instant, and the right one among them."""
            tries = [
                log_in(client, member, name, f"{PASSWORD}{n}") for n in range(5) for member in members for name in names
            ]
            return Counter(answer.status_code for answer in await asyncio.gather(*tries))

        known = await storm("ada")
        unknown = await storm("nobody")
        assert known == unknown == {401: ACCOUNT.free, 429: 20 - ACCOUNT.free}
        for member in members:  # even the right password waits, in every process
            answer = await log_in(client, member, "ada", PASSWORD)
            assert (answer.status_code, int(answer.headers["retry-after"]) > 0) == (429, True)
        assert (await log_in(client, members[0], "bob", PASSWORD)).status_code == 200
        # many names from one address run out of tries as well
        used = 2 * ACCOUNT.free
        many = await storm(*(f"nobody{n}" for n in range(6)))
        assert many[401] <= ADDRESS.free - used + 1  # a try may have faded meanwhile
        assert many[429] == 120 - many[401]
        assert (await log_in(client, members[3], "bob", PASSWORD)).status_code == 429


@pytest.mark.slow
@pytest.mark.postgresql
async def test_of_many_who_use_the_first_token_at_once_one_becomes_admin(make_cluster: Make):
    cluster = await make_cluster("postgresql")
    members = await four(cluster)
    tokens = []
    for member in members:
        (line,) = await until(lambda member=member: member.logged("no users yet"))  # type: ignore[misc]
        tokens.append(line["token"])
    assert len(set(tokens)) == 4  # each printed its own, and any will do: once
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:

        async def sign_up(n: int, member: Member, token: str) -> int:
            body = {"username": f"user{n}", "password": PASSWORD, "token": token}
            return (await client.post(f"http://127.0.0.1:{member.port}/api/v1/auth/signup", json=body)).status_code

        pairs = [(member, tokens[(n + m) % 4]) for n, member in enumerate(members) for m in range(2)]
        statuses = await asyncio.gather(*(sign_up(n, *pair) for n, pair in enumerate(pairs)))
    assert Counter(statuses) == {201: 1, 422: 7}
    assert await first_token(cluster.store, IDS) is None
