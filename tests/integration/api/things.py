"""One of everything that a path can name."""

from typing import Any

from horae.domain.runs.callback import seal

from .conftest import IDS, SECRET, Api
from .people import add_user
from .work import FAILED, work

PAST = {"start": "2020-01-01T00:00:00Z", "end": "2020-01-01T05:00:00Z"}


async def make_things(api: Api) -> dict[str, str]:
    """New ones at each call; by the part of a path that names them."""
    name = IDS.new()
    job = await api.make(name, schedule={"every": "1h"})
    await api.call("POST", f"/jobs/{name}/run", json={})
    await work(api, outcome=FAILED)
    run = (await api.call("POST", f"/jobs/{name}/run", json={})).json()
    operation = (await api.call("POST", f"/jobs/{name}/backfill", json=PAST)).json()
    user = f"user-{name}"
    await add_user(api.store, user, default="operator")
    await api.call("PUT", "/secrets/TOKEN", json={"value": "a value"})
    key = (await api.call("POST", "/api-keys", json={"name": name})).json()
    invitation = (await api.call("POST", "/projects/default/invitations", json={"role": "viewer"})).json()
    ping = (await api.call("POST", "/pings", json={"name": name, "schedule": {"every": "1h"}})).json()
    token = ping["url"].rpartition("/")[2]
    await api.call("POST", f"/ping/{token}", role=None)
    badge = (await api.call("POST", "/badges", json={"kind": "ping", "subject": name})).json()
    return {
        "/pings/{id}": ping["id"],
        "/events/{n}": "1",
        "/badges/{id}": badge["id"],
        "/ping/{token}": token,
        "/{outcome}": "start",
        "/badge/{token}": badge["url"].rpartition("/")[2].removesuffix(".svg"),
        "/jobs/{id}": job["id"],
        "/runs/{id}": run["id"],
        "/operations/{id}": operation["id"],
        "/users/{id}": user,
        "/projects/{id}": "default",
        "/api-keys/{id}": key["id"],
        "/members/{user}": user,
        "/invitations/{invitation}": invitation["id"],
        "/secrets/{name}": "TOKEN",
        "/task-functions/{name}": "f",
        "/queues/{name}": "default",
        "/versions/{version}": "1",
        "/auth/device/{code}": "BCDF-GHJK",
        "/callbacks/{token}": seal(SECRET, run["id"], 1),
    }


def parameters(path: str, things: dict[str, str]) -> dict[str, Any]:
    """What stands in a path, by the names of its parameters."""
    return {place[place.index("{") + 1 : -1]: value for place, value in things.items() if place in path}


def filled(path: str, things: dict[str, str]) -> str:
    for place, value in things.items():
        path = path.replace(place, place[: place.index("{")] + value)
    return path
