"""Permissions for jobs of every kind: by role, by key and by user, from their own project, from another one, and by
suspended users."""

from typing import Any, get_args

import pytest

from horae.api.auth import Allow, AllowInProject
from horae.domain.people.roles import ROLES
from horae.domain.targets import Target

from .conftest import IDS, Api, add_key
from .people import add_user, add_users
from .test_access import CALLS, PAST, another_project, filled, guards, paths

TARGETS: dict[str, dict[str, Any]] = {
    "http": {"url": "https://example.org/"},
    "script": {"source": "echo hello"},
    "python": {"function": "f"},
    "container": {"image": "alpine"},
    "celery": {"task": "shop.add", "kwargs": {"a": 1}},
    "artifact": {"uri": "file:///srv/a.zip", "digest": "sha256:" + "0" * 64, "entrypoint": ["sh", "run.sh"]},
}
WEB = {"kind": "http", "url": "https://example.org/"}
HOURLY = {"schedule": {"every": "1h"}}
# What is done to a job that is there: who may, at least. A `writer` is who may write a job of that kind.
VERBS: list[tuple[str, str, dict[str, Any] | None, str]] = [
    ("GET", "", None, "viewer"),
    ("GET", "/versions", None, "viewer"),
    ("GET", "/explain", None, "viewer"),
    ("POST", "/run", {}, "operator"),
    ("POST", "/runs:batch", {"runs": [{}]}, "operator"),
    ("POST", "/backfill", PAST, "operator"),
    ("POST", "/pause", {}, "operator"),
    ("POST", "/resume", None, "operator"),
    ("POST", "/disable", None, "writer"),
    ("POST", "/enable", None, "writer"),
    ("PATCH", "", {"enabled": False}, "writer"),
    ("PATCH", "", {"description": "new"}, "writer"),
    ("PATCH", "", {"schedule": {"every": "2h"}}, "writer"),
    ("PATCH", "", {"target": WEB}, "writer"),
    ("PUT", "", {"name": "NAME", "target": WEB}, "writer"),
    ("POST", "/rollback", {"version": 2}, "writer"),
    ("DELETE", "", None, "writer"),
]
ORDER = list(ROLES)
KINDS = pytest.mark.parametrize("kind", TARGETS)


def target(kind: str) -> dict[str, Any]:
    return {"kind": kind, **TARGETS[kind]}


def test_no_kind_is_left_out():
    models = get_args(get_args(Target)[0])
    assert {model.model_fields["kind"].default for model in models} == set(TARGETS)


def may(role: str, least: str, kind: str) -> bool:
    needed = least if least != "writer" else "editor" if kind == "http" else "owner"
    return ORDER.index(role) >= ORDER.index(needed)


async def everybody(api: Api) -> list[tuple[str, str, dict[str, str]]]:
    """Each role as a key and as a user: role, kind of caller, headers."""
    people = await add_users(api.store, f"-{IDS.new()}")
    found = []
    for role in ORDER:
        # The admin is a member of no project, and says which one is meant.
        choice = {"horae-project": "default"} if role == "admin" else {}
        found.append((role, "key", {"authorization": f"Bearer {api.tokens[role]}"}))
        found.append((role, "user", {"authorization": f"Bearer {people[role]}", **choice}))
    return found


@KINDS
async def test_each_role_may_do_what_it_may_with_jobs_of_every_kind(api: Api, kind: str):
    """Also the job as it is counts, not only as it would be: what only owners write, only they switch and delete."""
    wrong = []
    for role, caller, headers in await everybody(api):
        for n, (method, path, body, least) in enumerate(VERBS):
            name = f"{role}-{caller}-{n}"
            await api.make(name, target=target(kind), **HOURLY)
            if path == "/rollback":  # to a version that all editors may write, from one that they may not
                await api.call("PATCH", f"/jobs/{name}", json={"target": {**WEB, "url": "https://example.org/2"}})
                await api.call("POST", f"/jobs/{name}/rollback", json={"version": 1})
            given = body and {field: name if value == "NAME" else value for field, value in body.items()}
            before = (await api.call("GET", f"/jobs/{name}")).json()
            answer = await api.call(method, f"/jobs/{name}{path}", role=None, json=given, headers=headers)
            if may(role, least, kind):
                fine = answer.is_success
            else:
                after = (await api.call("GET", f"/jobs/{name}")).json()
                fine = answer.status_code == 403 and after == before
            if not fine:
                wrong.append(f"{method} {path} {body} of a {kind} job by the {caller} of {role}: {answer.text}")
    assert wrong == []


@KINDS
async def test_each_role_makes_what_it_may(api: Api, kind: str):
    wrong = []
    for role, caller, headers in await everybody(api):
        existing = f"web-{role}-{caller}"
        await api.make(existing)
        calls = [
            ("POST", "/jobs", {"name": f"a-{role}-{caller}", "target": target(kind)}),
            ("POST", "/jobs/recurring", {"name": f"b-{role}-{caller}", "target": target(kind), **HOURLY}),
            ("PATCH", f"/jobs/{existing}", {"target": target(kind)}),
            ("PUT", f"/jobs/{existing}", {"name": existing, "target": target(kind)}),
        ]
        for method, path, body in calls:
            answer = await api.call(method, path, role=None, json=body, headers=headers)
            if answer.status_code not in ((200, 201) if may(role, "writer", kind) else (403,)):
                wrong.append(f"{method} {path} of a {kind} job by the {caller} of {role}: {answer.text}")
    made = (await api.call("GET", "/jobs", params={"limit": 200})).json()["items"]
    makers = {job["name"].split("-")[1] for job in made if job["name"][0] in "ab"}
    assert (wrong, makers) == ([], {role for role in ORDER if may(role, "writer", kind)})


@KINDS
async def test_jobs_of_every_kind_are_not_there_for_another_project(api: Api, kind: str):
    """Every route that names a job or a run, for every caller: an owner, an admin's key, a user without a project."""
    ids = await paths(api)
    job = await api.make(f"of-{kind}", target=target(kind), **HOURLY)
    run = (await api.call("POST", f"/jobs/{job['id']}/run", json={})).json()
    ids |= {"/api/v1/jobs/{id}": f"/api/v1/jobs/{job['id']}", "/api/v1/runs/{id}": f"/api/v1/runs/{run['id']}"}
    other = await another_project(api)
    keys = {f"the key of {role}": await add_key(api.store, role, other) for role in ("owner", "admin")}
    users = {
        "an owner elsewhere": await add_user(api.store, "foreigner", other="owner"),
        "a member of nothing": await add_user(api.store, "nobody"),
    }
    tried = 0
    for (method, path), guard in guards(api.app).items():
        if not path.startswith(("/api/v1/jobs/{id}", "/api/v1/runs/{id}")) or not isinstance(guard, Allow):
            continue
        for who, token in {**keys, **users}.items():
            bearer, body = {"authorization": f"Bearer {token}"}, CALLS[method, path][0]
            answer = await api.call(method, filled(path, ids), role=None, json=body, headers=bearer)
            assert answer.status_code == (403 if who == "a member of nothing" else 404), (
                method,
                path,
                who,
                answer.text,
            )
            # Nor by saying which project is meant, nor by the job's name.
            chosen = {**bearer, "horae-project": "default"}
            answer = await api.call(method, filled(path, ids), role=None, json=body, headers=chosen)
            assert answer.status_code == 403, (method, path, who, answer.text)
            named = filled(path, {**ids, "/api/v1/jobs/{id}": f"/api/v1/jobs/of-{kind}"})
            answer = await api.call(method, named, role=None, json=body, headers=bearer)
            assert answer.status_code in (403, 404), (method, path, who, answer.text)
            tried += 1
    assert tried > 80
    assert (await api.call("GET", f"/jobs/{job['id']}")).json()["version"] == 1
    assert (await api.call("GET", f"/runs/{run['id']}")).json()["status"] == "queued"


async def test_a_deactivated_user_may_do_nothing(api: Api):
    """Not even with their own account; an owner, and an admin."""
    ids = await paths(api)
    await add_user(api.store, "boss", admin=True)  # the last one cannot be suspended
    tokens = [
        await add_user(api.store, "was-owner", default="owner"),
        await add_user(api.store, "was-admin", admin=True),
    ]
    for name in ("was-owner", "was-admin"):
        answer = await api.call("PATCH", f"/users/{name}", json={"is_active": False})
        assert answer.status_code == 200, answer.text
    for method, path in CALLS:
        for token in tokens:
            headers = {"authorization": f"Bearer {token}", "horae-project": "default"}
            body = CALLS[method, path][0]
            answer = await api.call(method, filled(path, ids), role=None, json=body, headers=headers)
            # After so many, no one looks at what else comes from there.
            assert answer.status_code in (401, 429), (method, path, answer.text)


async def test_a_key_is_for_one_project_regardless_of_the_header(api: Api):
    ids = await paths(api)
    other = await another_project(api)
    tokens = [await add_key(api.store, role, other) for role in ("owner", "admin")]
    for (method, path), guard in guards(api.app).items():
        if type(guard) is not AllowInProject:
            continue  # these ask for no project, or for the one in the path
        for token in tokens:
            headers = {"authorization": f"Bearer {token}", "horae-project": "default"}
            body = CALLS[method, path][0]
            answer = await api.call(method, filled(path, ids), role=None, json=body, headers=headers)
            assert answer.status_code == 403, (method, path, answer.text)
