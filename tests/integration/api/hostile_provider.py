"""An identity provider that answers as a test wants, valid or not."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

import jwt
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from horae.oidc.provider import challenge

from .conftest import CLOCK

CLIENT, SECRET = "horae", "a secret: of/the client"
Claims = dict[str, Any]


class Key:
    """What signs tokens, and how it is published."""

    def __init__(self, id: str | None = "first", algorithm: str = "RS256") -> None:
        self.id, self.algorithm = id, algorithm
        self.private: Any
        kind: Any
        if algorithm.startswith(("RS", "PS")):
            self.private, kind = rsa.generate_private_key(65_537, 2_048), jwt.algorithms.RSAAlgorithm
        elif algorithm == "ES256":
            self.private, kind = ec.generate_private_key(ec.SECP256R1()), jwt.algorithms.ECAlgorithm
        else:
            self.private, kind = ed25519.Ed25519PrivateKey.generate(), jwt.algorithms.OKPAlgorithm
        public = json.loads(kind.to_jwk(self.private.public_key()))
        self.jwk = {**public, "use": "sig", **({"kid": id} if id else {})}

    def sign(self, claims: Claims) -> str:
        return jwt.encode(claims, self.private, self.algorithm, headers={"kid": self.id} if self.id else None)

    @property
    def pem(self) -> bytes:
        return bytes(self.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))


class Hostile:
    """By default it is honest. Codes are `code-1`, `code-2` and so on, each good once."""

    def __init__(self, url: str) -> None:
        self.url = self.issuer = url
        self.key = Key()
        self.published = [self.key]
        self.person: Claims = {
            "sub": "248289761001",
            "preferred_username": "ada",
            "groups": ["staff"],
            "email": "ada@example.org",
            "email_verified": True,
        }
        self.told: Claims = {}  # over what is true
        self.sign: Callable[[Claims], str] | None = None
        self.metadata: Claims = {}  # over what is true
        self.userinfo: Claims | None = None
        self.answer: Callable[[], Any] | None = None  # instead of what is asked for
        self.codes: dict[str, dict[str, str]] = {}
        self.asked: list[str] = []

    def grant(self, query: dict[str, str]) -> str:
        """A code for a user who signed in, as the browser returns it."""
        code = f"code-{len(self.codes) + 1}"
        self.codes[code] = query
        return code

    async def serve(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path)
        if self.answer is not None:
            given = self.answer()
            found: web.StreamResponse = await given if asyncio.iscoroutine(given) else given
            return found
        if request.path == "/.well-known/openid-configuration":
            return web.json_response(self._metadata())
        if request.path == "/keys":
            return web.json_response({"keys": [key.jwk for key in self.published]})
        if request.path == "/userinfo":
            assert request.headers["authorization"] == "Bearer an-access-token"
            return web.json_response(self.userinfo)
        return await self._token(request)

    def _metadata(self) -> Claims:
        userinfo = {} if self.userinfo is None else {"userinfo_endpoint": f"{self.url}/userinfo"}
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "end_session_endpoint": f"{self.url}/logout",
            **userinfo,
            **self.metadata,
        }

    async def _token(self, request: web.Request) -> web.Response:
        form = {name: values[0] for name, values in parse_qs(await request.text()).items()}
        if "authorization" in request.headers:
            given = base64.b64decode(request.headers["authorization"].removeprefix("Basic ")).decode()
            assert given == "horae:a%20secret%3A%20of%2Fthe%20client"
        else:
            assert (form["client_id"], form["client_secret"]) == (CLIENT, SECRET)
        began = self.codes.pop(form["code"], None)
        self.codes[f"{form['code']} is used"] = {}
        if began is None or began["redirect_uri"] != form["redirect_uri"]:
            return web.json_response({"error": "invalid_grant"}, status=400)
        if began["code_challenge"] != challenge(form["code_verifier"]):
            return web.json_response({"error": "invalid_grant"}, status=400)
        now = int(CLOCK.now().timestamp())
        true = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": began["nonce"], **self.person}
        claims = {name: value for name, value in {**true, **self.told}.items() if value is not None}
        token = self.sign(claims) if self.sign else self.key.sign(claims)
        return web.json_response({"id_token": token, "access_token": "an-access-token", "token_type": "Bearer"})


@asynccontextmanager
async def hostile() -> AsyncIterator[Hostile]:
    app = web.Application()
    runner = web.AppRunner(app)
    made = Hostile("")
    app.router.add_route("*", "/{path:.*}", made.serve)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, shutdown_timeout=0.1)
    await site.start()
    port = runner.addresses[0][1]
    made.url = made.issuer = f"http://127.0.0.1:{port}"
    try:
        yield made
    finally:
        await runner.cleanup()
