"""`Idempotency-Key` when the database goes away in the middle of a request: a client that asks again when it is back is
answered, and does not wait for a request that is long over."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from horae.api.app import build
from horae.api.context import ApiSettings
from horae.domain.people.roles import ROLES
from horae.store.open import open_store
from tests.faults.proxy import Proxy
from tests.waiting import until

from .conftest import CLOCK, IDS, SECRET, Api, add_key
from .test_idempotency import runs, send


@pytest.fixture(params=[pytest.param(kind, marks=getattr(pytest.mark, kind)) for kind in ("postgresql", "mysql")])
async def reached(
    request: pytest.FixtureRequest, migrated: Callable[[str], str], make_database: Callable[..., str]
) -> AsyncIterator[tuple[Api, Proxy]]:
    """The API, and the proxy by which it reaches its database."""
    url = make_database(request.param, like=migrated(request.param))
    async with Proxy.before(url) as proxy:
        store = await open_store(proxy.url, clock=CLOCK, ids=IDS)
        tokens = {role: await add_key(store, role) for role in ROLES}
        yield Api(build(store, ApiSettings(SECRET), IDS, CLOCK), store, tokens), proxy
        await store.close()


@pytest.mark.parametrize("lost", ["INTO idempotency_keys", "INTO runs", "UPDATE idempotency_keys"])
async def test_asked_again_after_an_outage(reached: tuple[Api, Proxy], lost: str):
    api, proxy = reached
    await api.make()
    trap = proxy.trap(lost, "done", proxy.refuse)
    first = asyncio.create_task(send(api, "/jobs/hello/run"))
    await until(trap.sprung.is_set, message=f"{lost} passes")
    unheard = await first  # refused, or done although no one can write that down
    assert unheard.status_code in (202, 503), unheard.text
    proxy.accept()
    again = await send(api, "/jobs/hello/run")
    assert again.status_code == 202, again.text
    (run,) = await runs(api)
    assert run["id"] == again.json()["id"]
    if unheard.status_code == 202:
        assert unheard.json()["id"] == run["id"]
