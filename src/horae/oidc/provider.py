"""Signing in through a provider: the authorization code flow with PKCE (RFC 6749, 7636, 9700)."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from horae.domain.people.single_sign_on import NotAccepted, Refusal, Rules, missing
from horae.oidc import id_token
from horae.oidc.id_token import rejected
from horae.oidc.kept import SealedState
from horae.oidc.keys import SigningKeySet
from horae.oidc.metadata import Metadata, discover
from horae.oidc.wire import ask, unavailable
from horae.ports import Attempted, Clock, Proof

_KEPT = 600.0  # seconds for which the provider's metadata is cached
_LONGEST_CODE = 4_096


class OpenIdProvider:
    def __init__(
        self,
        clock: Clock,
        *,
        issuer: str,
        name: str,
        client_id: str,
        client_secret: str | None,
        redirect_uri: str,
        scopes: Sequence[str],
        rules: Rules,
    ) -> None:
        self.issuer, self.name = issuer, name
        self._clock, self._client_id, self._secret = clock, client_id, client_secret
        self._redirect_uri, self._scopes, self._rules = redirect_uri, " ".join(scopes), rules
        self._known = SealedState(clock, lambda: discover(issuer))
        self._keys = SigningKeySet(clock, self._keys_url)

    async def authorization_url(self, attempted: Attempted) -> str:
        at = (await self.metadata()).authorization
        asked = {
            "response_type": "code",
            "client_id": self._client_id,
            "redirect_uri": self._redirect_uri,
            "scope": self._scopes,
            "state": attempted.state,
            "nonce": attempted.nonce,
            "code_challenge": challenge(attempted.verifier),
            "code_challenge_method": "S256",
        }
        return f"{at}{'&' if urlsplit(at).query else '?'}{urlencode(asked)}"

    async def redeem(self, code: str, attempted: Attempted, issuer: str | None) -> Proof:
        if not 1 <= len(code) <= _LONGEST_CODE:
            raise rejected("the code is empty or too long")
        known = await self.metadata()
        if issuer is not None or known.names_itself:  # RFC 9207: the answer must come from this provider
            self._require(issuer == self.issuer, "the answer came from another issuer (iss)")
        tokens = await self._exchange(known, code, attempted.verifier)
        token = tokens.get("id_token")
        if not isinstance(token, str):
            raise rejected("the provider sent no ID token")
        claims = await self._verified(known, token, attempted.nonce)
        if known.userinfo is not None and missing(claims, self._rules):
            claims = _joined(claims, await self._userinfo(known.userinfo, tokens.get("access_token"), claims["sub"]))
        return Proof(claims, token)

    async def sign_out_url(self, id_token: str | None, return_to: str) -> str | None:
        at = (await self.metadata()).end_session
        if at is None:
            return None
        params = {"client_id": self._client_id, "post_logout_redirect_uri": return_to}
        if id_token is not None:
            params["id_token_hint"] = id_token
        return f"{at}{'&' if urlsplit(at).query else '?'}{urlencode(params)}"

    async def metadata(self) -> Metadata:
        return await self._known.get(_KEPT)

    async def _keys_url(self) -> str:
        return (await self.metadata()).keys

    async def _exchange(self, known: Metadata, code: str, verifier: str) -> Mapping[str, Any]:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._redirect_uri,
            "code_verifier": verifier,
        }
        headers = {}
        if self._secret is not None and not known.secret_in_body:
            pair = f"{quote(self._client_id, safe='')}:{quote(self._secret, safe='')}"  # RFC 6749, 2.3.1
            headers["authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        else:
            form["client_id"] = self._client_id
            if self._secret is not None:
                form["client_secret"] = self._secret
        answer = await ask("POST", known.token, "token endpoint", headers=headers, form=form)
        if answer.status == 200:
            return answer.body
        error = _plain(answer.body.get("error"))
        if error == "invalid_grant":
            raise NotAccepted(Refusal.EXPIRED, "the provider rejected the code (invalid_grant)")
        raise unavailable("token endpoint", f"it answered with {answer.status} {error}")

    async def _verified(self, known: Metadata, token: str, nonce: str) -> dict[str, Any]:
        id, algorithm = id_token.header(token, known.algorithms)
        keys = await self._keys.find(id, algorithm)
        return id_token.verify(
            token,
            keys,
            algorithm,
            issuer=self.issuer,
            client_id=self._client_id,
            nonce=nonce,
            now=self._clock.now(),
        )

    async def _userinfo(self, url: str, access_token: Any, subject: str) -> Mapping[str, Any]:
        if not isinstance(access_token, str) or not access_token.isascii() or not access_token.isprintable():
            return {}
        answer = await ask("GET", url, "userinfo", headers={"authorization": f"Bearer {access_token}"})
        if answer.status != 200:
            raise unavailable("userinfo", f"it answered with {answer.status}")
        # It is not signed: a swapped token would describe another user.
        self._require(answer.body.get("sub") == subject, "the user info is about another user (sub)")
        return answer.body

    @staticmethod
    def _require(holds: bool, otherwise: str) -> None:
        if not holds:
            raise rejected(otherwise)


def challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def _joined(claims: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Signed claims take precedence. `email_verified` refers only to the address next to it."""
    found = {**more, **claims}
    if "email_verified" not in claims and found.get("email") != more.get("email"):
        found.pop("email_verified", None)
    return found


def _plain(text: Any) -> str:
    return text[:100] if isinstance(text, str) and text.isprintable() else ""
