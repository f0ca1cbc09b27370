"""Who may do what: the matrix of routes, roles and projects, generated from the routes themselves."""

import inspect
from itertools import pairwise
from typing import Any

import httpx
from fastapi.routing import iter_route_contexts

from horae.api.auth import Allow, AllowAdmin, AllowInPath, Public
from horae.domain.people.roles import PERMISSIONS, ROLES

from . import account_calls
from .conftest import IDS, ON_EVERY_DATABASE, Api, add_key
from .people import add_user, add_users
from .things import sink_of

PAST = {"start": "2020-01-01T00:00:00Z", "end": "2020-01-01T05:00:00Z"}
# How to call each route, and what it answers to someone who may.
CALLS: dict[tuple[str, str], tuple[dict[str, Any] | None, int]] = {
    ("GET", "/api/v1/jobs"): (None, 200),
    ("POST", "/api/v1/jobs"): ({"name": "new", "target": {"kind": "http", "url": "https://example.org/"}}, 201),
    ("POST", "/api/v1/jobs/recurring"): (
        {"name": "new2", "target": {"kind": "http", "url": "https://example.org/"}, "schedule": {"every": "1h"}},
        201,
    ),
    ("GET", "/api/v1/jobs/{id}"): (None, 200),
    ("PUT", "/api/v1/jobs/{id}"): (
        {"name": "hello", "target": {"kind": "http", "url": "https://example.org/put"}},
        200,
    ),
    ("PATCH", "/api/v1/jobs/{id}"): ({"description": "new"}, 200),
    ("DELETE", "/api/v1/jobs/{id}"): (None, 204),
    ("POST", "/api/v1/jobs/{id}/run"): ({}, 202),
    ("POST", "/api/v1/jobs/{id}/runs:batch"): ({"runs": [{}]}, 202),
    ("GET", "/api/v1/jobs/{id}/runs"): (None, 200),
    ("GET", "/api/v1/jobs/{id}/executions"): (None, 200),
    ("GET", "/api/v1/jobs/{id}/next"): (None, 200),
    ("GET", "/api/v1/jobs/{id}/stats"): (None, 200),
    ("POST", "/api/v1/jobs/{id}/pause"): ({"until": "2099-01-01T00:00:00Z"}, 200),
    ("POST", "/api/v1/jobs/{id}/resume"): (None, 200),
    ("POST", "/api/v1/jobs/{id}/enable"): (None, 200),
    ("POST", "/api/v1/jobs/{id}/disable"): (None, 200),
    ("GET", "/api/v1/jobs/{id}/versions"): (None, 200),
    ("GET", "/api/v1/jobs/{id}/versions/{version}"): (None, 200),
    ("POST", "/api/v1/jobs/{id}/rollback"): ({"version": 1}, 200),
    ("POST", "/api/v1/jobs/{id}/backfill"): (PAST, 202),
    ("GET", "/api/v1/operations"): (None, 200),
    ("GET", "/api/v1/operations/{id}"): (None, 200),
    ("POST", "/api/v1/operations/{id}/cancel"): (None, 202),
    ("GET", "/api/v1/jobs/{id}/explain"): (None, 200),
    ("GET", "/api/v1/runs"): (None, 200),
    ("GET", "/api/v1/runs/{id}"): (None, 200),
    ("GET", "/api/v1/runs/{id}/attempts"): (None, 200),
    ("GET", "/api/v1/runs/{id}/log"): (None, 200),
    ("GET", "/api/v1/runs/{id}/explain"): (None, 200),
    ("POST", "/api/v1/runs/{id}/cancel"): (None, 202),
    ("POST", "/api/v1/runs:recover"): (None, 200),
    ("POST", "/api/v1/schedules/preview"): ({"schedule": {"every": "1h"}}, 200),
    ("GET", "/api/v1/secrets"): (None, 200),
    ("PUT", "/api/v1/secrets/{name}"): ({"value": "another value"}, 200),
    ("DELETE", "/api/v1/secrets/{name}"): (None, 204),
    ("GET", "/api/v1/channels"): (None, 200),
    ("POST", "/api/v1/channels"): ({"name": "new", "target": {"kind": "email", "to": ["ops@example.org"]}}, 201),
    ("GET", "/api/v1/channels/{id}"): (None, 200),
    ("PATCH", "/api/v1/channels/{id}"): ({"severity": "warning"}, 200),
    ("DELETE", "/api/v1/channels/{id}"): (None, 204),
    ("POST", "/api/v1/channels/{id}/test"): (None, 202),
    ("GET", "/api/v1/channels/{id}/deliveries"): (None, 200),
    ("GET", "/api/v1/sinks"): (None, 200),
    ("POST", "/api/v1/sinks"): ({"name": "new", "target": {"kind": "webhook", "url": "https://example.org/"}}, 201),
    ("GET", "/api/v1/sinks/{id}"): (None, 200),
    ("PATCH", "/api/v1/sinks/{id}"): ({"types": ["run.*"]}, 200),
    ("DELETE", "/api/v1/sinks/{id}"): (None, 204),
    ("POST", "/api/v1/sinks/{id}/test"): (None, 202),
    ("GET", "/api/v1/task-functions"): (None, 200),
    ("POST", "/api/v1/task-functions"): ({"name": "new", "handler_path": "shop.tasks.new"}, 201),
    ("GET", "/api/v1/task-functions/{name}"): (None, 200),
    ("PATCH", "/api/v1/task-functions/{name}"): ({"is_active": True}, 200),
    ("DELETE", "/api/v1/task-functions/{name}"): (None, 204),
    ("GET", "/api/v1/workers"): (None, 200),
    ("POST", "/api/v1/workers/{id}/drain"): (None, 404),  # there is none
    ("GET", "/api/v1/schedulers"): (None, 200),
    ("GET", "/api/v1/calendar"): (None, 200),
    ("GET", "/api/v1/events"): (None, 200),
    ("GET", "/api/v1/alerts"): (None, 200),
    ("GET", "/api/v1/alerts/settings"): (None, 200),
    ("PATCH", "/api/v1/alerts/settings"): ({"failing": 5}, 200),
    ("GET", "/api/v1/alerts/{id}"): (None, 404),  # there is none
    ("POST", "/api/v1/alerts/{id}/ack"): ({}, 404),
    ("POST", "/api/v1/alerts/{id}/silence"): ({"for": "1h"}, 404),
    ("GET", "/api/v1/monitoring/alerts"): (None, 200),
    ("GET", "/api/v1/queues"): (None, 200),
    ("PATCH", "/api/v1/queues/{name}"): ({"engine": None}, 404),  # no job names it
    ("POST", "/api/v1/queues/{name}/pause"): (None, 404),
    ("POST", "/api/v1/queues/{name}/resume"): (None, 404),
    ("PUT", "/api/v1/queues/{name}/projects"): ({"projects": []}, 200),
    ("GET", "/api/v1/monitoring/jobs"): (None, 200),
    ("GET", "/api/v1/monitoring/hours"): (None, 200),
    ("GET", "/api/v1/monitoring/days"): (None, 200),
    ("GET", "/api/v1/monitoring/series"): (None, 200),
    ("GET", "/api/v1/monitoring/stranded"): (None, 200),
    ("GET", "/api/v1/monitoring/workers"): (None, 200),
    ("GET", "/api/v1/audit"): (None, 200),
    ("GET", "/api/v1/dead-letters"): (None, 200),
    ("GET", "/api/v1/dead-letters/groups"): (None, 200),
    ("POST", "/api/v1/dead-letters/redrive"): ({"filter": {}}, 202),
    ("POST", "/api/v1/dead-letters/discard"): ({"filter": {}, "reason": "known"}, 202),
    ("POST", "/api/v1/runs/{id}/retry"): ({}, 409),  # it has not ended
    ("POST", "/api/v1/jobs/{id}/retry"): ({}, 409),  # none has failed
    ("GET", "/api/v1/pings"): (None, 200),
    ("POST", "/api/v1/pings"): ({"name": "new ping"}, 201),
    ("GET", "/api/v1/pings/{id}"): (None, 200),
    ("PATCH", "/api/v1/pings/{id}"): ({"grace": "2h"}, 200),
    ("DELETE", "/api/v1/pings/{id}"): (None, 204),
    ("POST", "/api/v1/pings/{id}/pause"): ({}, 200),
    ("POST", "/api/v1/pings/{id}/resume"): (None, 200),
    ("POST", "/api/v1/pings/{id}/rotate"): (None, 200),
    ("GET", "/api/v1/pings/{id}/events"): (None, 200),
    ("GET", "/api/v1/pings/{id}/events/{n}"): (None, 200),
    ("GET", "/api/v1/monitoring/pings"): (None, 200),
    ("GET", "/api/v1/badges"): (None, 200),
    ("POST", "/api/v1/badges"): ({"kind": "job", "subject": "badged"}, 201),
    ("DELETE", "/api/v1/badges/{id}"): (None, 204),
    ("GET", "/metrics"): (None, 200),
    ("GET", "/api/v1/worker-keys"): (None, 200),
    ("POST", "/api/v1/worker-keys"): ({"name": "agents"}, 201),
    ("POST", "/api/v1/worker-keys/{id}/rotate"): ({}, 200),
    ("DELETE", "/api/v1/worker-keys/{id}"): (None, 204),
    **account_calls.CALLS,
}
# For a callback the token in its path is the authorisation: see test_callbacks.py.
PUBLIC = {"/health", "/health/live", "/health/ready", "/health/detailed", "/openapi.json", "/api/v1/callbacks/{token}"}
PUBLIC |= {"/ping/{token}", "/ping/{token}/{outcome}", "/badge/{token}.svg"}
PUBLIC |= {"/docs", "/docs/docs.js", "/docs/docs.css"}
PUBLIC |= account_calls.PUBLIC
# A worker key, which is none of the roles, opens these: see test_worker.py.
PUBLIC |= {
    f"/api/v1/worker/{route}" for route in ("register", "claim", "renew", "signals", "report", "release", "goodbye")
}


def guards(app: Any) -> dict[tuple[str, str], Allow | Public]:
    found: dict[tuple[str, str], Allow | Public] = {}
    for route in iter_route_contexts(app.routes):
        marks = [d.call for d in route.dependant.dependencies if isinstance(d.call, Allow | Public)]
        assert len(marks) == 1, f"{route.path} must declare exactly one permission, or that it is public"
        for method in route.methods or ():
            found[method, str(route.path)] = marks[0]
    return found


def test_every_route_declares_its_permission(api: Api):
    found = guards(api.app)
    assert {path for (_, path), guard in found.items() if isinstance(guard, Public)} == PUBLIC
    guarded = {key for key, guard in found.items() if isinstance(guard, Allow)}
    assert guarded == set(CALLS), "a route is missing from this matrix, or is no more"


def test_no_dependency_goes_to_a_thread(api: Api):
    """FastAPI runs plain functions in a thread: for our one-liners that doubles the cost of a request."""

    def check(dependant: Any) -> None:
        for inner in dependant.dependencies:
            call = inner.call if inspect.isfunction(inner.call) else type(inner.call).__call__
            assert inspect.iscoroutinefunction(call), inner.call
            check(inner)

    for route in iter_route_contexts(api.app.routes):
        check(route.dependant)


def test_every_permission_guards_something(api: Api):
    used = {guard.permission for guard in guards(api.app).values() if isinstance(guard, Allow)}
    assert PERMISSIONS - used == {"jobs:code"}  # that one is asked by content, not by route


def test_roles_only_grow():
    order = ["viewer", "operator", "editor", "owner", "admin"]
    assert list(ROLES) == order
    for lower, higher in pairwise(order):
        assert ROLES[lower] <= ROLES[higher]


async def paths(api: Api) -> dict[str, str]:
    """One of everything that a path can name, new at each call; by what stands in the paths of routes."""
    name = IDS.new()
    job = await api.make(name, schedule={"every": "1h"})
    run = (await api.call("POST", f"/jobs/{name}/run")).json()
    operation = (await api.call("POST", f"/jobs/{name}/backfill", json=PAST)).json()
    await api.call("PUT", "/secrets/TOKEN", json={"value": "a value"})
    user = f"user-{name}"  # else it would be taken for an id
    await add_user(api.store, user, default="operator")
    somebody = (await api.call("GET", f"/users/{user}")).json()
    project = (await api.call("GET", "/projects/default")).json()["id"]
    key = await api.call("POST", "/api-keys", json={"name": name})
    assert key.status_code == 201, key.text
    mail = {"kind": "email", "to": ["ops@example.org"]}
    channel = (await api.call("POST", "/channels", json={"name": name, "target": mail})).json()
    sink = await sink_of(api, name)
    ping = (await api.call("POST", "/pings", json={"name": f"ping-{name}"})).json()
    await api.call("GET", ping["url"].removeprefix("http://horae"), role=None)
    if (await api.call("GET", "/jobs/badged")).status_code == 404:
        await api.make("badged")
    worker_key = await api.call("POST", "/worker-keys", json={"name": "agents"})
    badge = (await api.call("POST", "/badges", json={"kind": "ping", "subject": ping["id"]})).json()
    made: dict[str, str] = {
        "channels": channel["id"],
        "sinks": sink,
        "pings": ping["id"],
        "badges": badge["id"],
        "jobs": job["id"],
        "runs": run["id"],
        "operations": operation["id"],
        "users": somebody["id"],
        "projects": project,
        "api-keys": key.json()["id"],
        "worker-keys": worker_key.json()["id"],
    }
    found = {f"/api/v1/{kind}/{{id}}": f"/api/v1/{kind}/{made_id}" for kind, made_id in made.items()}
    named = {"{user}": user, "{version}": "1", "{name}": "TOKEN", "{n}": "1", "{code}": "BCDFGHJK"}
    return {**found, **named, "/api/v1/events": "/api/v1/events?seconds=0"}


def filled(path: str, ids: dict[str, str]) -> str:
    for template, real in ids.items():
        path = path.replace(template, real)
    return path


async def test_each_role_may_do_what_it_may(api: Api):
    """All routes on one database; those that write with their own of everything: some delete what they find, or end
    sessions."""
    guarded, wrong = guards(api.app), []
    ids, people = await paths(api), await add_users(api.store)
    for method, path in sorted(CALLS, key=lambda key: key[0] != "GET"):  # while all is there and everyone signed in
        guard = guarded[method, path]
        assert isinstance(guard, Allow)
        if method != "GET":
            ids, people = await paths(api), await add_users(api.store, f"-{IDS.new()}")
        where = filled(path, ids)
        for role in ROLES:  # the weakest first: what it may not do is still there for the others
            # the admin is a member of no project, and says which one is meant
            choice = {"horae-project": "default"} if role == "admin" else {}
            for kind, token in (("key", api.tokens[role]), ("user", people[role])):
                bearer = {"authorization": f"Bearer {token}", **(choice if kind == "user" else {})}
                body = CALLS[method, path][0]
                answer = await api.call(method, where, role=None, json=body, headers=bearer)
                may = guard.permission in ROLES[role] and not (kind == "key" and path in account_calls.USERS_ONLY)
                if not as_it_should(answer, may, method, path):
                    wrong.append(f"{method} {path} by the {kind} of {role}: {answer.status_code} {answer.text}")
    assert wrong == []


def as_it_should(answer: httpx.Response, may: bool, method: str, path: str) -> bool:
    if not may:
        return answer.status_code == 403 and answer.json()["type"] == "urn:horae:problem:forbidden"
    good = CALLS[method, path][1]
    # later calls find what earlier ones have created, deleted or cancelled
    again = {201: 409, 204: 404}.get(good, 409 if path.endswith("operations/{id}/cancel") else good)
    if method == "DELETE":
        again = 404
    return answer.status_code in (good, again)


async def test_without_credentials_every_route_answers_401(api: Api):
    api.app.state.authenticator.strangers._rate = (
        0  # there are more routes than wrong tokens that an address may send at once
    )
    ids = await paths(api)
    for method, path in CALLS:
        for nobody in ({}, {"authorization": "Bearer x"}, {"authorization": "Basic eDp5"}):
            body = CALLS[method, path][0]
            answer = await api.call(method, filled(path, ids), role=None, json=body, headers=nobody)
            assert answer.status_code == 401, (method, path, nobody, answer.text)
            assert answer.headers["www-authenticate"].startswith("Bearer"), (method, path, nobody)


@ON_EVERY_DATABASE
async def test_what_belongs_to_another_project_is_not_there(api: Api):
    ids = await paths(api)
    other = await another_project(api)
    # projects themselves, as admins see them, are all theirs
    api.tokens |= {f"stranger-{strength}": await add_key(api.store, strength, other) for strength in ("owner", "admin")}
    api.tokens["foreigner"] = await add_user(api.store, "foreigner", other="owner")
    for (method, path), guard in guards(api.app).items():
        if "{id}" not in path or not isinstance(guard, Allow) or isinstance(guard, AllowAdmin):
            continue  # of no one, or of the installation: there is no other
        where, body = filled(path, ids), CALLS[method, path][0]
        in_path = isinstance(guard, AllowInPath)
        stranger = "stranger-owner" if in_path else "stranger-admin"
        for role in (stranger, "foreigner"):
            answer = await api.call(method, where, role=role, json=body)
            assert answer.status_code == 404, (method, path, role, answer.text)
        chosen = await api.call(method, where, role="foreigner", json=body, headers={"horae-project": "default"})
        assert chosen.status_code == (404 if in_path else 403), (method, path, chosen.text)
        for name in ("/jobs", "/runs", "/operations"):
            assert (await api.call("GET", name, role=stranger)).json()["items"] == [], (method, path)
        job = await api.call("GET", filled("/api/v1/jobs/{id}", ids))
        assert job.json()["version"] == 1, (method, path)
        assert (await api.call("GET", "/runs?status=queued")).json()["items"] != [], (method, path)


async def another_project(api: Api) -> str:
    project_id = IDS.new()

    async def add(tx: Any) -> None:
        await tx.access.db.execute(
            f"INSERT INTO projects (id, slug, name, created_at) VALUES (:id, 'other', 'Other', {tx.access.d.now})",
            {"id": project_id},
        )

    await api.store.transact(add)
    return project_id


async def test_cursors_do_not_travel_between_projects_or_filters(api: Api):
    for n in range(3):
        await api.make(f"job-{n}")
    cursor = (await api.call("GET", "/jobs", params={"limit": 1})).json()["next_cursor"]
    api.tokens["stranger"] = await add_key(api.store, "admin", await another_project(api))
    for role, path, params in (
        ("stranger", "/jobs", {}),
        ("admin", "/jobs", {"q": "job"}),
        ("admin", "/runs", {}),
    ):
        answer = await api.call("GET", path, role=role, params={"cursor": cursor, **params})
        assert (answer.status_code, answer.json()["field"]) == (422, "cursor")


async def test_writing_code_is_its_own_permission(api: Api):
    code = {"kind": "script", "source": "echo hello"}
    for role, status in (("editor", 403), ("owner", 201)):
        body = {"name": f"by-{role}", "target": code}
        assert (await api.call("POST", "/jobs", role=role, json=body)).status_code == status
    await api.make("web")
    turned = await api.call("PATCH", "/jobs/web", role="editor", json={"target": code})
    assert turned.status_code == 403
    assert (await api.call("GET", "/jobs/web")).json()["target"]["kind"] == "http"
    body = {"name": "p", "target": {"kind": "python", "function": "f"}}
    assert (await api.call("POST", "/jobs", role="editor", json=body)).status_code == 403


async def test_a_wrong_secret_with_a_right_prefix_is_refused(api: Api):
    token = api.tokens["admin"]
    prefix, secret = token[:23], token[23:]
    for wrong in (prefix + secret[::-1], prefix + secret[:-1], prefix, token + "x", token.upper(), f"{token}\x00"):
        answer = await api.call("GET", "/jobs", role=None, headers={"authorization": f"Bearer {wrong}".encode()})
        assert answer.status_code == 401, wrong


async def test_operators_run_and_editors_edit(api: Api):
    """What the roles are for, in their own words rather than by their lists."""
    await api.make(schedule={"every": "1h"})
    operates = ["/run", "/pause", "/resume", "/backfill"]
    for path in operates:
        body = PAST if path == "/backfill" else {}
        assert (await api.call("POST", f"/jobs/hello{path}", role="viewer", json=body)).status_code == 403, path
        assert (await api.call("POST", f"/jobs/hello{path}", role="operator", json=body)).is_success, path
    for path in ("/enable", "/disable", "/rollback"):
        version: dict[str, Any] = {"version": 1} if path == "/rollback" else {}
        assert (await api.call("POST", f"/jobs/hello{path}", role="operator", json=version)).status_code == 403, path
        assert (await api.call("POST", f"/jobs/hello{path}", role="editor", json=version)).is_success, path


async def test_code_is_not_brought_back_by_those_who_may_not_write_it(api: Api):
    await api.make(target={"kind": "script", "source": "echo hello"})
    web = {"kind": "http", "url": "https://example.org/"}
    assert (await api.call("PATCH", "/jobs/hello", role="owner", json={"target": web})).status_code == 200
    refused = await api.call("POST", "/jobs/hello/rollback", role="editor", json={"version": 1})
    assert (refused.status_code, "jobs:code" in refused.json()["detail"]) == (403, True)
    assert (await api.call("GET", "/jobs/hello")).json()["version"] == 2
    assert (await api.call("POST", "/jobs/hello/rollback", role="owner", json={"version": 1})).status_code == 200
