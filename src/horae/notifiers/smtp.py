"""`email`: mail over SMTP. The standard library's client runs in dedicated threads, connecting to addresses that were
checked."""

from __future__ import annotations

import asyncio
import smtplib
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from horae.domain.notify.delivery import Envelope, Sent
from horae.domain.notify.targets import EmailTarget
from horae.notifiers.addresses import Addresses
from horae.notifiers.mail_text import POLICY, compose

PORTS = {"starttls": 587, "tls": 465, "none": 25}
_THREADS = 16  # as many as messages are sent at once: a slow server delays no others
_LONGEST_REPLY = 64 << 10  # bytes


@dataclass(frozen=True, slots=True)
class SmtpServer:
    host: str
    port: int
    security: str
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    domains: tuple[str, ...] | None = None  # of recipients that it is for; None: all

    @classmethod
    def from_url(cls, url: str, domains: tuple[str, ...] | None = None) -> SmtpServer:
        """`smtp://user:password@host:587` requires STARTTLS, `smtps://` uses TLS from the start; `?security=none` is
        for a server on the same machine."""
        parts = urlsplit(url)
        security = parse_qs(parts.query).get("security", ["tls" if parts.scheme == "smtps" else "starttls"])[0]
        if security not in PORTS or not parts.hostname:
            raise ValueError("must be smtp://HOST:PORT or smtps://HOST:PORT, with ?security=none if need be")
        username = unquote(parts.username) if parts.username else None
        password = unquote(parts.password) if parts.password else None
        return cls(parts.hostname, parts.port or PORTS[security], security, username, password, domains)

    def outside(self, to: tuple[str, ...]) -> str | None:
        """A recipient that it is not for."""
        if self.domains is None:
            return None
        return next((one for one in to if one.rpartition("@")[2].lower() not in self.domains), None)


class Mailer:
    """`own` is the installation's server: its operator chose it, so its address is not checked."""

    def __init__(
        self,
        addresses: Addresses,
        *,
        own: SmtpServer | None,
        sender: str | None,
        timeout: float,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self._addresses, self._own, self._sender, self._timeout = addresses, own, sender, timeout
        self._context = context
        self._threads = ThreadPoolExecutor(_THREADS, "smtp")

    async def send(self, envelope: Envelope) -> Sent:
        target = envelope.spec.target
        assert isinstance(target, EmailTarget)
        server = self._own
        if target.server is not None:
            given = target.server
            port = given.port or PORTS[given.security]
            server = SmtpServer(given.host, port, given.security, given.username, envelope.secrets.get("password"))
        if server is None:
            return Sent("no mail server: set HORAE_SMTP_URL, or give the channel its own server", permanent=True)
        sender = target.sender or self._sender
        if sender is None:
            return Sent("no sender: set HORAE_MAIL_FROM, or give the channel a sender", permanent=True)
        if outside := server.outside(target.to):
            return Sent(f"the installation sends no mail to {outside} (HORAE_MAIL_DOMAINS)", permanent=True)
        address = server.host
        if target.server is not None:
            address = await self._addresses.of(server.host, server.port)
        mail = compose(envelope, sender, target.to).as_bytes(policy=POLICY)
        session = _Session(server, address, self._timeout, self._context or ssl.create_default_context())
        work = asyncio.get_running_loop().run_in_executor(self._threads, session.send, sender, target.to, mail)
        try:
            return await work
        except asyncio.CancelledError:
            session.cut()  # the thread ends with its connection
            raise

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


class _Session:
    """One connection, one mail."""

    def __init__(self, server: SmtpServer, address: str, timeout: float, context: ssl.SSLContext) -> None:
        self._server, self._address, self._timeout, self._context = server, address, timeout, context
        self._socket: socket.socket | None = None

    def send(self, sender: str, to: tuple[str, ...], mail: bytes) -> Sent:
        server = self._server
        try:
            with self._connected() as client:
                client.ehlo_or_helo_if_needed()
                if server.security == "starttls":
                    client.starttls(context=self._context)
                if server.username is not None:
                    client.login(server.username, server.password or "")
                refused = client.sendmail(sender, list(to), mail)
        except smtplib.SMTPRecipientsRefused as error:
            return _refused(list(error.recipients.values()), "refused all recipients")
        except smtplib.SMTPResponseException as error:
            return _refused([(error.smtp_code, error.smtp_error)], "refused")
        except smtplib.SMTPNotSupportedError:
            return Sent("the mail server does not offer what the channel asks for (STARTTLS, sign-in)", permanent=True)
        if refused:
            return _refused(list(refused.values()), f"refused {len(refused)} of {len(to)} recipients", permanent=True)
        return Sent()

    def cut(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def _connected(self) -> smtplib.SMTP:
        server, connect = self._server, self._connect
        kind: type[smtplib.SMTP] = smtplib.SMTP_SSL if server.security == "tls" else smtplib.SMTP

        class Checked(kind):  # type: ignore[misc, valid-type]
            """Connects to the checked address; certificates are still verified by name. Replies are bounded."""

            def getreply(self) -> tuple[int, bytes]:
                lines = _Bounded(self.file or self.sock.makefile("rb"))
                self.file: Any = lines
                try:
                    code, said = super().getreply()
                finally:
                    if self.file is lines:  # else it was closed
                        self.file = lines.inner
                return code, said

            def _get_socket(self, host: str, port: int, timeout: float) -> Any:
                made = connect(port)
                if server.security == "tls":
                    return self.context.wrap_socket(made, server_hostname=host)
                return made

        more = {"context": self._context} if server.security == "tls" else {}
        return Checked(server.host, server.port, timeout=self._timeout, **more)

    def _connect(self, port: int) -> socket.socket:
        self._socket = socket.create_connection((self._address, port), self._timeout)
        return self._socket


class _Bounded:
    """The lines of one reply: smtplib keeps them all, and a hostile server never ends."""

    def __init__(self, inner: Any) -> None:
        self.inner, self._left = inner, _LONGEST_REPLY

    def readline(self, limit: int) -> bytes:
        line: bytes = self.inner.readline(min(limit, self._left))
        self._left -= len(line)
        if self._left <= 0:
            raise OSError("its reply is too long")
        return line

    def close(self) -> None:
        self.inner.close()


def _refused(answers: list[tuple[int, bytes | str]], what: str, *, permanent: bool = False) -> Sent:
    code, said = answers[0]
    text = said.decode(errors="replace") if isinstance(said, bytes) else said
    return Sent(f"the mail server {what}: {code} {' '.join(text.split())[:200]}", permanent or 500 <= code < 600)
