"""`http`: a call of a URL."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field, model_validator

from horae.domain.refusal import refusal
from horae.domain.targets.fields import FROZEN, SecretName, TemplateText, Text, secrets_of
from horae.domain.text import header_name, header_value, http_url

HttpMethod = Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]
_STATUSES = re.compile(r"[1-5]xx|[1-5]\d\d(-[1-5]\d\d)?", re.ASCII)


def _statuses(text: str) -> str:
    if not _STATUSES.fullmatch(text):
        raise ValueError('must be a status ("404"), a range ("200-204") or a class ("2xx")')
    first, _, last = text.partition("-")
    if last and int(last) < int(first):
        raise ValueError("must not end before it begins")
    return text


class BasicAuth(BaseModel):
    model_config = FROZEN

    username: TemplateText
    password: TemplateText


class HttpAuth(BaseModel):
    """How the call identifies itself: one of these."""

    model_config = FROZEN

    bearer: TemplateText | None = None
    basic: BasicAuth | None = None

    @model_validator(mode="after")
    def _one(self) -> HttpAuth:
        if (self.bearer is None) == (self.basic is None):
            raise refusal("bearer", "must be given, or basic instead of it")
        return self


class HttpCallback(BaseModel):
    """A 202 answer parks the run until somebody calls its callback address."""

    model_config = FROZEN

    timeout: Annotated[float, Field(ge=1, le=2_592_000, allow_inf_nan=False)] = 3_600


class HttpTarget(BaseModel):
    """Calls a URL; an answer with an expected status is a success."""

    model_config = FROZEN

    kind: Literal["http"] = "http"
    method: HttpMethod = "POST"
    url: Annotated[str, Field(max_length=8_000), AfterValidator(http_url)]
    headers: Annotated[
        dict[
            Annotated[str, AfterValidator(header_name)],
            Annotated[TemplateText, Field(max_length=8_192), AfterValidator(header_value)],
        ],
        Field(max_length=100),
    ] = Field(default_factory=dict)
    query: dict[Text, TemplateText] = Field(default_factory=dict)
    body: TemplateText | None = None
    auth: HttpAuth | None = None
    expect: Annotated[
        tuple[Annotated[str, AfterValidator(_statuses)], ...], Field(min_length=1, max_length=50, strict=False)
    ] = ("2xx",)
    follow_redirects: bool = False
    sign_with: Annotated[tuple[SecretName, ...], Field(max_length=5, strict=False)] = ()
    callback: HttpCallback | None = None

    @property
    def needs(self) -> str:
        return "http"

    @cached_property
    def secrets(self) -> frozenset[str]:
        """The names of the secrets it uses."""
        auth = self.auth or HttpAuth.model_construct(bearer=None, basic=None)
        basic = (auth.basic.username, auth.basic.password) if auth.basic else ()
        texts = (*self.headers.values(), *self.query.values(), self.body, auth.bearer, *basic)
        return secrets_of(*texts) | frozenset(self.sign_with)
