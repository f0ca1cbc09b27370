"""One of everything that a path can name."""

from typing import Any

from horae.clock import SystemClock
from horae.domain.alerts.alert import AlertAction, Finding, Subject
from horae.domain.runs.callback import seal
from horae.lifecycle.watching.alerts import open_alerts

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
    mail = {"kind": "email", "to": ["ops@example.org"]}
    channel = (await api.call("POST", "/channels", json={"name": name, "target": mail, "per_hour": 3_600})).json()
    if "id" not in channel:  # there are as many as a project may have
        (found, *_) = (await api.call("GET", "/channels", params={"limit": 1})).json()["items"]
        await api.call("DELETE", f"/channels/{found['id']}?force=true")
        channel = (await api.call("POST", "/channels", json={"name": name, "target": mail})).json()
    alert = await open_alert(api, name)
    return {
        "/sinks/{id}": await sink_of(api, name),
        "/channels/{id}": channel["id"],
        "/alerts/{id}": alert,
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


async def open_alert(api: Api, name: str) -> str:
    project = (await api.call("GET", "/projects/default")).json()["id"]
    finding = Finding(
        rule="failing",
        severity="warning",
        subject=Subject("job", name, name),
        title=f"{name} keeps failing",
        why="its last 3 runs failed",
        action=AlertAction("look at its last run", "/runs"),
        since=SystemClock().now(),
        project_id=project,
    )
    (opened,) = await api.store.transact(open_alerts, [finding])
    return opened.id


def parameters(path: str, things: dict[str, str]) -> dict[str, Any]:
    """What stands in a path, by the names of its parameters."""
    return {place[place.index("{") + 1 : -1]: value for place, value in things.items() if place in path}


def filled(path: str, things: dict[str, str]) -> str:
    for place, value in things.items():
        path = path.replace(place, place[: place.index("{")] + value)
    return path


async def sink_of(api: Api, name: str) -> str:
    """The id of a new sink, in place of the oldest if a project has as many as it may have."""
    body = {"name": name, "target": {"kind": "webhook", "url": "https://example.org/hook"}}
    made = (await api.call("POST", "/sinks", json=body)).json()
    if "id" not in made:
        (found, *_) = (await api.call("GET", "/sinks", params={"limit": 1})).json()["items"]
        await api.call("DELETE", f"/sinks/{found['id']}")
        made = (await api.call("POST", "/sinks", json=body)).json()
    found_id: str = made["id"]
    return found_id
