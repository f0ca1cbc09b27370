"""The notifiers of a scheduler. Most have nothing to send: the adapters are imported with the first message."""

from __future__ import annotations

from horae import __version__
from horae.config import Settings
from horae.domain.notify.delivery import Envelope, Sent
from horae.ports import Notifier
from horae.wiring.shared import CLOCK


class LateNotifier:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._made: Notifier | None = None

    async def send(self, envelope: Envelope) -> Sent:
        if self._made is None:
            self._made = _notifiers(self._settings)
        return await self._made.send(envelope)

    async def close(self) -> None:
        if self._made is not None:
            await self._made.close()


def notifiers_for(settings: Settings) -> Notifier:
    return LateNotifier(settings)


def _notifiers(settings: Settings) -> Notifier:
    from horae.notifiers import Notifiers, SmtpServer

    return Notifiers(
        CLOCK,
        version=__version__,
        allow_private=settings.http_allow_private,
        smtp=SmtpServer.from_url(settings.smtp_url, settings.mail_domains) if settings.smtp_url else None,
        sender=settings.mail_from,
    )
