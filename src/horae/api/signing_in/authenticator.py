"""Authentication state of this process: tokens, passwords, rate limits, and a cache of recent callers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Annotated, Generic, TypeVar

from fastapi import Depends, Request

from horae.api.address import Proxies
from horae.api.context import RequestContext
from horae.api.limits import RequestLimit, StrangerLimit
from horae.api.refusals import Refusals
from horae.api.signing_in.challenges import Challenges
from horae.api.signing_in.jwt import AccessTokens
from horae.api.signing_in.passwords import Passwords
from horae.api.signing_in.refreshing import RefreshTokens
from horae.domain.people.account import Account, ProjectInfo
from horae.domain.people.key import KeyRecord
from horae.domain.people.worker_key import WorkerKeyRecord
from horae.ports import Clock

T = TypeVar("T")
_CACHED = 1_000
_MET = 10_000
_USED_EVERY = 60.0  # seconds between two updates of when a key was last used


class Recent(Generic[T]):
    """Lookups of the last few seconds, so that a busy client does not cost a query per request. Misses are not cached:
    a key works as soon as it is created."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock, self._seconds = clock, seconds
        self._seen: OrderedDict[str, tuple[float, T]] = OrderedDict()

    async def find(self, name: str, ask: Callable[[], Awaitable[T | None]]) -> T | None:
        hit = self._seen.get(name)
        if hit is not None and hit[0] > self._clock.monotonic():
            return hit[1]
        found = await ask()
        if found is None:
            self._seen.pop(name, None)
            return None
        self._seen[name] = (self._clock.monotonic() + self._seconds, found)
        while len(self._seen) > _CACHED:
            self._seen.popitem(last=False)
        return found

    def forget(self, name: str) -> None:
        self._seen.pop(name, None)


class Authenticator:
    def __init__(self, context: RequestContext) -> None:
        settings = context.settings
        self._context = context
        self._keys: Recent[KeyRecord] = Recent(context.clock, settings.key_cache)
        self._worker_keys: Recent[WorkerKeyRecord] = Recent(context.clock, settings.key_cache)
        self._accounts: Recent[Account] = Recent(context.clock, settings.key_cache)
        self._projects: Recent[ProjectInfo] = Recent(context.clock, settings.key_cache)
        self._used: OrderedDict[str, float] = OrderedDict()
        self.access = AccessTokens(settings.keys)
        self.refresh = RefreshTokens(settings.keys)
        self.challenges = Challenges(settings.keys)
        self.passwords = Passwords()
        self.proxies = Proxies(settings.trusted_proxies)
        self.limit = RequestLimit(context.store, context.clock, settings.api_rate)
        self.strangers = StrangerLimit(context.store, context.clock)
        self.refusals = Refusals(context.clock, self.proxies)
        self._met: OrderedDict[str, None] = OrderedDict()

    async def key(self, prefix: str) -> KeyRecord | None:
        return await self._keys.find(prefix, lambda: self._context.store.read(lambda tx: tx.access.key(prefix)))

    async def worker_key(self, prefix: str) -> WorkerKeyRecord | None:
        return await self._worker_keys.find(
            prefix, lambda: self._context.store.read(lambda tx: tx.worker_keys.by_prefix(prefix))
        )

    def met(self, prefix: str) -> bool:
        """Whether this key was accepted before: it stays valid however many invalid ones come from the same address."""
        return prefix in self._met

    def meet(self, prefix: str) -> None:
        if prefix not in self._met:
            self._met[prefix] = None
            while len(self._met) > _MET:
                self._met.popitem(last=False)

    def part(self, prefix: str) -> None:
        self._met.pop(prefix, None)

    async def account(self, session_id: str) -> Account | None:
        return await self._accounts.find(
            session_id, lambda: self._context.store.read(lambda tx: tx.accounts.account(session_id))
        )

    async def project(self, ref: str) -> ProjectInfo | None:
        return await self._projects.find(ref, lambda: self._context.store.read(lambda tx: tx.access.project(ref)))

    def forget(self, session_id: str) -> None:
        """A session that ends in this process ends here at once; elsewhere, within seconds."""
        self._accounts.forget(session_id)

    async def used(self, key_id: str) -> None:
        """Records that a key was used, at most once a minute."""
        now = self._context.clock.monotonic()
        if now < self._used.get(key_id, 0.0):
            return
        self._used[key_id] = now + _USED_EVERY
        while len(self._used) > _CACHED:
            self._used.popitem(last=False)
        await self._context.store.transact(lambda tx: tx.access.used(key_id))


async def authenticator(request: Request) -> Authenticator:
    found: Authenticator = request.app.state.authenticator
    return found


Auth = Annotated[Authenticator, Depends(authenticator)]
