"""Finds the API for a program that only says `task.enqueue(…)`: HORAE_URL and HORAE_TOKEN, or what `horae up` left on
this machine. Kept apart from config.py, which belongs to Horae's own processes: this runs in the user's."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from horae.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from horae.sdk.client import AsyncClient, Client

Address = tuple[str, str | None]

_lock = threading.Lock()
_clients: dict[tuple[int, Address], Client] = {}  # by process: a fork must not use its parent's connections
_async_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Address, AsyncClient]] = WeakKeyDictionary()


def client() -> Client:
    """One for each process; threads may share it."""
    from horae.sdk.client import Client

    found = address()
    key = (os.getpid(), found)
    with _lock:
        if key not in _clients:
            _clients[key] = Client(*found)
        return _clients[key]


def async_client() -> AsyncClient:
    """One for each event loop, to which its connections belong."""
    from horae.sdk.client import AsyncClient

    found = address()
    known = _async_clients.setdefault(asyncio.get_running_loop(), {})
    if found not in known:
        known[found] = AsyncClient(*found)
    return known[found]


def address() -> Address:
    """URL and token. The token that `horae up` left is for the address it left, and is sent nowhere else."""
    url, token = os.environ.get("HORAE_URL"), os.environ.get("HORAE_TOKEN")
    if url and token:
        return url, token
    left = _left_by_up()
    if url:
        return url, left.get("token") if left.get("url") == url else None
    if "url" not in left:
        raise ConfigurationError("set HORAE_URL and HORAE_TOKEN, so that tasks know where to be enqueued")
    return left["url"], token or left.get("token")


def _left_by_up() -> dict[str, str]:
    base = os.environ.get("XDG_DATA_HOME") or str(Path("~/.local/share").expanduser())
    folder = Path(os.environ.get("HORAE_DATA_DIR") or Path(base) / "horae")
    try:
        found = json.loads((folder / "client.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {name: value for name, value in found.items() if isinstance(value, str)} if isinstance(found, dict) else {}
