"""Apprise: what it calls over HTTP is sent, and nothing else touches this machine."""

import asyncio
import json
import os
import resource
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from horae.domain.notify.delivery import Sent
from horae.notifiers import Notifiers
from horae.notifiers.addresses import Addresses
from horae.notifiers.guarded import Guard, guarded
from tests.integration.notifiers.envelopes import envelope, notifiers
from tests.integration.notifiers.receiving import Receiver


@pytest.fixture
async def sender() -> AsyncIterator[Notifiers]:
    made = notifiers()
    yield made
    await made.close()


async def test_a_service_is_called(receiver: Receiver, sender: Notifiers) -> None:
    url = receiver.url.replace("http://", "json://")
    assert await sender.send(envelope({"kind": "apprise", "url": f"{url}/hook"})) == Sent()
    path, _, body = receiver.got[0]
    assert path.startswith("/hook")
    assert json.loads(body)["title"] == "nightly <report> & co failed"


@pytest.mark.parametrize(
    "url",
    [
        "dbus://", "gnome://", "kde://", "qt://", "glib://", "windows://", "macosx://", "syslog://", "exec://x",
        "file:///etc/passwd", "mailto://a:b@example.org", "rsyslog://localhost", "mqtt://localhost", "xmpp://h/x",
        "fcm://project@key/device?keyfile=/etc/passwd", "vapid://x", "smpp://u:p@h/1", "amqp://h", "irc://h/x",
        "growl://h", "blink1://", "nonsense://x", "json://example.org/?template=/etc/passwd",
        "aprs://u:p@x", "telnet://h",
    ],
)  # fmt: skip
async def test_what_is_not_called_over_http_is_refused(sender: Notifiers, url: str) -> None:
    sent = await sender.send(envelope({"kind": "apprise", "url": url}))
    assert sent.error is not None
    assert sent.permanent


async def test_addresses_inside_are_refused(receiver: Receiver) -> None:
    sender = notifiers(allow_private=False)
    for host in ("127.0.0.1", "localhost"):
        port = receiver.url.rpartition(":")[2]
        sent = await sender.send(envelope({"kind": "apprise", "url": f"json://{host}:{port}/hook"}))
        assert sent.permanent
        assert "loopback" in (sent.error or "")
    assert receiver.got == []
    await sender.close()


@asynccontextmanager
async def answering(mebibytes: int | None) -> AsyncIterator[str]:
    """A service that answers with so much, or begins to and never ends."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(65_536)
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        with suppress(OSError):
            for _ in range(mebibytes or 0):
                writer.write(bytes(2**20))
                await writer.drain()
            while mebibytes is None and not reader.at_eof():  # until the other side has had enough
                writer.write(b" ")  # Apprise gives up on silence by itself
                with suppress(TimeoutError):
                    async with asyncio.timeout(1):
                        await reader.read()
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"json://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


async def test_a_huge_answer_costs_the_scheduler_nothing(sender: Notifiers) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with answering(1_000) as url:
        sent = await sender.send(envelope({"kind": "apprise", "url": url}))
    assert sent.error is not None
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 * 1024  # KiB


async def test_answers_that_never_end_hold_up_no_other(receiver: Receiver) -> None:
    sender = notifiers(timeout=20.0)  # in which a busy machine starts a process and calls
    async with answering(None) as url:
        slow = [sender.send(envelope({"kind": "apprise", "url": url})) for _ in range(4)]
        assert {sent.error for sent in await asyncio.gather(*slow)} == {"no answer within 20 s"}
        other = receiver.url.replace("http://", "json://")
        assert await sender.send(envelope({"kind": "apprise", "url": other})) == Sent()
    await sender.close()


def test_a_guarded_thread_opens_no_files_and_starts_nothing(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("secret")
    guard = Guard(Addresses(allow_private=False).check)
    with guarded(guard) as refused:
        with pytest.raises(PermissionError):
            file.read_text()
        with pytest.raises(PermissionError):  # not by a way that begins where Python's own files are
            (Path(json.__file__).parent / os.path.relpath(file, Path(json.__file__).parent)).read_text()
        with pytest.raises(PermissionError):
            subprocess.run(["true"], check=False)
        Path(json.__file__).read_text()  # Python's own
    assert refused == ["refused: it would start a program"]
    assert file.read_text() == "secret"
