"""`apprise`: the services that Apprise supports, by its URLs. Only those that it calls over HTTP: never plugins that
run programs, write files or talk to a desktop. It resolves names itself, so the guard is at the connection."""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from horae.domain.notify.delivery import Envelope, Sent
from horae.notifiers.defused import defused
from horae.notifiers.mail_text import plain

_AT_ONCE = 4
_MISSING = "Apprise is not installed on the scheduler: pip install 'horae[apprise]'"
_OTHERWISE = {"mailto": "email", "mailtos": "email"}
# HTTP, but they read local files that the URL names.
_READERS = frozenset({"fcm", "vapid"})
_READING = frozenset({"template", "keyfile", "subfile", "attach", "config", "include"})


class AppriseSender:
    """Each message in a separate process: a server whose answer never ends, or is huge, costs only that process, which
    is killed in time and has limited memory."""

    def __init__(self, *, allow_private: bool) -> None:
        self._allow_private = allow_private
        self._turn = asyncio.Semaphore(_AT_ONCE)

    async def send(self, envelope: Envelope) -> Sent:
        url = envelope.secrets["url"]
        if (reason := refusal(url)) is not None:
            return Sent(reason, permanent=True)
        asked = {"url": url, "title": defused(envelope.message.title), "body": defused(plain(envelope))}
        async with self._turn:
            return await self._call({**asked, "allow_private": self._allow_private})

    async def _call(self, asked: dict[str, Any]) -> Sent:
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "horae.notifiers.apprise_call"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={},  # Horae's own environment is not for libraries
        )
        try:
            said, _ = await child.communicate(json.dumps(asked).encode())
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()
        try:
            error, permanent = json.loads(said)
        except ValueError:
            return Sent("the service could not be called: its answer was too large, or Apprise failed", permanent=True)
        return Sent(error, permanent)


def refusal(url: str) -> str | None:
    """Why a URL is not allowed for channels; None if it is. Never repeats the URL."""
    try:
        from apprise.plugins import N_MGR
    except ImportError:
        return _MISSING
    scheme = urlsplit(url).scheme.lower()
    if kind := _OTHERWISE.get(scheme):
        return f"{scheme}:// is not allowed: use a channel of the kind {kind}"
    plugin = next((one for one in N_MGR.plugins() if scheme in _schemes(one)), None)
    if plugin is None:
        return f"Apprise does not know {scheme}://"
    if scheme in _READERS or not _calls_http(plugin):
        return f"{scheme}:// is not allowed: only services that are called over HTTP are"
    if reading := _READING.intersection(name.lower() for name, _ in parse_qsl(urlsplit(url).query)):
        return f"{next(iter(reading))}= is not allowed: it would read files of the scheduler"
    return None


def _schemes(plugin: Any) -> set[str]:
    found: set[str] = set()
    for given in (getattr(plugin, "protocol", None), getattr(plugin, "secure_protocol", None)):
        found.update((given,) if isinstance(given, str) else given or ())
    return found


def _calls_http(plugin: Any) -> bool:
    """Whether it uses requests: local plugins, and those with their own protocols, do not."""
    return hasattr(inspect.getmodule(plugin), "requests")
