"""Single sign-on in a browser: signing in, what the claims grant, and signing out."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from aiohttp import web
from structlog.testing import capture_logs

from horae.domain.people.single_sign_on import Create, Rules
from horae.oidc import wire

from .browsing import CALLBACK, RULES, URL, Browser, asked, sso_api
from .conftest import Api
from .hostile_provider import Hostile, hostile
from .people import PASSWORD, add_user
from .test_refusals import counted
from .test_second_factor import Person


@pytest.fixture
async def provider() -> AsyncIterator[Hostile]:
    async with hostile() as running:
        yield running


@pytest.fixture
async def api(api: Api, provider: Hostile) -> Api:
    await add_user(api.store, "root", admin=True)  # someone is there already
    return sso_api(api.store, provider, api.tokens)


@pytest.fixture
async def browser(api: Api, provider: Hostile) -> Browser:
    return Browser(api, provider)


async def test_the_way_in(api: Api, browser: Browser, provider: Hostile):
    query = await browser.begin("/jobs?q=1")
    assert query["response_type"] == "code"
    assert (query["redirect_uri"], query["client_id"], query["scope"]) == (CALLBACK, "horae", "openid profile")
    assert (query["code_challenge_method"], len(query["code_challenge"])) == ("S256", 43)
    assert len({query["state"], query["nonce"], query["code_challenge"]}) == 3
    assert await browser.come_back(code=provider.grant(query), state=query["state"]) == "/jobs?q=1#sso=in"
    me = await browser.me()
    assert (me["actor"], me["is_admin"], me["user"]["has_password"]) == ("user:ada", False, False)
    assert [(place["slug"], place["role"]) for place in me["projects"]] == [("default", "editor")]
    assert not [name for name in browser.http.cookies if name.startswith("horae_sso_")], "the attempt is over"


async def test_state_cookies_are_http_only_and_short_lived(browser: Browser, provider: Hostile):
    answer = await browser.http.post("/api/v1/auth/sso/start", json={})
    (kept,) = answer.headers.get_list("set-cookie")
    for part in ("HttpOnly", "SameSite=lax", "Max-Age=600", "Path=/"):
        assert part in kept
    query = asked(answer.json()["url"])
    for secret in (query["nonce"], query["state"][16:]):
        assert secret not in kept, "it is sealed"
    code = provider.grant(query)
    answer = await browser.http.get("/api/v1/auth/sso/callback", params={"code": code, "state": query["state"]})
    refresh = next(one for one in answer.headers.get_list("set-cookie") if one.startswith("horae_refresh="))
    assert "SameSite=strict" in refresh
    assert "HttpOnly" in refresh
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"


async def test_behind_https_no_neighbour_can_plant_one(api: Api, provider: Hostile):
    secure = sso_api(api.store, provider, api.tokens, public_url="https://horae.test")
    browser = Browser(secure, provider)
    browser.http.base_url = httpx.URL("https://horae.test")
    answer = await browser.http.post("/api/v1/auth/sso/start", json={})
    (kept,) = answer.headers.get_list("set-cookie")
    assert kept.startswith("__Host-horae_sso_")
    assert "Secure" in kept
    query = asked(answer.json()["url"])
    code, name = provider.grant(query), kept.partition("=")[0]
    browser.http.cookies.set(name.removeprefix("__Host-"), browser.http.cookies[name], domain="horae.test")
    browser.http.cookies.delete(name)
    assert await browser.come_back(code=code, state=query["state"]) == "/#sso=expired"
    assert await browser.sign_in() == "/jobs#sso=in"


async def test_one_process_finishes_what_another_began(api: Api, browser: Browser, provider: Hostile):
    query = await browser.begin()
    another = Browser(sso_api(api.store, provider, api.tokens), provider)
    another.http.cookies = browser.http.cookies
    assert await another.come_back(code=provider.grant(query), state=query["state"]) == "/jobs#sso=in"


async def test_roles_follow_the_groups(browser: Browser, provider: Hostile):
    await browser.sign_in()
    provider.person["groups"] = ["boss"]
    await browser.sign_in()
    me = await browser.me()
    assert (me["is_admin"], me["projects"]) == (True, [])
    provider.person["groups"] = []
    await browser.sign_in()
    me = await browser.me()
    assert (me["is_admin"], me["projects"]) == (False, [])


async def test_a_session_that_is_ended_is_over_at_once(api: Api, browser: Browser):
    await browser.sign_in()
    token = (await browser.tokens())["access_token"]
    headers = {"authorization": f"Bearer {token}"}
    assert (await browser.http.get("/api/v1/jobs", headers=headers)).status_code == 200
    assert (await api.call("PATCH", "/users/ada", json={"is_active": False})).status_code == 200
    assert (await browser.http.get("/api/v1/jobs", headers=headers)).status_code == 401
    assert await browser.sign_in() == "/jobs#sso=inactive"


@pytest.mark.parametrize(
    "path", ["https://evil.test/", "//evil.test", "/\\evil.test", "jobs", "", "/a\nb", "/jobs#x", "javascript:alert(1)"]
)
async def test_open_redirects_are_refused(browser: Browser, path: str):
    answer = await browser.http.post("/api/v1/auth/sso/start", json={"next": path})
    assert (answer.status_code, answer.json()["field"]) == (422, "next")


async def test_what_the_provider_calls_itself_is_compared_to_the_letter(api: Api, browser: Browser, provider: Hostile):
    provider.metadata = {"issuer": provider.issuer + "/"}
    answer = await browser.http.post("/api/v1/auth/sso/start", json={})
    assert answer.status_code == 503
    assert "Example is not responding" in answer.json()["detail"]


async def _stuck() -> web.Response:
    import asyncio

    await asyncio.Event().wait()
    raise AssertionError


BROKEN: dict[str, Any] = {
    "an error": lambda: web.Response(status=500),
    "no JSON": lambda: web.Response(text="<html>"),
    "a list": lambda: web.json_response([]),
    "nothing of use": lambda: web.json_response({}),
    "a redirect": lambda: web.HTTPFound("http://127.0.0.1:9/"),
    "without end": lambda: web.Response(body=b'"' + b"x" * (2 << 20)),
    "no answer": _stuck,
}


@pytest.mark.parametrize("how", BROKEN)
async def test_a_provider_that_is_away_or_broken(
    browser: Browser, provider: Hostile, how: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(wire, "TIMEOUT", 0.5)
    provider.answer = BROKEN[how]
    answer = await browser.http.post("/api/v1/auth/sso/start", json={})
    assert answer.status_code == 503, answer.text
    assert "retry-after" in answer.headers
    assert (await browser.http.get("/health")).status_code == 200
    body = {"username": "root", "password": PASSWORD}
    assert (await browser.http.post("/api/v1/auth/login", json=body)).status_code == 200
    asked_before = len(provider.asked)
    await browser.http.post("/api/v1/auth/sso/start", json={})
    assert len(provider.asked) == asked_before, "people who come at once do not wait one after the other"


async def test_a_flood_while_the_provider_is_away_leaves_few_lines(api: Api, browser: Browser, provider: Hostile):
    provider.answer = BROKEN["an error"]
    with capture_logs() as logged:
        for _ in range(40):
            assert (await browser.http.post("/api/v1/auth/sso/start", json={})).status_code == 503
    assert 10 <= len(logged) <= 20
    assert {(line["event"], line["kind"], line["reason"]) for line in logged} == {("refused", "sso", "unavailable")}
    assert (await counted(api))["sso"] == 40


async def test_a_provider_that_breaks_half_way(browser: Browser, provider: Hostile):
    query = await browser.begin()
    provider.answer = BROKEN["an error"]
    assert await browser.come_back(code=provider.grant(query), state=query["state"]) == "/jobs#sso=unavailable"
    assert not browser.is_in


@pytest.mark.parametrize(("error", "told"), [("access_denied", "denied"), ("server_error", "unavailable")])
async def test_errors_of_the_provider_are_shown_without_their_text(browser: Browser, error: str, told: str):
    query = await browser.begin()
    words = {"error": error, "error_description": "<script>alert(1)</script>", "state": query["state"]}
    assert await browser.come_back(**words) == f"/jobs#sso={told}"


async def test_claims_from_the_userinfo_endpoint(browser: Browser, provider: Hostile):
    provider.userinfo = {"sub": provider.person["sub"], "groups": provider.person.pop("groups")}
    provider.userinfo["iss"] = "ignored"
    assert await browser.sign_in() == "/jobs#sso=in"
    assert (await browser.me())["projects"][0]["role"] == "editor"


async def test_an_address_is_not_verified_by_what_is_said_of_another(api: Api, provider: Hostile):
    rules = Rules(email_domains=("example.org",), create=Create.ALL)
    browser = Browser(sso_api(api.store, provider, api.tokens, rules=rules), provider)
    provider.told = {"email": "boss@example.org", "email_verified": None}
    provider.userinfo = {"sub": provider.person["sub"], "email": "ada@evil.test", "email_verified": True}
    assert await browser.sign_in() == "/jobs#sso=domain"
    provider.userinfo["email"] = "boss@example.org"
    assert await browser.sign_in() == "/jobs#sso=in"


async def test_the_secret_goes_where_the_provider_takes_it(browser: Browser, provider: Hostile):
    provider.metadata = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    assert await browser.sign_in() == "/jobs#sso=in"


@pytest.mark.parametrize(
    ("rules", "claims", "told"),
    [
        (Rules(email_domains=("example.org",), create=Create.ALL), {}, "in"),
        (Rules(email_domains=("example.org",), create=Create.ALL), {"email_verified": False}, "domain"),
        (Rules(email_domains=("example.org",), create=Create.ALL), {"email_verified": None}, "domain"),
        (Rules(email_domains=("example.org",), create=Create.ALL), {"email": "a@example.org.evil.test"}, "domain"),
        (Rules(email_domains=("example.org",), create=Create.ALL), {"email": "a@example.org@evil.test"}, "domain"),
        (RULES, {"groups": ["others"]}, "unknown"),
        (RULES, {"groups": None, "_claim_names": {"groups": "src1"}}, "rejected"),
        (RULES, {"preferred_username": "root"}, "taken"),
        (RULES, {"sub": "x" * 256}, "rejected"),
        (RULES, {"sub": ""}, "rejected"),
        (RULES, {"sub": "somebody "}, "rejected"),
    ],
)
async def test_rules_decide_who_can_sign_in(
    api: Api, provider: Hostile, rules: Rules, claims: dict[str, Any], told: str
):
    browser = Browser(sso_api(api.store, provider, api.tokens, rules=rules), provider)
    provider.told = claims
    assert await browser.sign_in() == f"/jobs#sso={told}"
    assert browser.is_in == (told == "in")


async def test_an_account_of_the_same_name_is_linked_only_by_its_user(api: Api, browser: Browser, provider: Hostile):
    token = await add_user(api.store, "ada")
    assert await browser.sign_in() == "/jobs#sso=taken"
    headers = {"authorization": f"Bearer {token}"}
    body = {"next": "/settings/account", "password": "not this one"}
    assert (await browser.http.post("/api/v1/auth/sso/link", json=body, headers=headers)).status_code == 403
    body["password"] = PASSWORD
    answer = await browser.http.post("/api/v1/auth/sso/link", json=body, headers=headers)
    query = asked(answer.json()["url"])
    back = await browser.come_back(code=provider.grant(query), state=query["state"])
    assert back == "/settings/account#sso=connected"
    me = await browser.me()
    assert (me["actor"], me["user"]["has_password"]) == ("user:ada", False)
    assert (await browser.http.get("/api/v1/auth/me", headers=headers)).status_code == 401, (
        "a new session, not that one"
    )
    body = {"username": "ada", "password": PASSWORD}
    assert (await browser.http.post("/api/v1/auth/login", json=body)).status_code == 401
    assert await browser.sign_in() == "/jobs#sso=in"
    key = {"authorization": f"Bearer {api.tokens['owner']}"}
    answer = await browser.http.post("/api/v1/auth/sso/link", json={"password": "x"}, headers=key)
    assert answer.status_code == 403


async def test_connecting_takes_the_second_factor_that_it_ends(api: Api, browser: Browser, provider: Hostile):
    """Or an open browser and a stolen password would do what turning it off does not let them do."""
    ada = await Person(api, "ada", await add_user(api.store, "ada")).enrol()
    headers = {"authorization": f"Bearer {ada.token}"}

    async def link(**code: str) -> httpx.Response:
        body = {"password": PASSWORD, **code}
        return await browser.http.post("/api/v1/auth/sso/link", json=body, headers=headers)

    answer = await link()
    assert (answer.status_code, answer.json()["field"]) == (409, "code")
    assert (await link(code="abcd-efgh-jkmn-pqrs")).status_code == 403
    answer = await link(code=ada.recovery[0])
    assert answer.status_code == 200, answer.text
    assert (await link(code=ada.recovery[0])).status_code == 403, "a code is good once"
    query = asked(answer.json()["url"])
    assert await browser.come_back(code=provider.grant(query), state=query["state"]) == "/#sso=connected"
    assert not (await browser.me())["user"]["second_factor"]


async def test_a_sign_in_does_not_reset_failed_attempts_of_others(api: Api, browser: Browser):
    """Otherwise a user could keep guessing the passwords of others from the same address."""
    body = {"password": "wrong"}
    for n in range(29):
        answer = await browser.http.post("/api/v1/auth/login", json={**body, "username": f"nobody-{n}"})
        assert answer.status_code == 401
    assert await browser.sign_in() == "/jobs#sso=in"
    tries = [
        (await browser.http.post("/api/v1/auth/login", json={**body, "username": f"none-{n}"})).status_code
        for n in range(3)
    ]
    assert tries[-1] == 429


async def test_the_way_out_leads_past_the_provider(browser: Browser, provider: Hostile):
    await browser.sign_in()
    answer = await browser.http.post("/api/v1/auth/logout", json={}, headers={"horae-client": "portal"})
    assert answer.status_code == 200
    told = asked(answer.json()["url"])
    assert answer.json()["url"].startswith(f"{provider.url}/logout?")
    assert (told["post_logout_redirect_uri"], told["client_id"]) == (f"{URL}/", "horae")
    assert told["id_token_hint"].count(".") == 2
    assert not browser.is_in
    body = {"username": "root", "password": PASSWORD}
    assert (await browser.http.post("/api/v1/auth/login", json=body, headers={"horae-client": "portal"})).is_success
    assert (await browser.http.post("/api/v1/auth/logout", json={})).status_code == 204


async def test_an_account_without_a_password_has_none_to_guess_or_change(api: Api, browser: Browser):
    await browser.sign_in()
    for password in ("!", "", "anything at all"):
        body = {"username": "ada", "password": password or "x"}
        answer = await browser.http.post("/api/v1/auth/login", json=body)
        assert answer.status_code == 401
        assert "username or password" in answer.json()["detail"]
    headers = {"authorization": f"Bearer {(await browser.tokens())['access_token']}"}
    body = {"password": "!", "new_password": "nine red kites above"}
    assert (await browser.http.post("/api/v1/auth/password", json=body, headers=headers)).status_code == 403
    answer = await api.call("PATCH", "/users/ada", json={"password": "nine red kites above"})
    assert (answer.status_code, answer.json()["field"]) == (409, "password")


async def test_without_passwords(api: Api, provider: Hostile):
    strict = sso_api(api.store, provider, api.tokens, password_sign_in=False, allow_signup=True)
    start = (await strict.call("GET", "/auth/start", role=None)).json()
    assert start == {"first_admin": False, "open_signup": False, "password": False, "sso": "Example"}
    for path in ("login", "signup"):
        body = {"username": "root", "password": PASSWORD}
        answer = await strict.call("POST", f"/auth/{path}", role=None, json=body)
        assert answer.status_code == 403
        assert "sign in with Example" in answer.json()["detail"]
    assert await Browser(strict, provider).sign_in() == "/jobs#sso=in"


async def test_where_it_is_not_set_up(api: Api):
    from horae.api.app import build
    from horae.api.context import ApiSettings

    from .conftest import CLOCK, IDS, SECRET

    plain = Api(build(api.store, ApiSettings(SECRET), IDS, CLOCK), api.store, api.tokens)
    assert (await plain.call("GET", "/auth/start", role=None)).json()["sso"] is None
    assert (await plain.call("POST", "/auth/sso/start", role=None, json={})).status_code == 404
    assert (await plain.call("GET", "/auth/sso/callback", role=None)).status_code == 404


async def test_what_is_refused_leaves_a_trace(api: Api, browser: Browser):
    assert await browser.come_back(code="x", state="y") == "/#sso=expired"
    assert 'horae_auth_failures_total{kind="sso"} 1' in (await api.call("GET", "/metrics")).text
