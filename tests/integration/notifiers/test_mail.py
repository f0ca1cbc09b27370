"""Mail against a real SMTP server: with STARTTLS, with TLS, with neither."""

import asyncio
import email
import email.policy
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult

from horae.domain.notify.delivery import Sent
from horae.domain.notify.notice import NoticeKind
from horae.notifiers import Notifiers, SmtpServer
from tests.certificate import self_signed
from tests.integration.notifiers.envelopes import envelope, notice, notifiers
from tests.integration.up.running import free_port


class Mailbox:
    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.refuse: str | None = None
        self.signed_in: list[str] = []

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if self.refuse is not None and address.startswith("refused"):
            return self.refuse
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        found = email.message_from_bytes(envelope.content, policy=email.policy.default)
        assert isinstance(found, EmailMessage)
        self.mails.append(found)
        return "250 OK"

    def authenticate(self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        self.signed_in.append(data.login.decode())
        return AuthResult(success=data.password == b"opensesame", handled=False)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return self_signed(tmp_path_factory.mktemp("tls"))


@contextmanager
def serving(mailbox: Mailbox, certificate: Path | None, *, tls: bool = False) -> Iterator[int]:
    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)

    class Server(Controller):
        def factory(self) -> SMTP:
            own: dict[str, Any] = {} if tls or context is None else {"tls_context": context, "require_starttls": True}
            return SMTP(
                mailbox,
                authenticator=mailbox.authenticate,
                auth_required=context is not None,
                auth_require_tls=not tls and context is not None,
                **own,
            )

    own = context if tls else None
    server = Server(mailbox, hostname="127.0.0.1", port=free_port(), ssl_context=own, ready_timeout=60)
    server.start()
    try:
        yield server.port
    finally:
        server.stop()


def trusting(certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(certificate))


def mail(port: int, security: str = "none", **fields: Any) -> dict[str, Any]:
    signed_in = {"username": "horae"} if security != "none" else {}
    password = {"password": "opensesame"} if security != "none" else {}
    return {
        "kind": "email",
        "to": ["ops@example.org"],
        "sender": "horae@example.org",
        "server": {"host": "localhost", "port": port, "security": security, **signed_in},
        **password,
        **fields,
    }


@pytest.fixture
def mailbox() -> Mailbox:
    return Mailbox()


async def sent_by(sender: Notifiers, target: dict[str, Any], *notices: Any) -> Sent:
    try:
        return await sender.send(envelope(target, *notices))
    finally:
        await sender.close()


@pytest.mark.parametrize("security", ["none", "starttls", "tls"])
async def test_mail_arrives_as_text_and_html(mailbox: Mailbox, certificate: Path, security: str) -> None:
    own = None if security == "none" else certificate
    with serving(mailbox, own, tls=security == "tls") as port:
        sender = notifiers(context=trusting(certificate))
        assert await sent_by(sender, mail(port, security)) == Sent()
    (found,) = mailbox.mails
    assert found["Subject"] == "[finance] nightly <report> & co failed"
    assert (found["To"], found["From"]) == ("ops@example.org", "Horae <horae@example.org>")
    assert found["Auto-Submitted"] == "auto-generated"
    text, html = found.get_body(("plain",)), found.get_body(("html",))
    assert text is not None
    assert html is not None
    assert "HTTP 503: <b>upstream</b> is down" in text.get_content()
    assert "HTTP 503: &lt;b&gt;upstream&lt;/b&gt; is down" in html.get_content()
    assert "<b>upstream" not in html.get_content()
    assert "https://horae.example.org/runs/" in html.get_content()
    assert mailbox.signed_in == ([] if security == "none" else ["horae"])


async def test_mails_about_one_incident_are_one_conversation(mailbox: Mailbox) -> None:
    with serving(mailbox, None) as port:
        await sent_by(notifiers(), mail(port))
        await sent_by(notifiers(), mail(port), notice(NoticeKind.RECOVERY))
        await sent_by(notifiers(), mail(port), notice(key="job:2"))
    first, second, other = (one["References"] for one in mailbox.mails)
    assert first == second != other


async def test_an_untrusted_certificate_is_refused(mailbox: Mailbox, certificate: Path) -> None:
    for security in ("starttls", "tls"):
        with serving(mailbox, certificate, tls=security == "tls") as port:
            sent = await sent_by(notifiers(), mail(port, security))
        assert "certificate" in (sent.error or "").lower()
    assert mailbox.mails == []


async def test_without_starttls_nothing_is_sent(mailbox: Mailbox) -> None:
    with serving(mailbox, None) as port:
        sent = await sent_by(notifiers(), mail(port, "starttls"))
    assert (sent.permanent, mailbox.mails, mailbox.signed_in) == (True, [], [])


async def test_a_wrong_password_is_said_and_not_shown(mailbox: Mailbox, certificate: Path) -> None:
    with serving(mailbox, certificate) as port:
        sender = notifiers(context=trusting(certificate))
        sent = await sent_by(sender, mail(port, "starttls", password="wrong-password"))
    assert sent.permanent
    assert "535" in (sent.error or "")
    assert "wrong-password" not in (sent.error or "")


@pytest.mark.parametrize(("answer", "permanent"), [("450 try later", False), ("550 unknown", True)])
async def test_refused_recipients(mailbox: Mailbox, answer: str, permanent: bool) -> None:
    mailbox.refuse = answer
    with serving(mailbox, None) as port:
        sent = await sent_by(notifiers(), mail(port, to=["refused@example.org"]))
    assert sent == Sent(f"the mail server refused all recipients: {answer}", permanent)


async def test_the_installation_s_server(mailbox: Mailbox, certificate: Path) -> None:
    target = {"kind": "email", "to": ["ops@example.org"]}
    assert (await sent_by(notifiers(), target)).permanent
    with serving(mailbox, certificate) as port:
        own = SmtpServer.from_url(f"smtp://horae:opensesame@localhost:{port}")
        # Its operator chose it: its address is not checked.
        sender = notifiers(smtp=own, sender="h@example.org", context=trusting(certificate), allow_private=False)
        assert await sent_by(sender, target) == Sent()
    assert mailbox.mails[0]["From"] == "Horae <h@example.org>"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "169.254.169.254", "10.0.0.1"])
async def test_a_channel_s_server_inside_is_refused(mailbox: Mailbox, host: str) -> None:
    with serving(mailbox, None) as port:
        target = mail(port)
        target["server"]["host"] = host
        sent = await sent_by(notifiers(allow_private=False), target)
    assert sent.permanent
    assert "refused" in (sent.error or "")
    assert mailbox.mails == []


async def test_a_server_that_says_nothing_holds_up_nothing() -> None:
    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    silent = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    sent = await sent_by(notifiers(timeout=0.3), mail(port))
    assert sent.error is not None
    assert not sent.permanent
    silent.close()


def test_urls_of_servers() -> None:
    assert SmtpServer.from_url("smtps://a%40b:p%3Aw@mail.example.org") == SmtpServer(
        "mail.example.org", 465, "tls", "a@b", "p:w"
    )
    assert SmtpServer.from_url("smtp://localhost:25?security=none").security == "none"
    assert "p:w" not in repr(SmtpServer.from_url("smtp://a:p%3Aw@h"))


async def test_a_reply_that_never_ends_is_not_kept() -> None:
    """smtplib alone would keep all of it: hundreds of megabytes until the time is up."""
    written = 0

    async def endless(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal written
        with suppress(OSError):
            while True:
                writer.write(b"220-" + b"x" * 996 + b"\r\n")
                written += 1_000
                await writer.drain()

    server = await asyncio.start_server(endless, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    sent = await sent_by(notifiers(), mail(port, server={"host": "127.0.0.1", "port": port, "security": "none"}))
    server.close()
    assert sent.error is not None
    assert "too long" in sent.error
    assert written < 64 << 20  # what the network holds


async def test_the_installations_server_sends_only_to_the_domains_it_is_for(mailbox: Mailbox) -> None:
    with serving(mailbox, None) as port:
        own = SmtpServer("127.0.0.1", port, "none", domains=("example.org",))
        for to, taken in ((["ops@Example.org"], True), (["ops@example.org", "stranger@elsewhere.example"], False)):
            sender = notifiers(smtp=own, sender="horae@example.org")
            sent = await sent_by(sender, {"kind": "email", "to": to})
            assert (sent == Sent()) is taken, sent
            assert sent.permanent is not taken
    assert len(mailbox.mails) == 1
