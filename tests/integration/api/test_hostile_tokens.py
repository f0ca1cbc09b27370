"""ID tokens and answers that were tampered with, or that belong to another sign-in."""

import base64
import json
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any

import jwt
import pytest

from .browsing import RULES, Browser, sso_api
from .conftest import CLOCK, Api
from .hostile_provider import Claims, Hostile, Key, hostile
from .people import add_user

DAY = 86_400
NOW = int(CLOCK.now().timestamp())  # or a while ago: no test may mind
Change = Callable[[Hostile], Any]


@pytest.fixture
async def provider() -> AsyncIterator[Hostile]:
    async with hostile() as running:
        yield running


@pytest.fixture
async def browser(api: Api, provider: Hostile) -> Browser:
    await add_user(api.store, "root", admin=True)
    return Browser(sso_api(api.store, provider, api.tokens, rules=RULES), provider)


def raw(header: Claims, claims: Claims, signature: bytes = b"") -> str:
    parts = [json.dumps(header).encode(), json.dumps(claims).encode(), signature]
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


def by_public_key(provider: Hostile) -> Callable[[Claims], str]:
    """HS256, with what is public as the secret: libraries that let the token choose would take it."""

    def sign(claims: Claims) -> str:
        import hashlib
        import hmac

        head = raw({"alg": "HS256", "kid": "first"}, claims).rpartition(".")[0]
        mac = hmac.new(provider.key.pem, head.encode(), hashlib.sha256).digest()
        return f"{head}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"

    return sign


def told(**claims: Any) -> Change:
    return lambda provider: provider.told.update(claims)


def signed(sign: Callable[[Hostile], Callable[[Claims], str]]) -> Change:
    def change(provider: Hostile) -> None:
        provider.sign = sign(provider)

    return change


def changed(provider: Hostile) -> Callable[[Claims], str]:
    """A good token whose claims were changed afterwards."""

    def sign(claims: Claims) -> str:
        head, _, mac = provider.key.sign(claims).split(".")
        body = base64.urlsafe_b64encode(json.dumps({**claims, "sub": "admin"}).encode()).rstrip(b"=").decode()
        return f"{head}.{body}.{mac}"

    return sign


ATTACKS: dict[str, Change] = {
    "for another client": told(aud="other"),
    "for several clients": told(aud=["horae", "other"]),
    "for several, issued to another": told(aud=["horae", "other"], azp="other"),
    "issued to another": told(azp="other"),
    "of another issuer": told(iss="https://evil.test"),
    "of an issuer with a slash more": lambda provider: provider.told.update(iss=provider.issuer + "/"),
    "expired": told(exp=NOW - 3600),
    "without an end": told(exp=None),
    "not valid yet": told(nbf=NOW + DAY),
    "from the future": told(iat=NOW + DAY, exp=NOW + 2 * DAY),
    "issued long ago": told(iat=NOW - DAY),
    "without a time": told(iat=None),
    "of another sign-in": told(nonce="of somebody else"),
    "of no sign-in": told(nonce=None),
    "about nobody": told(sub=None),
    "about a number": told(sub=7),
    "an expiry that is no number": told(exp="tomorrow"),
    "a nonce that is no text": told(nonce=["x"]),
    "alg none": signed(lambda _: lambda claims: raw({"alg": "none"}, claims)),
    "alg None, with a key": signed(lambda _: lambda claims: raw({"alg": "None", "kid": "first"}, claims)),
    "HS256 by the public key": signed(by_public_key),
    "HS256 by nothing": signed(lambda _: lambda claims: jwt.encode(claims, "x" * 32, "HS256")),
    "signed by another key": signed(lambda _: Key("first").sign),
    "signed by an unknown key": signed(lambda _: Key("second").sign),
    "signed by another kind of key": signed(lambda _: Key("first", "ES256").sign),
    "changed afterwards": signed(changed),
    "no signature": signed(lambda p: lambda claims: p.key.sign(claims).rpartition(".")[0] + "."),
    "no token": signed(lambda _: lambda claims: "not a token"),
    "an endless token": signed(lambda p: lambda claims: p.key.sign({**claims, "x": "x" * 100_000})),
    "with its own key": signed(
        lambda _: (
            lambda claims: jwt.encode(
                claims, (own := Key("own")).private, "RS256", headers={"kid": "first", "jwk": own.jwk}
            )
        )
    ),
    "with an extension that must be understood": signed(
        lambda p: lambda claims: jwt.encode(claims, p.key.private, "RS256", headers={"kid": "first", "crit": ["b64"]})
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
async def test_an_invalid_id_token_is_rejected(browser: Browser, provider: Hostile, attack: str):
    ATTACKS[attack](provider)
    assert await browser.sign_in() == "/jobs#sso=rejected"
    assert not browser.is_in
    users = (await browser.api.call("GET", "/users")).json()["items"]
    assert [user["username"] for user in users] == ["root"]


@pytest.mark.parametrize("algorithm", ["RS256", "PS256", "ES256", "EdDSA"])
async def test_asymmetric_algorithms_are_accepted(browser: Browser, provider: Hostile, algorithm: str):
    provider.key = Key("first", algorithm)
    provider.published = [provider.key]
    assert await browser.sign_in() == "/jobs#sso=in"


async def test_several_clients_are_fine_if_it_is_issued_to_this_one(browser: Browser, provider: Hostile):
    provider.told = {"aud": ["horae", "other"], "azp": "horae"}
    assert await browser.sign_in() == "/jobs#sso=in"


async def test_clocks_may_differ_a_little(browser: Browser, provider: Hostile):
    now = int(CLOCK.now().timestamp())
    provider.told = {"iat": now + 30, "exp": now - 30}
    assert await browser.sign_in() == "/jobs#sso=in"


async def test_an_algorithm_that_the_provider_does_not_name(browser: Browser, provider: Hostile):
    provider.metadata = {"id_token_signing_alg_values_supported": ["ES256", "none", "HS256"]}
    assert await browser.sign_in() == "/jobs#sso=rejected"


async def test_keys_that_are_not_for_signing_are_none(browser: Browser, provider: Hostile):
    provider.key.jwk["use"] = "enc"
    assert await browser.sign_in() == "/jobs#sso=rejected"


async def test_symmetric_keys_in_the_jwks_are_rejected(browser: Browser, provider: Hostile):
    secret = base64.urlsafe_b64encode(b"x" * 32).rstrip(b"=").decode()
    provider.key.jwk = {"kty": "oct", "k": secret, "kid": "first", "alg": "HS256"}
    provider.sign = lambda claims: jwt.encode(claims, "x" * 32, "HS256", headers={"kid": "first"})
    assert await browser.sign_in() == "/jobs#sso=rejected"


# ---- answers that belong to another sign-in


async def test_a_code_is_good_once(browser: Browser, provider: Hostile):
    query = await browser.begin()
    code = provider.grant(query)
    kept = dict(browser.http.cookies)
    assert await browser.come_back(code=code, state=query["state"]) == "/jobs#sso=in"
    assert await browser.come_back(code=code, state=query["state"]) == "/#sso=expired", "the attempt is over"
    for name, value in kept.items():
        browser.http.cookies.set(name, value)
    assert await browser.come_back(code=code, state=query["state"]) == "/jobs#sso=expired", "and so is the code"


async def test_an_answer_to_another_browser_is_worthless(browser: Browser, provider: Hostile):
    """Login CSRF: an attacker makes a victim's browser finish the sign-in that the attacker began."""
    attacker = Browser(browser.api, provider)
    query = await attacker.begin()
    assert await browser.come_back(code=provider.grant(query), state=query["state"]) == "/#sso=expired"
    mine = await browser.begin()
    assert await browser.come_back(code=provider.grant(query), state=query["state"]) == "/#sso=expired"
    # With their own state, the other's code does not fit the verifier.
    assert await browser.come_back(code=provider.grant(query), state=mine["state"]) == "/jobs#sso=expired"
    assert not browser.is_in


async def test_a_cookie_that_was_made_up_or_moved(browser: Browser, provider: Hostile):
    query, other = await browser.begin(), await browser.begin()
    names = [name for name in browser.http.cookies if name.startswith("horae_sso_")]
    first, second = sorted(names, key=lambda name: name.endswith(other["state"][:16]))
    moved = browser.http.cookies[second]
    browser.http.cookies.delete(first)
    browser.http.cookies.set(first, moved, domain="horae.test", path="/")
    assert await browser.come_back(code=provider.grant(query), state=query["state"]) == "/#sso=expired"
    browser.http.cookies.delete(first)
    browser.http.cookies.set(first, "x.y", domain="horae.test", path="/")
    assert await browser.come_back(code=provider.grant(query), state=query["state"]) == "/#sso=expired"


async def test_a_sign_in_that_took_too_long(browser: Browser, provider: Hostile, monkeypatch: pytest.MonkeyPatch):
    query = await browser.begin()
    later = CLOCK.now() + timedelta(minutes=11)
    monkeypatch.setattr(type(CLOCK), "now", lambda self: later)
    assert await browser.come_back(code=provider.grant(query), state=query["state"]) == "/#sso=expired"


async def test_an_answer_of_another_provider(browser: Browser, provider: Hostile):
    """Mix-up: what one provider sent is not taken to another."""
    query = await browser.begin()
    back = await browser.come_back(code=provider.grant(query), state=query["state"], iss="https://evil.test")
    assert back == "/jobs#sso=rejected"


async def test_a_provider_that_names_itself_always_does(browser: Browser, provider: Hostile):
    provider.metadata = {"authorization_response_iss_parameter_supported": True}
    assert await browser.sign_in() == "/jobs#sso=rejected"
    query = await browser.begin()
    back = await browser.come_back(code=provider.grant(query), state=query["state"], iss=provider.issuer)
    assert back == "/jobs#sso=in"


async def test_user_info_of_another_subject_is_rejected(browser: Browser, provider: Hostile):
    del provider.person["groups"]
    provider.userinfo = {"sub": "somebody else", "groups": ["boss"]}
    assert await browser.sign_in() == "/jobs#sso=rejected"
