"""Password hashes, and the equal work for unknown users (no timing oracle)."""

import asyncio

import pytest
from argon2 import extract_parameters

from horae.api.errors import TooManyRequests
from horae.api.signing_in.passwords import Passwords, _nobody, hash_password, outdated

PASSWORD = "seven ducks cross over"
OLD = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$Y2hlYXAgYW5kIG9sZA"


async def test_right_and_wrong():
    passwords = Passwords()
    stored = await passwords.hash(PASSWORD)
    assert stored.startswith("$argon2id$")
    assert stored != await passwords.hash(PASSWORD)  # salted
    assert await passwords.matches(stored, PASSWORD)
    for wrong in (f"{PASSWORD} ", "", PASSWORD.upper()):
        assert not await passwords.matches(stored, wrong)
    for broken in (None, "", "nonsense", OLD):
        assert not await passwords.matches(broken, PASSWORD)


def test_unknown_users_cost_the_same_hash():
    assert extract_parameters(_nobody()) == extract_parameters(hash_password(PASSWORD))


def test_hashes_of_other_times_are_known():
    assert outdated(OLD)
    assert not outdated(hash_password(PASSWORD))


async def test_a_crowd_is_asked_to_come_again():
    passwords = Passwords()
    came = await asyncio.gather(*(passwords.matches(OLD, PASSWORD) for _ in range(60)), return_exceptions=True)
    refused = [one for one in came if isinstance(one, TooManyRequests)]
    assert (len(refused), came.count(False)) == (10, 50)
    with pytest.raises(TooManyRequests):
        raise refused[0]
