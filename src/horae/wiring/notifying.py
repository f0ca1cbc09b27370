"""What a scheduler sends messages with."""

from __future__ import annotations

from horae import __version__
from horae.config import Settings
from horae.ports import Notifier
from horae.wiring.shared import CLOCK


def notifiers_for(settings: Settings) -> Notifier:
    from horae.notifiers import Notifiers, SmtpServer

    return Notifiers(
        CLOCK,
        version=__version__,
        allow_private=settings.http_allow_private,
        smtp=SmtpServer.from_url(settings.smtp_url) if settings.smtp_url else None,
        sender=settings.mail_from,
    )
