"""Where a channel sends: a kind each. Fields that are secret are write-only; they are sealed apart from the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, model_validator

from horae.domain.errors import InvalidInput
from horae.domain.ssrf_guard import never_called
from horae.domain.text.checks import http_url, label, mailbox, plain_text
from horae.domain.text.refusal import refusal

_FROZEN = ConfigDict(frozen=True, extra="forbid", strict=True)
LONGEST_URL = 4_000


def _host(text: str) -> str:
    label(text)
    try:
        http_url(f"http://{f'[{text}]' if ':' in text else text}/")
    except ValueError:
        raise ValueError("is not a valid host name or address") from None
    return text


def _callable(url: str) -> str:
    http_url(url)
    if (reason := never_called(url)) is not None:
        raise ValueError(reason)
    return url


def _secret_url(value: SecretStr) -> SecretStr:
    _callable(value.get_secret_value())
    return value


def _secret_text(value: SecretStr) -> SecretStr:
    plain_text(value.get_secret_value())
    return value


Mailbox = Annotated[str, Field(max_length=320), AfterValidator(mailbox)]
SecretUrl = Annotated[SecretStr, Field(min_length=1, max_length=LONGEST_URL), AfterValidator(_secret_url)]
SecretText = Annotated[SecretStr, Field(min_length=1, max_length=4_000), AfterValidator(_secret_text)]
ServiceUrl = Annotated[str, Field(max_length=500), AfterValidator(_callable)]


class _Target(BaseModel):
    """`secret` are the fields that are sealed, `required` those of them that must be known. `bound` are the fields that
    decide where the secrets are sent: who changes one must know the secrets."""

    model_config = _FROZEN

    secret: ClassVar[tuple[str, ...]] = ()
    required: ClassVar[tuple[str, ...]] = ()
    bound: ClassVar[tuple[str, ...]] = ()

    def public(self) -> dict[str, Any]:
        """All but the secrets, as JSON."""
        return self.model_dump(mode="json", exclude=set(self.secret))

    def secrets(self) -> dict[str, str]:
        """Those that are given."""
        values = {name: getattr(self, name) for name in self.secret}
        return {name: value.get_secret_value() for name, value in values.items() if value is not None}


class WebhookTarget(_Target):
    """A POST of JSON, signed by the Standard Webhooks specification."""

    secret = ("url", "key")
    required = ("url", "key")

    kind: Literal["webhook"]
    url: SecretUrl | None = None
    key: SecretText | None = None  # made by the server if it is not given


class SlackTarget(_Target):
    """An incoming webhook of Slack, or of Mattermost, Rocket.Chat, Discord (`/slack`) and others that take the same."""

    secret = required = ("url",)

    kind: Literal["slack"]
    url: SecretUrl | None = None


class MailServer(BaseModel):
    model_config = _FROZEN

    host: Annotated[str, Field(min_length=1, max_length=253), AfterValidator(_host)]
    port: Annotated[int, Field(ge=1, le=65_535)] | None = None  # by default 587, 465 with `tls`, 25 with `none`
    security: Literal["starttls", "tls", "none"] = "starttls"
    username: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(label)] | None = None


class EmailTarget(_Target):
    """Mail through a server of its own, or through that of the installation (HORAE_SMTP_URL)."""

    secret = ("password",)
    bound = ("server",)

    kind: Literal["email"]
    to: Annotated[tuple[Mailbox, ...], Field(min_length=1, max_length=50, strict=False)]
    sender: Mailbox | None = None
    server: MailServer | None = None
    password: SecretText | None = None

    @model_validator(mode="after")
    def _signs_in(self) -> EmailTarget:
        if self.sender is not None and self.server is None:  # the operator's server must not pose as anybody
            raise refusal("sender", "needs a server of its own: mail of the installation's is from HORAE_MAIL_FROM")
        if self.password is not None and (self.server is None or self.server.username is None):
            raise refusal("password", "needs server.username")
        if self.server is not None and self.server.username is not None and self.server.security == "none":
            raise refusal("server.security", "must be starttls or tls: a password would travel unencrypted")
        return self


class PagerDutyTarget(_Target):
    """Events API v2 of PagerDuty, or of services that take the same."""

    secret = required = ("routing_key",)
    bound = ("url",)

    kind: Literal["pagerduty"]
    routing_key: SecretText | None = None
    url: ServiceUrl = "https://events.pagerduty.com/v2/enqueue"


class OpsgenieTarget(_Target):
    """Alert API of Opsgenie, or of services that take the same."""

    secret = required = ("api_key",)
    bound = ("url",)

    kind: Literal["opsgenie"]
    api_key: SecretText | None = None
    url: ServiceUrl = "https://api.opsgenie.com"


class AppriseTarget(_Target):
    """A service that Apprise knows, by its URL; needs the extra `apprise`."""

    secret = required = ("url",)

    kind: Literal["apprise"]
    url: SecretText | None = None


Target = Annotated[
    WebhookTarget | SlackTarget | EmailTarget | PagerDutyTarget | OpsgenieTarget | AppriseTarget,
    Field(discriminator="kind"),
]
KINDS = ("webhook", "slack", "email", "pagerduty", "opsgenie", "apprise")
PAGING = frozenset({"pagerduty", "opsgenie"})  # kinds that open and resolve incidents


def merged_secrets(target: _Target, before: _Target | None, known: Mapping[str, str]) -> dict[str, str]:
    """What is secret about a channel after a change: what is given, else what was known. Raises InvalidInput if
    something is missing, or would be sent to another place by somebody who may not know it."""
    given = target.secrets()
    kept = {name: value for name, value in known.items() if name in target.secret and name not in given}
    if isinstance(target, EmailTarget) and (target.server is None or target.server.username is None):
        kept.pop("password", None)
    if before is not None and kept:
        for name in target.bound:
            if getattr(before, name) != getattr(target, name):
                raise InvalidInput(f"target.{next(iter(kept))}", f"must be given again when target.{name} changes")
    found = {**kept, **given}
    for name in target.required:
        if name not in found:
            raise InvalidInput(f"target.{name}", "must be given")
    if isinstance(target, EmailTarget) and target.server and target.server.username and "password" not in found:
        raise InvalidInput("target.password", "must be given: the server has a username")
    return found


def shown_address(target: _Target, secrets: Mapping[str, str]) -> str:
    """Where it sends, without what is secret: of a URL the scheme and host."""
    if isinstance(target, EmailTarget):
        return ", ".join(target.to[:3]) + (f" and {len(target.to) - 3} more" if len(target.to) > 3 else "")
    url = secrets.get("url") or getattr(target, "url", None)
    if not isinstance(url, str):
        return ""
    parts = urlsplit(url)
    if isinstance(target, AppriseTarget):
        return f"{parts.scheme}://…"  # what follows is a token as often as it is a host
    return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}/…"
