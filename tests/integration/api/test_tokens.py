"""Attacks on tokens: forged, changed, outdated and replayed ones; and the cookie of the portal."""

import asyncio
import base64
import json
from datetime import timedelta
from typing import Any

import httpx
import jwt
import pytest

from horae.api.app import build
from horae.api.context import ApiSettings
from horae.api.signing_in.jwt import AUDIENCE, AccessTokens, Claims, derived
from horae.api.signing_in.refreshing import RefreshTokens
from tests.waiting import until

from .conftest import CLOCK, IDS, SECRET, Api
from .people import PASSWORD, add_user

KEY = derived(SECRET, b"horae tokens 1: access")
OTHER = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
HOST = {"host": "horae.example", "origin": "http://horae.example"}


async def signed_in(api: Api, **headers: str) -> dict[str, Any]:
    body = {"username": "ada", "password": PASSWORD}
    answer = await api.call("POST", "/auth/login", role=None, json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def me(api: Api, token: str) -> int:
    answer = await api.call("GET", "/auth/me", role=None, headers={"authorization": f"Bearer {token}".encode()})
    return answer.status_code


async def refresh(api: Api, token: str | None) -> httpx.Response:
    return await api.call("POST", "/auth/refresh", role=None, json={"refresh_token": token})


@pytest.fixture
async def good(api: Api) -> dict[str, Any]:
    """What a token of a real session says."""
    token = await add_user(api.store, "ada", default="viewer")
    assert await me(api, token) == 200
    found: dict[str, Any] = jwt.decode(token, KEY, algorithms=["HS256"], audience=AUDIENCE)
    return found


def forged(claims: dict[str, Any], key: Any = KEY, algorithm: str = "HS256", **headers: Any) -> str:
    return jwt.encode(claims, key, algorithm, headers=headers or None)


def unsigned(claims: dict[str, Any], algorithm: str) -> str:
    parts = [json.dumps(part).encode() for part in ({"alg": algorithm, "typ": "JWT"}, claims)]
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts) + "."


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
async def test_forged_access_tokens_are_refused(api: Api, good: dict[str, Any]):
    assert await me(api, forged(good)) == 200
    now = int(CLOCK.now().timestamp())
    hour = 3_600
    wrong = {
        "none": unsigned(good, "none"),
        "None": unsigned(good, "nOnE"),
        "no signature": forged(good).rpartition(".")[0] + ".",
        "another algorithm": forged(good, algorithm="HS512"),
        "the secret key itself": forged(good, SECRET.encode()),
        "another purpose": forged(good, derived(SECRET, b"horae tokens 1: refresh")),
        "another installation": forged(good, derived(OTHER, b"horae tokens 1: access")),
        "expired": forged({**good, "iat": now - hour, "exp": now - 31}),
        "of the future": forged({**good, "iat": now + hour, "exp": now + hour + 900}),
        "another audience": forged({**good, "aud": "horae-portal"}),
        "another issuer": forged({**good, "iss": "somebody"}),
        "a session that is none": forged({**good, "sid": IDS.new()}),
        "a session that is no id": forged({**good, "sid": "' OR 1=1 --"}),
        "a session that is no text": forged({**good, "sid": 7}),
        "another user": forged({**good, "sub": IDS.new()}),
        "a user that is no text": forged({**good, "sub": 7}),
        "not a JWT": "x.y.z",
        "too long": forged({**good, "x": "y" * 4_000}),
        "a key by reference": forged(good, b"x" * 32, jku="https://example.org/keys", kid="../../dev/null"),
    }
    for claim in ("exp", "iat", "sub", "aud", "iss", "sid"):
        wrong[f"without {claim}"] = forged({name: value for name, value in good.items() if name != claim})
    statuses = {name: await me(api, token) for name, token in wrong.items()}
    assert {name: status for name, status in statuses.items() if status != 401} == {}


async def test_a_token_that_was_changed_anywhere_is_refused(api: Api, good: dict[str, Any]):
    token = forged(good)
    head, payload, signature = token.split(".")
    for part, text in enumerate((head, payload, signature)):
        for place in (0, len(text) // 2, len(text) - 2):
            other = "A" if text[place] != "A" else "B"
            parts = [head, payload, signature]
            parts[part] = text[:place] + other + text[place + 1 :]
            assert await me(api, ".".join(parts)) == 401
    admin = base64.urlsafe_b64encode(json.dumps({**good, "is_admin": True}).encode()).rstrip(b"=").decode()
    assert await me(api, f"{head}.{admin}.{signature}") == 401


async def test_claims_in_a_token_give_no_rights(api: Api, good: dict[str, Any]):
    """Even a well-signed one says who, not what they may."""
    token = forged({**good, "is_admin": True, "role": "admin"})
    answer = await api.call("GET", "/users", role=None, headers={"authorization": f"Bearer {token}"})
    assert answer.status_code == 403


async def test_tokens_of_the_key_before_are_good_while_it_is_being_changed(api: Api):
    await add_user(api.store, "ada", default="viewer")
    old = await signed_in(api)
    rotated = Api(build(api.store, ApiSettings(OTHER, secret_key_previous=SECRET), IDS, CLOCK), api.store, api.tokens)
    after = Api(build(api.store, ApiSettings(OTHER), IDS, CLOCK), api.store, api.tokens)
    assert [await me(at, old["access_token"]) for at in (rotated, after)] == [200, 401]
    assert (await refresh(after, old["refresh_token"])).status_code == 401  # and the session continues
    new = await refresh(rotated, old["refresh_token"])
    assert new.status_code == 200
    assert [await me(at, new.json()["access_token"]) for at in (rotated, after)] == [200, 200]


async def test_a_replayed_refresh_token_ends_the_session(api: Api):
    await add_user(api.store, "ada", default="viewer")
    first = await signed_in(api)
    second = (await refresh(api, first["refresh_token"])).json()
    assert await me(api, second["access_token"]) == 200
    assert (await refresh(api, first["refresh_token"])).status_code == 401
    assert (await refresh(api, second["refresh_token"])).status_code == 401
    assert [await me(api, one["access_token"]) for one in (first, second)] == [401, 401]


async def test_of_two_refreshes_at_the_same_instant_one_wins(api: Api):
    await add_user(api.store, "ada", default="viewer")
    first = await signed_in(api)
    answers = await asyncio.gather(*(refresh(api, first["refresh_token"]) for _ in range(2)))
    assert sorted(answer.status_code for answer in answers) == [200, 401]
    (won,) = [answer.json() for answer in answers if answer.status_code == 200]
    assert await me(api, won["access_token"]) == 401


async def test_made_up_refresh_tokens_do_no_harm(api: Api):
    await add_user(api.store, "ada", default="viewer")
    first = await signed_in(api)
    named, _, mac = first["refresh_token"].rpartition(".")
    prefix, session, generation, secret = named.split(".")
    other = RefreshTokens([OTHER]).mint(session, 1)[0]
    for wrong in (
        *(other, f"{named}.{mac[::-1]}", f"{named}.", named, "x", "", None),
        *(f"{prefix}.{session}.2.{secret}.{mac}", f"{prefix}.{session}.0.{secret}.{mac}"),
        *(f"{prefix}.{IDS.new()}.{generation}.{secret}.{mac}", first["refresh_token"] + "\n", first["access_token"]),
    ):
        assert (await refresh(api, wrong)).status_code == 401, wrong
    assert await me(api, first["refresh_token"]) == 401  # it is no access token, either
    assert (await refresh(api, first["refresh_token"])).status_code == 200


async def test_signing_out_works_at_once_here_and_soon_elsewhere(api: Api):
    await add_user(api.store, "ada", default="viewer")
    settings = ApiSettings(SECRET, key_cache=0.05)
    elsewhere = Api(build(api.store, settings, IDS, CLOCK), api.store, api.tokens)
    for by in ("refresh", "access", "both"):
        found = await signed_in(api)
        access = found["access_token"]
        assert [await me(at, access) for at in (api, elsewhere)] == [200, 200]
        body = {"refresh_token": found["refresh_token"]} if by != "access" else {}
        headers = {"authorization": f"Bearer {access}"} if by != "refresh" else {}
        for _ in range(2):
            gone = await api.call("POST", "/auth/logout", role=None, json=body, headers=headers)
            assert gone.status_code == 204
        assert await me(api, access) == 401
        await becomes(elsewhere, access, 401)
    assert (await api.call("POST", "/auth/logout", role=None)).status_code == 204


async def test_signing_out_everywhere_ends_all_sessions_of_one_user(api: Api):
    await add_user(api.store, "ada", default="viewer")
    await add_user(api.store, "bob", default="viewer")
    here, there = await signed_in(api), await signed_in(api)
    body = {"username": "bob", "password": PASSWORD}
    bob = (await api.call("POST", "/auth/login", role=None, json=body)).json()["access_token"]
    mine = {"authorization": f"Bearer {here['access_token']}"}
    assert (await api.call("DELETE", "/auth/sessions", role=None, headers=mine)).status_code == 204
    assert await me(api, here["access_token"]) == 401
    await becomes(api, there["access_token"], 401)
    for found in (here, there):
        assert (await refresh(api, found["refresh_token"])).status_code == 401
    again = await signed_in(api)
    assert (await api.call("DELETE", "/users/ada/sessions", role="owner")).status_code == 403
    assert (await api.call("DELETE", "/users/ada/sessions")).status_code == 204
    await becomes(api, again["access_token"], 401)
    assert await me(api, bob) == 200
    told = (await api.call("GET", "/audit", params={"action": "user.sign_out"})).json()["items"]
    assert [(one["actor"], one["subject"]["name"]) for one in told] == [("key:admin", "ada"), ("user:ada", "ada")]


async def becomes(api: Api, token: str, wanted: int, path: str = "/auth/me") -> None:
    async def is_so() -> bool:
        answer = await api.call("GET", path, role=None, headers={"authorization": f"Bearer {token}"})
        return answer.status_code == wanted

    found: bool = await until(is_so)
    assert found


async def test_deactivation_and_demotion_take_effect_within_seconds(api: Api):
    settings = ApiSettings(SECRET, key_cache=0.05)
    quick = Api(build(api.store, settings, IDS, CLOCK), api.store, api.tokens)
    token = await add_user(api.store, "ada", admin=True, default="viewer")
    await add_user(api.store, "root", admin=True)

    async def status(path: str) -> int:
        answer = await quick.call("GET", path, role=None, headers={"authorization": f"Bearer {token}"})
        return answer.status_code

    assert await status("/users") == 200
    await quick.call("PATCH", "/users/ada", json={"is_admin": False})
    await becomes(quick, token, 403, "/users")
    await quick.call("DELETE", "/projects/default/members/ada")
    await becomes(quick, token, 403, "/jobs")
    assert await status("/auth/me") == 200
    await quick.call("PATCH", "/users/ada", json={"is_active": False})
    await becomes(quick, token, 401)
    await quick.call("PATCH", "/users/ada", json={"is_active": True})
    assert await status("/auth/me") == 401  # they must sign in again


async def test_an_access_token_is_good_for_a_quarter_of_an_hour_at_most(good: dict[str, Any]):
    token = AccessTokens([SECRET]).mint(Claims("u", "s"), CLOCK.now())
    claims = jwt.decode(token, KEY, algorithms=["HS256"], audience=AUDIENCE)
    assert claims["exp"] - claims["iat"] <= timedelta(minutes=15).total_seconds()


# ---- the portal's cookie


def cookie_of(answer: httpx.Response) -> tuple[str, set[str]]:
    value, *flags = answer.headers["set-cookie"].split("; ")
    return value.partition("=")[2], {flag.lower() for flag in flags}


async def test_the_portal_gets_its_refresh_token_as_a_cookie(api: Api):
    await add_user(api.store, "ada", default="viewer")
    body = {"username": "ada", "password": PASSWORD}
    portal = {"horae-client": "portal", **HOST}
    answer = await api.call("POST", "/auth/login", role=None, json=body, headers=portal)
    token, flags = cookie_of(answer)
    assert answer.json()["refresh_token"] is None
    assert {"httponly", "samesite=strict", "path=/api/v1/auth"} <= flags
    assert "secure" not in flags  # this is plain http
    cookie = {"cookie": f"horae_refresh={token}"}
    for origin in (
        {},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://horae.example.evil"},
        {"origin": "https://horae.example"},  # another scheme is another origin
    ):
        headers = {"host": "horae.example", "horae-client": "portal", **cookie, **origin}
        refused = await api.call("POST", "/auth/refresh", role=None, headers=headers)
        assert refused.status_code == 403, origin
        assert (await api.call("POST", "/auth/logout", role=None, headers=headers)).status_code == 403
    renewed = await api.call("POST", "/auth/refresh", role=None, headers={**portal, **cookie})
    assert renewed.status_code == 200
    lost, _ = cookie_of(renewed)
    assert lost != token
    assert await me(api, renewed.json()["access_token"]) == 200
    # a page that was reloaded in the middle never got the new cookie
    renewed = await api.call("POST", "/auth/refresh", role=None, headers={**portal, **cookie})
    assert renewed.status_code == 200
    fresh, _ = cookie_of(renewed)
    assert fresh not in (token, lost)
    # a cookie is no way to ask for anything else
    assert (await api.call("GET", "/auth/me", role=None, headers={**portal, **cookie})).status_code == 401
    gone = await api.call("POST", "/auth/logout", role=None, headers={**portal, "cookie": f"horae_refresh={fresh}"})
    assert (gone.status_code, cookie_of(gone)[0]) == (204, '""')
    assert await me(api, renewed.json()["access_token"]) == 401


async def test_the_cookie_is_secure_where_the_browser_speaks_https(api: Api):
    await add_user(api.store, "ada")
    body = {"username": "ada", "password": PASSWORD}
    for settings, headers, secure in (
        (ApiSettings(SECRET, public_url="https://horae.example"), {}, True),
        (ApiSettings(SECRET, trusted_proxies=("127.0.0.1/32",)), {"x-forwarded-proto": "https"}, True),
        (ApiSettings(SECRET), {"x-forwarded-proto": "https"}, False),
    ):
        at = Api(build(api.store, settings, IDS, CLOCK), api.store, api.tokens)
        answer = await at.call(
            "POST", "/auth/login", role=None, json=body, headers={"horae-client": "portal", **headers}
        )
        assert ("secure" in cookie_of(answer)[1]) is secure
