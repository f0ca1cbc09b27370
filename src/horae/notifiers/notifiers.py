"""Dispatches each message to the adapter of its channel's kind; every outcome becomes a `Sent`."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import smtplib
import socket
import ssl
from typing import TYPE_CHECKING

import aiohttp

from horae.domain.notify.delivery import Envelope, Sent
from horae.domain.secrets.redaction import redactor
from horae.domain.text.checks import storable
from horae.notifiers import opsgenie, pagerduty, slack, webhook
from horae.notifiers.addresses import Addresses, AddressRefused, Lookup
from horae.notifiers.apprise import AppriseSender
from horae.notifiers.posting import Poster
from horae.notifiers.smtp import PORTS, Mailer, SmtpServer

if TYPE_CHECKING:
    from horae.ports import Clock

TIMEOUT = 20.0  # seconds for one message
_LONGEST = 500  # characters of an error
_TOKEN = 8  # characters from which a part of a URL may be one


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
        try:
            async with asyncio.timeout(self._timeout):
                sent = await self._send(envelope)
        except TimeoutError:
            sent = Sent(f"no answer within {self._timeout:g} s")
        except AddressRefused as error:
            sent = Sent(str(error), permanent=True)
        except aiohttp.ClientConnectorError as error:
            sent = Sent(f"cannot connect to {error.host}:{error.port}: {_reason(error.os_error)}")
        except aiohttp.ClientOSError as error:
            sent = Sent(f"the connection failed: {_reason(error)}")
        except smtplib.SMTPException as error:
            sent = Sent(f"the mail server ended the conversation: {error}")
        except OSError as error:
            sent = Sent(f"cannot connect to {_server(envelope)}: {_reason(error)}")
        except aiohttp.ClientError as error:
            sent = Sent(f"{type(error).__name__}: {error}")
        except KeyError as error:
            sent = Sent(f"the channel lacks target.{error.args[0]}: set it again", permanent=True)
        except Exception as error:  # nothing a channel does may end the duty
            sent = Sent(f"{type(error).__name__}: {error}", permanent=True)
        return sent if sent.error is None else Sent(_clean(sent.error, envelope), sent.permanent, sent.retry_after)

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


def _reason(error: OSError) -> str:
    """In words; Python's own name functions and source files."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}"
    if isinstance(error, socket.gaierror):
        return "its name cannot be resolved"
    if error.errno is not None and error.errno in errno.errorcode:
        return os.strerror(error.errno).lower()
    return error.strerror or str(error)


def _clean(error: str, envelope: Envelope) -> str:
    """One line that users see and databases can store: without secrets."""
    text = redactor(_hidden(envelope)).redact(" ".join((storable(error) or "").split()))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _hidden(envelope: Envelope) -> dict[str, str]:
    """Secrets, and the parts of a URL that are as good as a password."""
    parts = {
        f"{name} {place}": part
        for name, value in envelope.secrets.items()
        if "://" in value
        for place, part in enumerate(re.split(r"[/?&=@:]", value.partition("://")[2])[1:])
        if len(part) >= _TOKEN
    }
    return {**envelope.secrets, **parts}
