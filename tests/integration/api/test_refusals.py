"""Rejected credentials leave a trace, and lock out only those who try them."""

import re

from structlog.testing import capture_logs

from horae.api.app import build
from horae.api.context import ApiSettings
from horae.api.refusals import KINDS
from horae.domain.people.lockout import ACCOUNT

from .conftest import CLOCK, IDS, SECRET, Api
from .people import PASSWORD, add_user
from .test_signing_in import log_in
from .test_tokens import HOST, cookie_of, refresh, signed_in

WRONG = "not the password"


async def counted(api: Api) -> dict[str, int]:
    text = (await api.call("GET", "/metrics")).text
    return {kind: int(n) for kind, n in re.findall(r'horae_auth_failures_total\{kind="(\w+)"\} (\d+)', text)}


async def test_what_is_refused_is_counted_and_logged_without_secrets(api: Api):
    await add_user(api.store, "ada")
    assert await counted(api) == dict.fromkeys(KINDS, 0)
    with capture_logs() as logged:
        await log_in(api, "ada", WRONG)
        await log_in(api, "hunter2 typed here", WRONG)
        for token in (f"{api.tokens['viewer'][:-4]}AAAA", "horae_nothing", "eyJ.x.y"):
            await api.call("GET", "/jobs", role=None, headers={"authorization": f"Bearer {token}"})
        await refresh(api, "hr1.x")
        await api.call("POST", "/callbacks/forged", role=None, json={"status": "succeeded"})
    found = await counted(api)
    wanted = {"password": 2, "key": 2, "token": 1, "refresh": 1, "callback": 1}
    assert found == {**dict.fromkeys(KINDS, 0), **wanted}
    lines = [line for line in logged if line["event"] == "refused"]
    assert [line["kind"] for line in lines] == ["password", "password", "key", "key", "token", "refresh", "callback"]
    assert all(line["address"] == "127.0.0.1" and len(line["request_id"]) > 8 for line in lines)
    assert (lines[0]["user"], "user" in lines[1], len(lines[1]["name_digest"])) == ("ada", False, 16)
    for secret in (WRONG, "hunter2", api.tokens["viewer"][-12:-4], "forged", "eyJ"):
        assert secret not in str(lines)


async def test_a_flood_leaves_few_lines(api: Api):
    with capture_logs() as logged:
        for _ in range(60):
            await api.call("GET", "/jobs", role=None, headers={"authorization": "Bearer x"})
    assert 10 <= len([line for line in logged if line["event"] == "refused"]) <= 20
    assert (await counted(api))["token"] == 60


async def test_when_locking_begins_it_is_in_the_trail_once(api: Api):
    await add_user(api.store, "ada")
    for _ in range(ACCOUNT.free + 3):
        await log_in(api, "ada", WRONG)
    query = {"action": "session.refused"}
    (told,) = (await api.call("GET", "/audit", params=query)).json()["items"]
    assert (told["subject"]["name"], told["actor"], told["address"]) == ("ada", "anonymous", "127.0.0.1")
    assert (await counted(api))["locked"] == 3


async def test_an_account_has_one_bucket_by_name_and_by_id(api: Api):
    await add_user(api.store, "ada")
    user = (await api.call("GET", "/users/ada")).json()["id"]
    names = ["ada", user, "ADA", user.upper(), "ada"]
    assert [(await log_in(api, name, WRONG)).status_code for name in names] == [401] * ACCOUNT.free
    for name in names:
        assert (await log_in(api, name, PASSWORD)).status_code == 429


async def test_failed_attempts_elsewhere_do_not_lock_out_known_addresses(api: Api):
    settings = ApiSettings(SECRET, trusted_proxies=("127.0.0.1/32",))
    at = Api(build(api.store, settings, IDS, CLOCK), api.store, api.tokens)
    await add_user(api.store, "ada")
    home, away = {"x-forwarded-for": "192.0.2.1"}, {"x-forwarded-for": "198.51.100.7"}
    assert (await log_in(at, "ada", **home)).status_code == 200
    assert [(await log_in(at, "ada", WRONG, **away)).status_code for _ in range(7)] == [401] * 5 + [429] * 2
    assert (await log_in(at, "ada", **away)).status_code == 429
    assert (await log_in(at, "ada", **home)).status_code == 200
    # their own bucket is as small as any
    assert [(await log_in(at, "ada", WRONG, **home)).status_code for _ in range(7)] == [401] * 5 + [429] * 2
    # of IPv6, a whole network is one
    assert (await log_in(at, "ada", **{"x-forwarded-for": "2001:db8::1"})).status_code == 429


async def test_a_refresh_token_from_a_cookie_is_returned_as_a_cookie(api: Api):
    await add_user(api.store, "ada")
    body = {"username": "ada", "password": PASSWORD}
    signed = await api.call("POST", "/auth/login", role=None, json=body, headers={"horae-client": "portal", **HOST})
    for client in ({}, {"horae-client": "cli"}):
        cookie = {"cookie": f"horae_refresh={cookie_of(signed)[0]}", **HOST, **client}
        signed = await api.call("POST", "/auth/refresh", role=None, headers=cookie)
        assert (signed.status_code, signed.json()["refresh_token"]) == (200, None)
        assert "httponly" in cookie_of(signed)[1]


async def test_a_command_lines_token_gets_no_grace_as_a_cookie(api: Api):
    await add_user(api.store, "ada")
    first = await signed_in(api)
    assert (await refresh(api, first["refresh_token"])).status_code == 200
    cookie = {"cookie": f"horae_refresh={first['refresh_token']}", "horae-client": "portal", **HOST}
    assert (await api.call("POST", "/auth/refresh", role=None, headers=cookie)).status_code == 401


async def test_owners_invite_and_learn_nothing_about_who_exists(api: Api):
    boss = await add_user(api.store, "boss", default="owner")
    await add_user(api.store, "stranger")
    headers = {"authorization": f"Bearer {boss}"}
    told = []
    for name in ("stranger", "nobody"):
        answer = await api.call(
            "PUT", f"/projects/default/members/{name}", role=None, headers=headers, json={"role": "viewer"}
        )
        told.append((answer.status_code, answer.json()["detail"]))
    assert told[0] == told[1]
    assert told[0][0] == 404
    answer = await api.call("PUT", "/projects/default/members/stranger", json={"role": "viewer"})
    assert answer.status_code == 200  # by an admin
    answer = await api.call(
        "PUT", "/projects/default/members/stranger", role=None, headers=headers, json={"role": "editor"}
    )
    assert answer.json()["role"] == "editor"
