"""Dispatches each message to the adapter of its channel's kind; every outcome becomes a `Sent`."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

from horae.checked_resolver import Lookup
from horae.domain.notify.delivery import Envelope, Sent
from horae.notifiers import opsgenie, pagerduty, slack, webhook
from horae.notifiers.addresses import Addresses
from horae.notifiers.apprise import AppriseSender
from horae.notifiers.posting import Poster
from horae.notifiers.smtp import PORTS, Mailer, SmtpServer
from horae.notifiers.trying import tried

if TYPE_CHECKING:
    from horae.ports import Clock

TIMEOUT = 20.0  # seconds for one message


class Notifiers:
    def __init__(
        self,
        clock: Clock,
        *,
        version: str,
        allow_private: bool = False,
        smtp: SmtpServer | None = None,
        sender: str | None = None,
        timeout: float = TIMEOUT,
        lookup: Lookup | None = None,
        context: ssl.SSLContext | None = None,
    ) -> None:
        addresses = Addresses(allow_private=allow_private, lookup=lookup)
        self._clock, self._timeout = clock, timeout
        self._poster = Poster(addresses, version=version, timeout=timeout)
        self._mailer = Mailer(addresses, own=smtp, sender=sender, timeout=timeout / 2, context=context)
        self._apprise = AppriseSender(allow_private=allow_private)

    async def send(self, envelope: Envelope) -> Sent:
        return await tried(self._send(envelope), self._timeout, envelope.secrets, _server(envelope))

    async def close(self) -> None:
        await self._poster.close()
        await self._mailer.close()

    async def _send(self, envelope: Envelope) -> Sent:
        match envelope.spec.target.kind:
            case "webhook":
                return await webhook.send(self._poster, envelope, self._clock.now())
            case "slack":
                return await slack.send(self._poster, envelope)
            case "pagerduty":
                return await pagerduty.send(self._poster, envelope)
            case "opsgenie":
                return await opsgenie.send(self._poster, envelope)
            case "email":
                return await self._mailer.send(envelope)
            case "apprise":
                return await self._apprise.send(envelope)


def _server(envelope: Envelope) -> str:
    server = getattr(envelope.spec.target, "server", None)
    return "the server" if server is None else f"{server.host}:{server.port or PORTS[server.security]}"
