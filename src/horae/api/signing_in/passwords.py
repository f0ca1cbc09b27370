"""Passwords: hashed with argon2id, on a few dedicated threads. A hash needs memory and a tenth of a second on purpose;
the event loop must not wait for it, and many at once must not exhaust the machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import ParamSpec, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from horae.api.errors import TooManyRequests

P = ParamSpec("P")
T = TypeVar("T")

_THREADS = 2
_WAITING = 50  # beyond this, callers are asked to try again later

# OWASP's parameters for argon2id: 19 MiB, two passes.
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1, hash_len=32, salt_len=16)


def hash_password(password: str) -> str:
    return _HASHER.hash(password)


class Passwords:
    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="horae-passwords")
        self._waiting = 0

    async def hash(self, password: str) -> str:
        return await self._run(hash_password, password)

    async def matches(self, stored: str | None, password: str) -> bool:
        """Without a stored hash (no such user) it takes just as long and returns False."""
        return await self._run(_matches, stored, password)

    async def _run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if self._waiting >= _WAITING:
            raise TooManyRequests("too many people are signing in at once; try again", retry_after=2)
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, partial(work, *args, **kwargs))
        finally:
            self._waiting -= 1


def outdated(stored: str) -> bool:
    """Whether it was created with other parameters than a hash of today."""
    return _HASHER.check_needs_rehash(stored)


def _matches(stored: str | None, password: str) -> bool:
    try:
        _HASHER.verify(stored or _nobody(), password)
    except (Argon2Error, InvalidHashError):
        return False
    return stored is not None


@cache
def _nobody() -> str:
    return _HASHER.hash("there is no user with this name")
