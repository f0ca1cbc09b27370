"""Provider metadata (OpenID Connect Discovery): its endpoints and capabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from horae.domain.loopback import is_loopback
from horae.oidc.wire import ask, unavailable

WELL_KNOWN = "/.well-known/openid-configuration"
_WHAT = "discovery"


@dataclass(frozen=True, slots=True)
class Metadata:
    issuer: str
    authorization: str
    token: str
    keys: str
    userinfo: str | None
    end_session: str | None
    algorithms: tuple[str, ...]  # empty: not declared
    secret_in_body: bool  # for the client's secret: otherwise in the Authorization header
    names_itself: bool  # in the redirect back (RFC 9207)


async def discover(issuer: str) -> Metadata:
    answer = await ask("GET", issuer.rstrip("/") + WELL_KNOWN, _WHAT)
    if answer.status != 200:
        raise unavailable(_WHAT, f"it answered with {answer.status}")
    return read(issuer, answer.body)


def read(issuer: str, found: Mapping[str, Any]) -> Metadata:
    if found.get("issuer") != issuer:
        # Exactly: tokens of another issuer must not be accepted.
        raise unavailable(_WHAT, "the issuer it names is not HORAE_OIDC_ISSUER, to the letter")
    methods = found.get("token_endpoint_auth_methods_supported")
    known = methods if isinstance(methods, list) else ["client_secret_basic"]
    algorithms = found.get("id_token_signing_alg_values_supported")
    return Metadata(
        issuer,
        _needed(issuer, found, "authorization_endpoint"),
        _needed(issuer, found, "token_endpoint"),
        _needed(issuer, found, "jwks_uri"),
        _url(issuer, found.get("userinfo_endpoint")),
        _url(issuer, found.get("end_session_endpoint")),
        tuple(one for one in algorithms if isinstance(one, str)) if isinstance(algorithms, list) else (),
        "client_secret_basic" not in known and "client_secret_post" in known,
        found.get("authorization_response_iss_parameter_supported") is True,
    )


def _needed(issuer: str, found: Mapping[str, Any], name: str) -> str:
    url = _url(issuer, found.get(name))
    if url is None:
        raise unavailable(_WHAT, f"it names no usable {name}")
    return url


def _url(issuer: str, given: Any) -> str | None:
    """None if unusable. Plain http is only for a provider on this machine."""
    if not isinstance(given, str) or len(given) > 2_000 or not given.isprintable():
        return None
    try:
        parts = urlsplit(given)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return None
    plain = parts.scheme == "http" and issuer.startswith("http://") and is_loopback(host)
    return given if host and (parts.scheme == "https" or plain) and not parts.fragment else None
