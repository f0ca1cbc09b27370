"""A browser as far as single sign-on needs one: it keeps cookies, and goes where it is sent."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

from horae.api.app import build
from horae.api.context import ApiSettings
from horae.domain.people.single_sign_on import Rules, grant
from horae.oidc.provider import OpenIdProvider
from horae.store.store import SqlStore

from .conftest import CLOCK, IDS, SECRET, Api
from .hostile_provider import CLIENT, Hostile
from .hostile_provider import SECRET as CLIENT_SECRET

URL = "http://horae.test"
CALLBACK = f"{URL}/api/v1/auth/sso/callback"
RULES = Rules((grant("staff=default:editor"), grant("boss=admin")))


def sso_api(store: SqlStore, at: Hostile, tokens: dict[str, str], *, rules: Rules = RULES, **settings: Any) -> Api:
    """A server with short caches that trusts this provider."""
    provider = OpenIdProvider(
        CLOCK,
        issuer=at.issuer,
        name="Example",
        client_id=CLIENT,
        client_secret=CLIENT_SECRET,
        redirect_uri=CALLBACK,
        scopes=("openid", "profile"),
        rules=rules,
    )
    given = ApiSettings(SECRET, key_cache=0, sso=rules, **{"public_url": URL, **settings})
    return Api(build(store, given, IDS, CLOCK, provider), store, tokens)


class Browser:
    def __init__(self, api: Api, at: Hostile) -> None:
        self.api, self.at = api, at
        transport = httpx.ASGITransport(api.app, raise_app_exceptions=False)
        self.http = httpx.AsyncClient(transport=transport, base_url=URL, headers={"origin": URL})

    async def begin(self, path: str = "/jobs", **how: Any) -> dict[str, str]:
        """The request to the provider after a click on the button."""
        answer = await self.http.post("/api/v1/auth/sso/start", json={"next": path}, **how)
        assert answer.status_code == 200, answer.text
        return asked(answer.json()["url"])

    async def come_back(self, **query: str) -> str:
        """Where the browser is sent then."""
        answer = await self.http.get("/api/v1/auth/sso/callback", params=query)
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    async def sign_in(self, path: str = "/jobs") -> str:
        query = await self.begin(path)
        return await self.come_back(code=self.at.grant(query), state=query["state"])

    @property
    def is_in(self) -> bool:
        return "horae_refresh" in self.http.cookies

    async def tokens(self) -> dict[str, Any]:
        answer = await self.http.post("/api/v1/auth/refresh", json={}, headers={"horae-client": "portal"})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def me(self) -> dict[str, Any]:
        token = (await self.tokens())["access_token"]
        answer = await self.http.get("/api/v1/auth/me", headers={"authorization": f"Bearer {token}"})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


def asked(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
