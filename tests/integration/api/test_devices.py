"""Signing in a program that has no browser."""

from typing import Any

import httpx
import pytest

from horae.api.app import build
from horae.api.context import ApiSettings
from horae.domain.people.device import PAUSE

from .conftest import CLOCK, IDS, SECRET, Api
from .people import add_user


async def begin(api: Api, **body: Any) -> dict[str, Any]:
    answer = await api.call("POST", "/auth/device", role=None, json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def poll(api: Api, device: dict[str, Any]) -> dict[str, Any]:
    answer = await api.call("POST", "/auth/device/token", role=None, json={"device_code": device["device_code"]})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def as_(api: Api, token: str, method: str, code: str, **body: Any) -> httpx.Response:
    headers = {"authorization": f"Bearer {token}"}
    return await api.call(method, f"/auth/device/{code}", role=None, headers=headers, json=body or None)


async def test_an_approved_device_is_signed_in_once(api: Api):
    ada = await add_user(api.store, "ada", default="editor")
    device = await begin(api, client="horae on laptop")
    assert (device["verification_path"], device["verification_url"]) == ("/device", None)
    assert (device["expires_in"], device["interval"]) == (600, PAUSE)
    assert await poll(api, device) == {"status": "authorization_pending", "tokens": None}
    assert (await poll(api, device))["status"] == "slow_down"
    shown = (await as_(api, ada, "GET", device["user_code"].lower().replace("-", ""))).json()
    assert (shown["user_code"], shown["client"], shown["same_address"]) == (
        device["user_code"],
        "horae on laptop",
        True,
    )
    assert (await as_(api, ada, "POST", device["user_code"], approve=True)).status_code == 204
    got = await poll(api, device)
    assert got["status"] == "signed_in"
    headers = {"authorization": f"Bearer {got['tokens']['access_token']}"}
    me = await api.call("GET", "/auth/me", role=None, headers=headers)
    assert me.json()["actor"] == "user:ada"
    again = {"refresh_token": got["tokens"]["refresh_token"]}
    assert (await api.call("POST", "/auth/refresh", role=None, json=again)).status_code == 200
    assert await poll(api, device) == {"status": "expired_token", "tokens": None}
    assert (await as_(api, ada, "GET", device["user_code"])).status_code == 404


@pytest.mark.parametrize("header", ["x-forwarded-for", "x-real-ip", "forwarded"])
async def test_behind_an_unnamed_proxy_same_address_is_never_true(api: Api, header: str):
    """All requests have the proxy's address then: a stranger's device must not look like one's own."""
    device = await begin(api)
    headers = {"authorization": f"Bearer {await add_user(api.store, 'ada')}", header: "192.0.2.1"}
    shown = await api.call("GET", f"/auth/device/{device['user_code']}", role=None, headers=headers)
    assert (shown.status_code, shown.json()["same_address"]) == (200, False)


async def test_a_denied_device_is_not_signed_in(api: Api):
    ada = await add_user(api.store, "ada")
    device = await begin(api)
    assert (await as_(api, ada, "POST", device["user_code"], approve=False)).status_code == 204
    assert (await as_(api, ada, "POST", device["user_code"], approve=True)).status_code == 409
    assert (await poll(api, device))["status"] == "access_denied"


async def test_only_people_approve(api: Api):
    device = await begin(api)
    assert (await as_(api, api.tokens["admin"], "POST", device["user_code"], approve=True)).status_code == 403
    answer = await api.call("POST", f"/auth/device/{device['user_code']}", role=None, json={"approve": True})
    assert answer.status_code == 401
    assert (await poll(api, device))["status"] == "authorization_pending"


@pytest.mark.parametrize("code", ["BCDF-GHJ", "BCDF-GHJKL", "AAAA-AAAA", "BCDFGHJ1"])
async def test_malformed_user_codes_are_refused(api: Api, code: str):
    answer = await as_(api, await add_user(api.store, "ada"), "GET", code)
    assert (answer.status_code, answer.json()["field"]) == (422, "user_code")


async def test_codes_cannot_be_found_by_trying(api: Api):
    ada = await add_user(api.store, "ada")
    tried = [(await as_(api, ada, "GET", f"BCDFGHJ{last}")).status_code for last in "BCDFGHJKLMNPQ"]
    assert (tried[0], tried[-1]) == (404, 429)
    assert 429 not in tried[:10]


async def test_device_codes_cannot_be_found_by_trying(api: Api):
    api.app.state.authenticator.strangers._rate = 0.001  # a slow machine would try no faster than is allowed
    made_up = [await poll_made_up(api, n) for n in range(120)]
    assert made_up[0] == 200
    assert made_up[-1] == 429


async def poll_made_up(api: Api, n: int) -> int:
    answer = await api.call("POST", "/auth/device/token", role=None, json={"device_code": f"hd1_{n}"})
    return answer.status_code


async def test_when_trying_is_stopped_it_is_in_the_trail(api: Api):
    ada = await add_user(api.store, "ada")
    for last in "BCDFGHJKLMNPQ":
        await as_(api, ada, "GET", f"BCDFGHJ{last}")
    trail = (await api.call("GET", "/audit", params={"action": "session.refused"})).json()["items"]
    assert [one["subject"]["name"] for one in trail] == ["ada"]


async def test_a_flood_of_polls_is_stopped(api: Api):
    """Each costs a transaction, so they are rate-limited."""
    body = {"device_code": (await begin(api))["device_code"]}
    api.app.state.authenticator.strangers._rate = 0.001
    answers = [(await api.call("POST", "/auth/device/token", role=None, json=body)).status_code for _ in range(120)]
    assert (answers[0], answers[-1]) == (200, 429)


async def test_a_flood_of_codes_is_stopped(api: Api):
    answers = [(await api.call("POST", "/auth/device", role=None, json={})).status_code for _ in range(40)]
    assert (answers[0], answers[-1]) == (201, 429)


async def test_where_the_server_knows_its_own_address(api: Api):
    public = Api(
        build(api.store, ApiSettings(SECRET, public_url="https://horae.example.org"), IDS, CLOCK), api.store, api.tokens
    )
    device = await begin(public)
    assert device["verification_url"] == "https://horae.example.org/device"


async def test_control_characters_in_a_client_s_name_are_replaced(api: Api):
    ada = await add_user(api.store, "ada")
    device = await begin(api, client="evil\u202e\x1b[31m")
    assert (await as_(api, ada, "GET", device["user_code"])).json()["client"] == "evil??[31m"
