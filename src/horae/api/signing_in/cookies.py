"""The portal's session cookie: holds the refresh token, out of reach of scripts (HttpOnly, against XSS) and of other
sites (SameSite=Strict and the Origin header, against CSRF)."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import Request, Response

from horae.api.signing_in.authenticator import Authenticator
from horae.domain.errors import NotAllowed
from horae.domain.people.account import IDLE_SESSION, PORTAL

NAME = "horae_refresh"
LOST_WITHIN = 10.0  # seconds: a page that is left while it refreshes never gets its new cookie
PATH = "/api/v1/auth"  # no other path gets it


def wanted(request: Request) -> bool:
    return request.headers.get("horae-client") == PORTAL


def given(request: Request, authenticator: Authenticator, public_url: str | None) -> str | None:
    """The token in the cookie; refused if another site's page made the browser send it."""
    token = request.cookies.get(NAME)
    if token is not None and not _own_page(request, public_url, authenticator.proxies.https(request)):
        raise NotAllowed(
            "this cookie is only valid for pages of this server; behind an https proxy, set HORAE_PUBLIC_URL or "
            "HORAE_TRUSTED_PROXIES"
        )
    return token


def put(response: Response, request: Request, authenticator: Authenticator, token: str, public_url: str | None) -> None:
    response.set_cookie(
        NAME,
        token,
        max_age=int(IDLE_SESSION.total_seconds()),
        path=PATH,
        secure=secure(request, authenticator, public_url),
        httponly=True,
        samesite="strict",
    )


def secure(request: Request, authenticator: Authenticator, public_url: str | None) -> bool:
    return authenticator.proxies.https(request) or (public_url or "").startswith("https://")


def drop(response: Response) -> None:
    response.delete_cookie(NAME, path=PATH, httponly=True, samesite="strict")


def _own_page(request: Request, public_url: str | None, https: bool) -> bool:
    """Browsers send the page's origin with every POST; a request without one is not from a page."""
    origin = request.headers.get("origin")
    if origin is None:
        return False
    scheme = "https" if https else "http"
    return origin in (_origin(public_url), f"{scheme}://{request.headers.get('host', '')}")


def _origin(url: str | None) -> str | None:
    if url is None:
        return None
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
