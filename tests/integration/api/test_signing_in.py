"""Signing up and in: who is let in, the response to everyone else, and the limit on attempts."""

from typing import Any

import httpx
import pytest

from horae.api.app import build
from horae.api.context import ApiSettings
from horae.api.signing_in.tokens import mint
from horae.api.signing_in.welcome import first_token
from horae.domain.people.lockout import ACCOUNT, ADDRESS

from .conftest import CLOCK, IDS, SECRET, Api
from .people import PASSWORD, add_user

GOOD = "nine red kites above"


async def sign_up(api: Api, username: str, **body: Any) -> httpx.Response:
    return await api.call("POST", "/auth/signup", role=None, json={"username": username, "password": GOOD, **body})


async def log_in(api: Api, username: str, password: str = PASSWORD, **headers: str) -> httpx.Response:
    body = {"username": username, "password": password}
    return await api.call("POST", "/auth/login", role=None, json=body, headers=headers)


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


async def test_from_the_first_token_to_a_project_with_two_people(api: Api):
    token = await first_token(api.store, IDS)
    assert token is not None
    start = await api.call("GET", "/auth/start", role=None)
    ways = {"first_admin": True, "open_signup": False, "password": True, "sso": None}
    assert (start.status_code, start.json()) == (200, ways)
    assert (await sign_up(api, "ada")).status_code == 403
    assert (await sign_up(api, "ada", token="hf1_" + "x" * 43)).json()["field"] == "token"
    made = await sign_up(api, "Ada", token=token)
    assert (made.status_code, made.json()["username"], made.json()["is_admin"]) == (201, "ada", True)
    assert (await sign_up(api, "eve", token=token)).status_code == 422
    assert await first_token(api.store, IDS) is None
    assert (await api.call("GET", "/auth/start", role=None)).json()["first_admin"] is False

    found = (await log_in(api, "ADA", GOOD)).json()
    assert (found["token_type"], 0 < found["expires_in"] <= 900) == ("bearer", True)
    ada = bearer(found["access_token"])
    me = (await api.call("GET", "/auth/me", role=None, headers=ada)).json()
    assert (me["kind"], me["actor"], [p["role"] for p in me["projects"]]) == ("user", "user:ada", ["owner"])
    assert "users:write" in me["projects"][0]["permissions"]  # an owner who is an admin as well
    assert me["permissions"] == me["projects"][0]["permissions"]
    assert (await api.call("GET", "/jobs", role=None, headers=ada)).status_code == 200

    link = await api.call("POST", "/projects/default/invitations", role=None, headers=ada, json={"role": "viewer"})
    assert link.status_code == 201
    assert "token" not in (await api.call("GET", "/projects/default/invitations", role=None, headers=ada)).text
    assert (await sign_up(api, "bob", token=link.json()["token"])).status_code == 201
    bob = bearer((await log_in(api, "bob", GOOD)).json()["access_token"])
    assert (await api.call("GET", "/jobs", role=None, headers=bob)).status_code == 200
    body = {"name": "x", "target": {"kind": "http", "url": "https://example.org/"}}
    assert (await api.call("POST", "/jobs", role=None, headers=bob, json=body)).status_code == 403
    of_bob = (await api.call("GET", "/auth/me", role=None, headers=bob)).json()
    assert of_bob["permissions"] == []
    allowed = of_bob["projects"][0]["permissions"]
    assert "jobs:read" in allowed
    assert "jobs:run" not in allowed
    members = (await api.call("GET", "/projects/default/members", role=None, headers=ada)).json()["items"]
    assert [(one["username"], one["role"]) for one in members] == [("ada", "owner"), ("bob", "viewer")]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"password": "short"}, "password"),
        ({"password": "p" * 201}, "password"),
        ({"password": "Password1234!"}, "password"),
        ({"username": "seven-ducks", "password": "seven-ducks-1"}, "password"),
        ({"username": "a b"}, "username"),
        ({"username": "ädä"}, "username"),
        ({"username": "x" * 201}, "username"),
        ({"username": "01a1de05-bc6e-7493-ac17-5c90c59c6a0f"}, "username"),
        ({"username": 7}, "username"),
        ({"role": "admin"}, "role"),
        ({"token": 7}, "token"),
    ],
)
async def test_bad_sign_ups_name_the_field_and_repeat_nothing(api: Api, body: dict[str, Any], field: str):
    answer = await sign_up(api, **{"username": "ada", "token": await first_token(api.store, IDS), **body})
    assert (answer.status_code, answer.json()["field"]) == (422, field)
    assert str(body.get("password", "nothing")) not in answer.text
    assert await first_token(api.store, IDS) is not None  # no one was made


async def test_unknown_wrong_and_deactivated_get_the_same_answer(api: Api):
    for name in ("ada", "gone"):
        await add_user(api.store, name)
    assert (await api.call("PATCH", "/users/gone", json={"is_active": False})).status_code == 200
    answers = [
        await log_in(api, "nobody"),
        await log_in(api, "ada", "not the password"),
        await log_in(api, "gone"),
        await log_in(api, "ädä"),
        await log_in(api, "x' OR 1=1 --"),
    ]
    told = [{k: v for k, v in answer.json().items() if k != "request_id"} for answer in answers]
    assert {answer.status_code for answer in answers} == {401}
    assert all(one == told[0] for one in told)
    names = [set(answer.headers) for answer in answers]
    assert all(one == names[0] for one in names)


async def test_after_five_wrong_tries_even_the_right_password_waits(api: Api):
    await add_user(api.store, "ada")
    for name in ("ada", "nobody"):
        for _ in range(ACCOUNT.free):
            assert (await log_in(api, name, "not the password")).status_code == 401
        for password in ("not the password", PASSWORD):
            answer = await log_in(api, name, password)
            assert (answer.status_code, answer.json()["type"]) == (429, "urn:horae:problem:too-many-requests")
            assert 0 < int(answer.headers["retry-after"]) <= ACCOUNT.first
    await add_user(api.store, "bob")
    assert (await log_in(api, "bob")).status_code == 200


async def test_success_gives_the_tries_back(api: Api):
    await add_user(api.store, "ada")
    for _ in range(3):
        for _ in range(ACCOUNT.free - 1):
            assert (await log_in(api, "ada", "not the password")).status_code == 401
        assert (await log_in(api, "ada")).status_code == 200


async def test_one_address_cannot_try_many_names(api: Api):
    answers = [(await log_in(api, f"nobody{n}")).status_code for n in range(ADDRESS.free + 3)]
    assert answers == [401] * ADDRESS.free + [429] * 3


async def test_only_trusted_proxies_say_where_people_are(api: Api):
    spoofed = [(await log_in(api, f"x{n}", **{"x-forwarded-for": f"192.0.2.{n}"})).status_code for n in range(32)]
    assert spoofed.count(429) == 2
    settings = ApiSettings(SECRET, trusted_proxies=("127.0.0.1/32", "10.0.0.0/8"))
    behind = Api(build(api.store, settings, IDS, CLOCK), api.store, api.tokens)
    for n in range(3):
        far = {"x-forwarded-for": f"192.0.2.{n}, 10.1.2.3"}
        assert (await log_in(behind, f"y{n}", **far)).status_code == 401
    # what stands left of an address that is not trusted, the client wrote itself
    rows = await api.store.read(_buckets)
    assert {row for row in rows if row.startswith("address:192")} == {f"address:192.0.2.{n}" for n in range(3)}


async def _buckets(tx: Any) -> list[str]:
    return [row["bucket"] for row in await tx.limits.db.fetch("SELECT bucket FROM rate_limits")]


async def test_sign_up_may_be_open(api: Api):
    settings = ApiSettings(SECRET, allow_signup=True)
    opened = Api(build(api.store, settings, IDS, CLOCK), api.store, api.tokens)
    assert (await sign_up(opened, "eve")).status_code == 403  # the first one needs the token all the same
    await add_user(api.store, "ada", admin=True)
    assert (await sign_up(opened, "eve")).status_code == 201
    eve = bearer((await log_in(opened, "eve", GOOD)).json()["access_token"])
    refused = await api.call("GET", "/jobs", role=None, headers=eve)
    assert (refused.status_code, "not a member of any project" in refused.json()["detail"]) == (403, True)
    assert (await api.call("GET", "/projects", role=None, headers=eve)).json()["items"] == []


async def test_a_new_password_ends_other_sessions(api: Api):
    await add_user(api.store, "ada", default="viewer")
    here, there = [(await log_in(api, "ada")).json() for _ in range(2)]
    body = {"password": PASSWORD, "new_password": GOOD}
    for wrong, status in (({"password": "wrong"}, 403), ({"new_password": "short"}, 422)):
        answer = await api.call(
            "POST", "/auth/password", role=None, headers=bearer(here["access_token"]), json={**body, **wrong}
        )
        assert answer.status_code == status
    changed = await api.call("POST", "/auth/password", role=None, headers=bearer(here["access_token"]), json=body)
    assert changed.status_code == 204
    assert (await refresh(api, there["refresh_token"])).status_code == 401
    assert (await refresh(api, here["refresh_token"])).status_code == 200
    assert (await log_in(api, "ada")).status_code == 401
    assert (await log_in(api, "ada", GOOD)).status_code == 200


async def refresh(api: Api, token: str) -> httpx.Response:
    return await api.call("POST", "/auth/refresh", role=None, json={"refresh_token": token})


async def test_several_projects_need_a_choice(api: Api):
    assert (await api.call("POST", "/projects", json={"slug": "other"})).status_code == 201
    both = bearer(await add_user(api.store, "ada", default="viewer", other="editor"))
    missing = await api.call("GET", "/jobs", role=None, headers=both)
    assert (missing.status_code, "Horae-Project" in missing.json()["detail"]) == (400, True)
    body = {"name": "x", "target": {"kind": "http", "url": "https://example.org/"}}
    for slug, status in (("default", 403), ("other", 201), ("unknown", 403), ("../default", 403)):
        answer = await api.call("POST", "/jobs", role=None, headers={**both, "horae-project": slug}, json=body)
        assert answer.status_code == status, slug
    assert (await api.call("GET", "/jobs")).json()["items"] == []
    root = bearer(await add_user(api.store, "root", admin=True))
    for slug, count in (("default", 0), ("other", 1)):
        found = await api.call("GET", "/jobs", role=None, headers={**root, "horae-project": slug})
        assert len(found.json()["items"]) == count
    key = await api.call("GET", "/jobs", headers={"horae-project": "other"})
    assert (key.status_code, "another project" in key.json()["detail"]) == (403, True)
    assert (await api.call("GET", "/jobs", headers={"horae-project": "default"})).status_code == 200


async def test_a_member_who_joins_by_a_link_keeps_their_account(api: Api):
    await api.call("POST", "/projects", json={"slug": "other"})
    ada = bearer(await add_user(api.store, "ada", default="viewer"))
    made = (await api.call("POST", "/projects/other/invitations", json={"role": "editor", "note": "for Ada"})).json()
    joined = await api.call("POST", "/invitations/accept", role=None, headers=ada, json={"token": made["token"]})
    assert (joined.status_code, joined.json()["slug"]) == (200, "other")
    me = (await api.call("GET", "/auth/me", role=None, headers=ada)).json()
    assert [(p["slug"], p["role"]) for p in me["projects"]] == [("default", "viewer"), ("other", "editor")]
    (listed,) = (await api.call("GET", "/projects/other/invitations")).json()["items"]
    assert (listed["created_by"], listed["accepted_by"]) == (made["created_by"], "user:ada")
    gone = await api.call("DELETE", f"/projects/other/invitations/{made['id']}")
    assert gone.status_code == 409
    spare = (await api.call("POST", "/projects/other/invitations", json={"role": "owner"})).json()
    assert (await api.call("DELETE", f"/projects/default/invitations/{spare['id']}")).status_code == 404
    assert (await api.call("DELETE", f"/projects/other/invitations/{spare['id']}")).status_code == 204
    used = await api.call("POST", "/invitations/accept", role=None, headers=ada, json={"token": spare["token"]})
    assert used.status_code == 422


async def test_keys_work_until_they_are_revoked(api: Api):
    refused = await api.call("POST", "/api-keys", role="owner", json={"name": "ci", "role": "admin"})
    assert refused.status_code == 403
    made = await api.call("POST", "/api-keys", role="owner", json={"name": "ci", "role": "editor"})
    assert made.status_code == 201
    headers = bearer(made.json()["token"])
    assert (await api.call("GET", "/jobs", role=None, headers=headers)).status_code == 200
    listed = (await api.call("GET", "/api-keys", role="owner")).json()["items"]
    assert (listed[0]["name"], listed[0]["created_by"]) == ("ci", "key:owner")
    assert listed[0]["last_used_at"] is not None
    assert made.json()["token"] not in str(listed)
    assert (await api.call("DELETE", f"/api-keys/{made.json()['id']}", role="owner")).status_code == 204
    fresh = Api(build(api.store, ApiSettings(SECRET), IDS, CLOCK), api.store, api.tokens)  # another process
    assert (await fresh.call("GET", "/jobs", role=None, headers=headers)).status_code == 401


async def test_requests_are_limited_over_processes(api: Api):
    rate, room = 2, 20
    settings = ApiSettings(SECRET, api_rate=rate)
    apps = [Api(build(api.store, settings, IDS, CLOCK), api.store, api.tokens) for _ in range(2)]
    began = CLOCK.monotonic()
    answers = [await apps[n % 2].call("GET", "/auth/me", role="viewer") for n in range(120)]
    leaked = (CLOCK.monotonic() - began) * rate
    allowed = sum(answer.status_code == 200 for answer in answers)
    assert room <= allowed <= room + leaked + 8  # what each has let through that the other had not learned of
    refused = [answer for answer in answers if answer.status_code != 200]
    assert {answer.status_code for answer in refused} == {429}
    assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)
    assert (await apps[0].call("GET", "/auth/me", role="owner")).status_code == 200  # everyone has their own
    free = Api(build(api.store, ApiSettings(SECRET, api_rate=0), IDS, CLOCK), api.store, api.tokens)
    assert (await free.call("GET", "/auth/me", role="viewer")).status_code == 200


async def test_wrong_keys_are_limited_by_address_over_processes(api: Api):
    """Beyond the limit keys are not even looked up; known keys are still accepted."""
    room, rate = 100, 10
    apps = [Api(build(api.store, ApiSettings(SECRET), IDS, CLOCK), api.store, api.tokens) for _ in range(2)]
    assert (await apps[0].call("GET", "/auth/me", role="viewer")).status_code == 200
    began = CLOCK.monotonic()
    answers: list[httpx.Response] = []
    while len(answers) < 600 and [one.status_code for one in answers[-2:]] != [429, 429]:
        headers = {"authorization": f"Bearer {mint().text}"}
        answers.append(await apps[len(answers) % 2].call("GET", "/jobs", role=None, headers=headers))
    leaked = (CLOCK.monotonic() - began) * rate
    tried = sum(answer.status_code == 401 for answer in answers)
    assert room <= tried <= room + leaked + 60  # what each has let through that the other had not learned of
    refused = answers[-1]
    assert (refused.status_code, refused.json()["type"]) == (429, "urn:horae:problem:too-many-requests")
    assert int(refused.headers["retry-after"]) >= 1
    assert (await apps[0].call("GET", "/auth/me", role="viewer")).status_code == 200
    user = {"authorization": f"Bearer {await add_user(api.store, 'ada', default='viewer')}"}
    assert (await apps[0].call("GET", "/auth/me", role=None, headers=user)).status_code == 200
    assert (await apps[0].call("GET", "/health", role=None)).status_code == 200


async def test_odd_names_of_things_are_not_there(api: Api):
    for name in ("x%00y", "%00", "x" * 500, "..%2fdefault", "%ff", "' OR 1=1 --"):
        for path in ("/projects/{}", "/projects/{}/members", "/users/{}"):
            answer = await api.call("GET", path.format(name))
            assert answer.status_code == 404, (path, name)
        for path in ("/projects/default/members/{}", "/projects/default/invitations/{}", "/api-keys/{}"):
            answer = await api.call("DELETE", path.format(name))
            assert answer.status_code == 404, (path, name)
    root = {"authorization": f"Bearer {await add_user(api.store, 'root', admin=True)}"}
    for slug in ("x" * 500, "' OR 1=1 --", "é"):
        headers = {**root, "horae-project": slug.encode("latin-1")}
        assert (await api.call("GET", "/jobs", role=None, headers=headers)).status_code == 403
