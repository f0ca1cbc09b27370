"""Adapters that send messages to channels, one per kind (`Notifier` of ports/notices.py)."""

from horae.notifiers.notifiers import Notifiers
from horae.notifiers.smtp import SmtpServer

__all__ = ["Notifiers", "SmtpServer"]
