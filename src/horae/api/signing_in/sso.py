"""Single sign-on between two requests: the `state`, nonce and PKCE verifier that bind the provider's answer to the
browser that began (against CSRF and code injection), and where the browser goes from there."""

from __future__ import annotations

import base64
import hmac
import re
import secrets
from dataclasses import asdict, dataclass, field
from urllib.parse import urlsplit

import orjson
import structlog
from fastapi import Request, Response
from starlette.responses import RedirectResponse

from horae.api.context import RequestContext
from horae.api.signing_in import cookies
from horae.api.signing_in.authenticator import Authenticator
from horae.domain.errors import InvalidInput, NotFound
from horae.domain.people.account import Session
from horae.domain.people.single_sign_on import NotAccepted, Refusal
from horae.domain.secrets.secret import CannotOpen, Sealed
from horae.ports import Attempted, Provider

log = structlog.get_logger()

CALLBACK = "/api/v1/auth/sso/callback"
GOOD_FOR = 600  # seconds to sign in at the provider
# With the start of the state: several tabs may sign in at once. Browsers accept `__Host-` only from this very host,
# over HTTPS: no neighbour below the same domain can plant a sign-in that it began.
_COOKIE, _GUARDED = "horae_sso_", "__Host-horae_sso_"
_STATE = re.compile(r"[0-9A-Za-z_-]{43}", re.ASCII)
_PLACE, _ATTEMPT = "sign-in", "attempt"  # what encrypted values are bound to; no project has such an id
_LONGEST_PATH = 1_000
_LONGEST_TOKEN = 16_384


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """A sign-in in progress; the browser keeps it, encrypted. `link` is the session whose user should be linked."""

    state: str
    nonce: str
    verifier: str = field(repr=False)
    next: str
    at: float
    secure: bool
    link: str | None = None

    @property
    def attempted(self) -> Attempted:
        return Attempted(self.state, self.nonce, self.verifier)


def provider_of(context: RequestContext) -> Provider:
    if context.provider is None:
        raise NotFound("single sign-on is not set up on this server")
    return context.provider


def begin(
    context: RequestContext, authenticator: Authenticator, request: Request, next_path: str, link: str | None = None
) -> SignInAttempt:
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    secure = cookies.secure(request, authenticator, context.settings.public_url)
    return SignInAttempt(state, nonce, verifier, own_path(next_path), context.clock.now().timestamp(), secure, link)


def own_path(path: str) -> str:
    r"""A path on this server and nothing else: browsers treat `//host` and `/\host` as other servers."""
    parts = urlsplit(path)
    plain = path.isascii() and path.isprintable() and "\\" not in path and len(path) <= _LONGEST_PATH
    if not plain or parts.scheme or parts.netloc or parts.fragment or not re.match(r"/(?!/)", path):
        raise InvalidInput("next", "must be a path of the portal such as /jobs")
    return path


def keep(context: RequestContext, response: Response, attempt: SignInAttempt) -> None:
    """As a cookie that is sent when the provider redirects back (Lax)."""
    sealed = context.seals.seal(_PLACE, _ATTEMPT, orjson.dumps(asdict(attempt)).decode())
    text = base64.urlsafe_b64encode(base64.b64decode(sealed.text)).decode().rstrip("=")
    response.set_cookie(
        _name(attempt.state, attempt.secure),
        f"{sealed.key_id}.{text}",
        max_age=GOOD_FOR,
        path="/",
        secure=attempt.secure,
        httponly=True,
        samesite="lax",
    )


def begun(context: RequestContext, authenticator: Authenticator, request: Request, state: str) -> SignInAttempt | None:
    """The sign-in that this browser began under this state; None if there is none, or it has expired."""
    if not _STATE.fullmatch(state):
        return None
    name = _name(state, cookies.secure(request, authenticator, context.settings.public_url))
    key_id, _, text = request.cookies.get(name, "").partition(".")
    try:
        raw = base64.b64encode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))).decode()
        found = SignInAttempt(**orjson.loads(context.seals.open(Sealed(_PLACE, _ATTEMPT, raw, key_id))))
    except (ValueError, TypeError, CannotOpen):
        return None
    age = context.clock.now().timestamp() - found.at
    return found if hmac.compare_digest(found.state, state) and -60 <= age <= GOOD_FOR else None


def go(attempt: SignInAttempt | None, outcome: str) -> Response:
    """Redirects back to the portal, which shows the result; the attempt is over."""
    response = RedirectResponse(f"{attempt.next if attempt else '/'}#sso={outcome}", 303)
    if attempt is not None:
        name = _name(attempt.state, attempt.secure)
        response.delete_cookie(name, path="/", secure=attempt.secure, httponly=True, samesite="lax")
    return response


def refused(
    authenticator: Authenticator, request: Request, attempt: SignInAttempt | None, refusal: Refusal, why: str
) -> Response:
    authenticator.refusals.note(request, "sso", reason=str(refusal), why=why)
    return go(attempt, str(refusal))


def seal_token(context: RequestContext, session_id: str, id_token: str) -> str | None:
    """For the provider, when its user signs out. A very long token is not kept: it is only a convenience."""
    if len(id_token) > _LONGEST_TOKEN:
        return None
    sealed = context.seals.seal(_PLACE, session_id, id_token)
    return f"{sealed.key_id}:{sealed.text}"


async def sign_out_url(context: RequestContext, session: Session) -> str | None:
    """Where a browser ends its session at the provider as well; None if there is nothing to end."""
    provider, public_url = context.provider, context.settings.public_url
    if provider is None or public_url is None or session.provider_token is None:
        return None
    key_id, _, text = session.provider_token.partition(":")
    try:
        token: str | None = context.seals.open(Sealed(_PLACE, session.id, text, key_id))
    except CannotOpen:
        token = None
    try:
        return await provider.sign_out_url(token, f"{public_url}/")
    except NotAccepted as error:
        log.warning("cannot sign out at the provider", reason=error.why)
        return None


def _name(state: str, secure: bool) -> str:
    return (_GUARDED if secure else _COOKIE) + state[:16]
