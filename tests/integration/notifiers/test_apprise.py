"""Apprise: what it calls over HTTP is sent, and nothing else touches this machine."""

import json
import os
import subprocess
from collections.abc import AsyncIterator
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
        "growl://h", "blink1://", "nonsense://x", "json://example.org/?template=/etc/passwd", "not a url",
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
