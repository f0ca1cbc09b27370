"""From a target to a request. Parts that are the same for all calls of a target are prepared once (`Draft`); the rest
are the run's ids, the time, and the target's templates."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import orjson
from multidict import CIMultiDict, istr
from yarl import URL

from horae.domain.targets.http import LONGEST_HEADER, filled_url
from horae.domain.targets.templates import secrets_of
from horae.domain.template import TemplateFault, is_template
from horae.domain.text.checks import header_value
from horae.executors.failure import Refused
from horae.executors.http_signature import key_of, signatures

if TYPE_CHECKING:
    from horae.domain.runs.attempt import Attempt
    from horae.domain.runs.callback import Callbacks
    from horae.domain.targets import HttpTarget

_WITH_BODY = frozenset(("POST", "PUT", "PATCH"))
# Created once: aiohttp looks up headers by these names without a new object each time.
_ACCEPT, _ACCEPT_ENCODING, _AGENT = istr("Accept"), istr("Accept-Encoding"), istr("User-Agent")
_AUTHORIZATION, _CONTENT_TYPE, _KEY = istr("Authorization"), istr("Content-Type"), istr("Idempotency-Key")
_ID, _TIMESTAMP, _SIGNATURE = istr("Webhook-Id"), istr("Webhook-Timestamp"), istr("Webhook-Signature")
_CALLBACK, _TRACEPARENT = istr("Horae-Callback-Url"), istr("traceparent")
_JSON = "application/json"
_TEXT = "text/plain; charset=utf-8"
_PRIVATE = frozenset(("authorization", "cookie", "horae-callback-url"))
_PRIVATE_ENDINGS = ("-key", "-token", "-secret", "-password")


@dataclass(slots=True)
class OutgoingRequest:
    """One call, or one hop of it."""

    method: str
    url: URL
    headers: CIMultiDict[str]
    body: bytes | None


class Draft:
    """A target prepared for its calls."""

    def __init__(self, target: HttpTarget, agent: str, callbacks: Callbacks | None) -> None:
        self.target = target
        self._callbacks = callbacks
        self._url = None if is_template(target.url) else URL(target.url)
        self._query = dict(target.query)
        if self._url is not None and not any(map(is_template, target.query.values())):
            self._url, self._query = self._url.extend_query(self._query) if self._query else self._url, {}
        self._body = None if target.body is None or is_template(target.body) else target.body.encode()
        self._templates = {name: text for name, text in target.headers.items() if is_template(text)}
        self._headers = self._shared_headers(agent)

    def _shared_headers(self, agent: str) -> CIMultiDict[str]:
        """The job's own headers may replace those that describe the call, not those that identify it."""
        headers = CIMultiDict({_AGENT: agent, _ACCEPT: "*/*"})
        if self._body is not None:
            headers[_CONTENT_TYPE] = _content_type(self._body)
        for name, value in self.target.headers.items():
            headers[istr(name)] = value  # only a template's place, which each call fills
        headers[_ACCEPT_ENCODING] = "identity"  # so that what is limited on the wire is also limited in memory
        return headers

    def request(self, attempt: Attempt, now: datetime) -> OutgoingRequest:
        """Raises Refused, in one sentence, if the templates do not result in a valid call."""
        headers = self._headers.copy()
        if _KEY not in headers:
            headers[_KEY] = attempt.run.id
        if attempt.traceparent is not None and _TRACEPARENT not in headers:
            headers[_TRACEPARENT] = attempt.traceparent
        for name, text in self._templates.items():
            headers[name] = _header(f"the header {name}", _filled(attempt, f"headers.{name}", text))
        if self.target.auth is not None:
            headers[_AUTHORIZATION] = self._authorization(attempt)
        body = self._body_of(attempt, headers)
        self.identify(headers, attempt, body, now)
        headers.popall(_CALLBACK, None)  # of a definition that was saved before it was reserved
        if self.target.callback is not None:
            headers[_CALLBACK] = self._callback(attempt)
        return OutgoingRequest(self.target.method, self._url_of(attempt), headers, body)

    def identify(self, headers: CIMultiDict[str], attempt: Attempt, body: bytes | None, now: datetime) -> None:
        """Adds, and signs, which run this is and when it was sent."""
        timestamp = str(int(now.timestamp()))
        headers[_ID] = attempt.run.id
        headers[_TIMESTAMP] = timestamp
        headers.popall(_SIGNATURE, None)
        if self.target.sign_with:
            keys = [key_of(name, _secret(attempt.secrets, name)) for name in self.target.sign_with]
            headers[_SIGNATURE] = signatures(keys, attempt.run.id, timestamp, body or b"")

    def _url_of(self, attempt: Attempt) -> URL:
        url = self._url
        if url is None:
            filled = _filled(attempt, "url", self.target.url)
            try:
                url = URL(filled_url(self.target.url, filled))
            except ValueError as error:
                raise Refused(f"the url, filled in, {error}") from None
        if self._query:
            url = url.extend_query(
                {name: _filled(attempt, f"query.{name}", text) for name, text in self._query.items()}
            )
        return url

    def _body_of(self, attempt: Attempt, headers: CIMultiDict[str]) -> bytes | None:
        if self._body is not None:
            return self._body
        if self.target.body is not None:
            body = _filled(attempt, "body", self.target.body).encode()
            if _CONTENT_TYPE not in headers:
                headers[_CONTENT_TYPE] = _content_type(body)
            return body
        if attempt.run.input is None or self.target.method not in _WITH_BODY:
            return None
        if _CONTENT_TYPE not in headers:
            headers[_CONTENT_TYPE] = _JSON
        return attempt.run.input.encode()

    def _authorization(self, attempt: Attempt) -> str:
        auth = self.target.auth
        assert auth is not None
        if auth.basic is None:
            return _header("auth.bearer", f"Bearer {_filled(attempt, 'auth.bearer', auth.bearer or '')}")
        username = _filled(attempt, "auth.basic.username", auth.basic.username)
        if ":" in username:
            raise Refused("auth.basic.username must not contain a colon")
        both = f"{username}:{_filled(attempt, 'auth.basic.password', auth.basic.password)}"
        return f"Basic {base64.b64encode(both.encode()).decode()}"

    def _callback(self, attempt: Attempt) -> str:
        if self._callbacks is None:
            raise Refused("a callback needs HORAE_PUBLIC_URL and HORAE_SECRET_KEY, which are not set on this worker")
        return self._callbacks.address(attempt.run.id, attempt.run.attempt)

    def is_private(self, header: str) -> bool:
        """Whether a header is only for the host of the definition."""
        name = header.lower()
        if name == "idempotency-key":
            return False
        if name in _PRIVATE or name.endswith(_PRIVATE_ENDINGS):
            return True
        return any(own.lower() == name and secrets_of(text) for own, text in self._templates.items())

    @property
    def has_private_body(self) -> bool:
        return self.target.body is not None and bool(secrets_of(self.target.body))


def without_body(headers: CIMultiDict[str]) -> None:
    headers.popall(_CONTENT_TYPE, None)


def _filled(attempt: Attempt, field: str, text: str) -> str:
    try:
        return attempt.fill_in(text)
    except TemplateFault as fault:
        raise Refused(f"{field}: {fault}") from None


def _header(what: str, value: str) -> str:
    if len(value) > LONGEST_HEADER:
        raise Refused(f"{what}, filled in, is longer than {LONGEST_HEADER:,} characters")
    try:
        return header_value(value)
    except ValueError as error:
        raise Refused(f"{what}, filled in, cannot be sent: {error}") from None


def _secret(secrets: Mapping[str, str], name: str) -> str:
    try:
        return secrets[name]
    except KeyError:
        raise Refused(f"the call cannot be signed: there is no secret {name}") from None


def _content_type(body: bytes) -> str:
    if body.lstrip()[:1] in (b"{", b"["):
        try:
            orjson.loads(body)
            return _JSON
        except orjson.JSONDecodeError:
            pass
    return _TEXT
