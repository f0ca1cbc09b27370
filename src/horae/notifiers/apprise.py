"""`apprise`: the services that Apprise knows, by its URLs. Only those that it calls over HTTP: never what runs
programs, writes files or speaks to a desktop. It chooses its addresses itself, so the guard is where it connects."""

from __future__ import annotations

import asyncio
import inspect
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from horae.domain.notify.delivery import Envelope, Sent
from horae.notifiers.addresses import Addresses
from horae.notifiers.guarded import Guard, guarded
from horae.notifiers.mail_text import plain

_THREADS = 4
_MISSING = "Apprise is not installed on the scheduler: pip install 'horae[apprise]'"
_OTHERWISE = {"mailto": "email", "mailtos": "email"}
# HTTP, but they read files of this machine that the URL names.
_READERS = frozenset({"fcm", "vapid"})
_READING = frozenset({"template", "keyfile", "subfile", "attach", "config", "include"})


class AppriseSender:
    def __init__(self, addresses: Addresses) -> None:
        self._guard = Guard(addresses.check)
        self._threads = ThreadPoolExecutor(_THREADS, "apprise")

    async def send(self, envelope: Envelope) -> Sent:
        url = envelope.secrets["url"]
        if (reason := refusal(url)) is not None:
            return Sent(reason, permanent=True)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._send, url, envelope.message.title, plain(envelope))

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _send(self, url: str, title: str, body: str) -> Sent:
        import apprise

        asset = apprise.AppriseAsset(async_mode=False, app_id="Horae", plugin_paths=[])
        with guarded(self._guard) as refused:
            service = apprise.Apprise.instantiate(url, asset=asset)
            if service is None:
                return Sent("Apprise does not understand the URL", permanent=True)
            # Not by `Apprise.notify`, which would do it in threads of its own: those are not guarded.
            taken = service.notify(body=body, title=title)
        if refused:
            return Sent(refused[0], permanent=True)
        return Sent() if taken else Sent("the service did not take the message; Apprise does not say why")


def refusal(url: str) -> str | None:
    """Why a URL is not for channels; None if it is. Never repeats the URL."""
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
    """Whether it is made of requests: the local ones, and those with protocols of their own, are not."""
    return hasattr(inspect.getmodule(plugin), "requests")
