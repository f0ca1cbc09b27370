"""`http`: calls a URL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Literal
from urllib.parse import unquote

from pydantic import AfterValidator, BaseModel, Field, ValidationInfo, model_validator

from horae.domain.targets.fields import FROZEN, SecretName, TemplateText, Text
from horae.domain.targets.templates import Place, Templated, is_stored, secrets_of
from horae.domain.template import is_template
from horae.domain.text.checks import header_name, header_value, http_url, plain_text
from horae.domain.text.measures import DURATION
from horae.domain.text.refusal import refusal

HttpMethod = Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]
LONGEST_URL = 8_000
LONGEST_HEADER = 8_192
MOST_PARAMETERS = 100
RESERVED_HEADERS = frozenset({"webhook-signature", "horae-callback-url"})  # receivers trust that these are ours
_STATUSES = re.compile(r"[1-5]xx|[1-5]\d\d(-[1-5]\d\d)?", re.ASCII)
_ORIGIN = re.compile(r"[^/?#]*//[^/?#]*")


def origin_of(url: str) -> str:
    """Everything up to the path: scheme, host and port as they are written."""
    found = _ORIGIN.match(url)
    return found[0] if found else url


def _url(text: str) -> str:
    """A template may fill in what comes after the host, but never choose the host."""
    if not is_template(text):
        return http_url(text)
    origin = origin_of(text)
    if "{" in origin:
        raise ValueError("must have a literal scheme and host: templates are allowed only in the path and query")
    http_url(origin)
    return plain_text(text)


def filled_url(template: str, url: str) -> str:
    """The URL after a template is filled in, if it has the same host."""
    if len(url) > LONGEST_URL:
        raise ValueError(f"grows beyond {LONGEST_URL:,} characters")
    if origin_of(url) != origin_of(template):
        raise ValueError("leads to another host than the definition names")
    path = url[len(origin_of(url)) :].partition("?")[0].partition("#")[0]
    if any(unquote(segment) in (".", "..") for segment in path.split("/")):
        raise ValueError("has . or .. in its path, which would change the path")
    return http_url(url)


def _statuses(text: str) -> str:
    if not _STATUSES.fullmatch(text):
        raise ValueError('must be a status ("404"), a range ("200-204") or a class ("2xx")')
    first, _, last = text.partition("-")
    if last and int(last) < int(first):
        raise ValueError("must not end before it begins")
    return text


def _range(statuses: str) -> range:
    if statuses.endswith("xx"):
        hundreds = int(statuses[0]) * 100
        return range(hundreds, hundreds + 100)
    first, _, last = statuses.partition("-")
    return range(int(first), int(last or first) + 1)


class BasicAuth(BaseModel):
    model_config = FROZEN

    username: TemplateText
    password: TemplateText


class HttpAuth(BaseModel):
    """How the call authenticates: one of these."""

    model_config = FROZEN

    bearer: TemplateText | None = None
    basic: BasicAuth | None = None

    @model_validator(mode="after")
    def _one(self) -> HttpAuth:
        if (self.bearer is None) == (self.basic is None):
            raise refusal("bearer", "is required unless basic is given")
        return self

    def templates(self) -> Iterator[tuple[Place, str]]:
        if self.basic is not None:
            yield ("auth", "basic", "username"), self.basic.username
            yield ("auth", "basic", "password"), self.basic.password
        if self.bearer is not None:
            yield ("auth", "bearer"), self.bearer


class HttpCallback(BaseModel):
    """A 202 response parks the run until its callback URL is called."""

    model_config = FROZEN

    timeout: Annotated[float, Field(ge=1, le=2_592_000, allow_inf_nan=False), DURATION] = 3_600


class HttpTarget(Templated):
    """Calls a URL; an answer with an expected status is a success."""

    model_config = FROZEN

    kind: Literal["http"] = "http"
    method: HttpMethod = "POST"
    url: Annotated[str, Field(max_length=LONGEST_URL), AfterValidator(_url)]
    headers: Annotated[
        dict[
            Annotated[str, AfterValidator(header_name)],
            Annotated[TemplateText, Field(max_length=LONGEST_HEADER), AfterValidator(header_value)],
        ],
        Field(max_length=100),
    ] = Field(default_factory=dict)
    query: Annotated[dict[Text, TemplateText], Field(json_schema_extra={"maxProperties": MOST_PARAMETERS})] = Field(
        default_factory=dict
    )
    body: TemplateText | None = None
    auth: HttpAuth | None = None
    expect: Annotated[
        tuple[Annotated[str, AfterValidator(_statuses)], ...], Field(min_length=1, max_length=50, strict=False)
    ] = ("2xx",)
    follow_redirects: bool = False
    sign_with: Annotated[tuple[SecretName, ...], Field(max_length=5, strict=False)] = ()
    callback: HttpCallback | None = None

    @model_validator(mode="after")
    def _own_headers(self, info: ValidationInfo) -> HttpTarget:
        for name in () if is_stored(info) else self.headers:
            if name.lower() in RESERVED_HEADERS:
                raise refusal(f"headers.{name}", "is set by Horae itself: use sign_with or callback")
        return self

    @model_validator(mode="after")
    def _few_parameters(self, info: ValidationInfo) -> HttpTarget:
        """Here rather than on the field: definitions saved before the rule must stay readable."""
        if len(self.query) > MOST_PARAMETERS and not is_stored(info):
            raise refusal("query", f"must have at most {MOST_PARAMETERS} parameters")
        return self

    @model_validator(mode="after")
    def _headers_once(self) -> HttpTarget:
        names = [name.lower() for name in self.headers]
        if len(set(names)) != len(names):
            raise refusal("headers", "must not name a header twice; header names are case-insensitive")
        if self.auth is not None and "authorization" in names:
            raise refusal("auth", "must not be combined with an Authorization header")
        return self

    @property
    def needs(self) -> str:
        return "http"

    def templates(self) -> Iterator[tuple[Place, str]]:
        yield ("url",), self.url
        yield from ((("headers", name), text) for name, text in self.headers.items())
        yield from ((("query", name), text) for name, text in self.query.items())
        if self.body is not None:
            yield ("body",), self.body
        if self.auth is not None:
            yield from self.auth.templates()

    @cached_property
    def secrets(self) -> frozenset[str]:
        """The names of the secrets it uses."""
        return secrets_of(*(text for _, text in self.templates())) | frozenset(self.sign_with)

    @cached_property
    def expected(self) -> frozenset[int]:
        """The statuses that mean success."""
        return frozenset(status for text in self.expect for status in _range(text))
