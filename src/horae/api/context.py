"""Request context: the ports that every route works with, and the few settings that matter to the API."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, Request

from horae.api.portal_files import BUILT
from horae.api.queue_use import QueueUses
from horae.api.stranded import Lookout
from horae.api.turns import Turns
from horae.domain.jobs.policy import Defaults
from horae.domain.people.audit import Origin
from horae.domain.people.second_factor import Policy
from horae.domain.people.single_sign_on import Rules
from horae.domain.runs.engine_choice import EngineChoice
from horae.ports import Clock, Ids, Provider, Seals, Store


@dataclass(frozen=True, slots=True)
class ApiSettings:
    """What the API must know. Kept apart from the process's Settings: the API reads no environment."""

    secret_key: str = field(repr=False)
    offline_after: float = 180.0
    shard_lease: float = 6.0
    defaults: Defaults = field(default_factory=Defaults)
    metrics_token: str | None = field(default=None, repr=False)
    metrics_jobs: frozenset[tuple[str, str]] = frozenset()  # by project and name
    key_cache: float = 5.0  # seconds for which a revoked key may keep working
    secret_key_previous: str | None = field(default=None, repr=False)
    allow_signup: bool = False
    second_factor: Policy = "optional"
    project_quotas: Mapping[str, int] = field(default_factory=dict)  # of new projects
    api_rate: float = 5_000.0  # requests a second of one key or user; 0: no limit
    trusted_proxies: tuple[str, ...] = ()
    cors_origins: tuple[str, ...] = ()
    public_url: str | None = None
    trace_url: str | None = None  # of a trace in a viewer, with `{trace_id}` in its place
    portal: Path = BUILT  # where its built files are
    password_sign_in: bool = True
    sso: Rules = field(default_factory=Rules)
    sso_session: float = 43_200.0  # seconds until the identity provider is asked again
    broker: Callable[[], str] = lambda: "none"  # whether it is connected; `none`: runs wait in the database
    lease: float = 15.0  # of runs that agents claim
    heartbeat: float = 3.0
    log_limit: int = 1 << 20
    grace: float = 5.0
    engines: EngineChoice = field(default_factory=EngineChoice)  # of the settings

    @property
    def keys(self) -> tuple[str, ...]:
        """All keys that may have signed a value, the current one first."""
        return (self.secret_key,) if self.secret_key_previous is None else (self.secret_key, self.secret_key_previous)


LONG_PAGES = 4  # pages built at a time; each needs many times its length in memory


@dataclass(frozen=True, slots=True)
class RequestContext:
    store: Store
    settings: ApiSettings
    ids: Ids
    clock: Clock
    seals: Seals
    lookout: Lookout
    queue_uses: QueueUses
    provider: Provider | None = None  # of identities
    turns: Turns = field(default_factory=Turns)
    long_pages: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(LONG_PAGES))
    stopping: asyncio.Event = field(default_factory=asyncio.Event)  # set on shutdown: streams end


async def context(request: Request) -> RequestContext:
    # `async`, like every dependency here: FastAPI runs plain functions in a thread, which costs more than they do.
    found: RequestContext = request.app.state.context
    if request.method == "GET":
        return found
    ids = RequestIds(request.scope["state"], found.ids)
    return replace(found, store=found.store.on_behalf_of(origin_of(request)), ids=ids)


def origin_of(request: Request) -> Origin:
    """Where the request came from, shared within the request."""
    state = request.scope["state"]
    if "origin" not in state:
        state["origin"] = Origin(request.app.state.authenticator.proxies.address(request), state["id"])
    found: Origin = state["origin"]
    return found


class RequestIds:
    """New ids; derived from the idempotency key if the request has one."""

    def __init__(self, state: dict[str, Any], ids: Ids) -> None:
        self._state, self._ids, self.chance = state, ids, ids.chance

    def new(self) -> str:
        claim = self._state.get("claim")
        found: str = (self._ids if claim is None else claim.ids).new()
        return found


Ctx = Annotated[RequestContext, Depends(context)]
