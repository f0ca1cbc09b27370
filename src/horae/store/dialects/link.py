"""What connections to database servers share: TCP keepalives, and how long the current statement has been waiting."""

from __future__ import annotations

import asyncio
import socket
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from horae.domain.cluster.meters import Histogram
from horae.store.failures import ConnectionLost, StoreUnavailable, TryAgain

CONNECT_SECONDS = 3.0  # from the first packet to the first statement
ANSWER_SECONDS = 60.0  # for a statement, even while the server is working on it
LOCK_SECONDS = 5  # waiting for a lock
IDLE_SECONDS = 5  # how long the server tolerates an idle open transaction, which may hold locks
_SILENCE_SECONDS = 5  # without a TCP acknowledgement


def notice_silence(transport: Any) -> None:
    """Detects a dead peer within seconds. With TCP's defaults it would take a quarter of an hour."""
    sock = transport.get_extra_info("socket")
    if sock is None or sock.family not in (socket.AF_INET, socket.AF_INET6):
        return
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (
        ("TCP_KEEPIDLE", _SILENCE_SECONDS),
        ("TCP_KEEPINTVL", 2),
        ("TCP_KEEPCNT", 2),
        ("TCP_USER_TIMEOUT", _SILENCE_SECONDS * 1000),
    ):
        if hasattr(socket, option):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)


class ServerLink(ABC):
    """A connection to a server. `number` is the server's own for it, None where a pooler stands between; `asked_at` is
    when the statement under way began."""

    title: str

    def __init__(self, number: int | None) -> None:
        self.broken = False
        self.number = number
        self.asked_at: float | None = None
        self._given_up = False
        self.seconds: Histogram | None = None  # of its statements

    @abstractmethod
    def cut(self) -> None:
        """Drops the connection without telling the server; callers waiting for an answer get an error."""

    @abstractmethod
    def translated(self, error: BaseException) -> BaseException:
        """A driver's error as one of ours, or itself if it is a bug."""

    @abstractmethod
    async def at_work(self, numbers: Collection[int]) -> set[int]:
        """Which of these connections the server is executing a statement for."""

    def give_up(self) -> None:
        self._given_up = True
        self.cut()

    @contextmanager
    def mapped(self) -> Iterator[None]:
        self.asked_at = time.monotonic()
        try:
            yield
        except BaseException as error:
            translated = self._told(error)
            if isinstance(translated, asyncio.CancelledError):
                self.broken = True  # the server may still be executing the statement
            elif isinstance(translated, StoreUnavailable) and not isinstance(translated, TryAgain):
                self.broken = True
            raise translated from error
        finally:
            if self.seconds is not None:
                self.seconds.observe(time.monotonic() - self.asked_at)
            self.asked_at = None

    def _told(self, error: BaseException) -> BaseException:
        if self._given_up and isinstance(error, Exception):
            return ConnectionLost(f"{self.title} does not answer: the wait timed out")
        return self.translated(error)
