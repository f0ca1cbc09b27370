"""Finds Horae for a program that only calls `task.enqueue(…)`: the API at HORAE_URL with HORAE_TOKEN, the database
itself at HORAE_DATABASE_URL, or the server of `horae up` on this machine. Separate from `config`, which belongs to
Horae's own processes: this runs in the user's."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from importlib import import_module
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from horae.domain.errors import ConfigurationError
from horae.sdk.client import AsyncClient, Client
from horae.sdk.enqueue import Submitter, ThroughApi

Address = tuple[str, str | None]

_lock = threading.Lock()
_clients: dict[tuple[int, Address], Client] = {}  # by process: a fork must not use its parent's connections
_async_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Address, AsyncClient]] = WeakKeyDictionary()
_databases: dict[tuple[int, str], Any] = {}


def submitter() -> Submitter:
    """The sync client: one per process; threads may share it."""
    if url := _database_url():
        waiting: Submitter = _database(url).waiting()
        return waiting
    found = address()
    key = (os.getpid(), found)
    with _lock:
        if key not in _clients:
            _clients[key] = Client(*found)
        return ThroughApi(_clients[key]._engine)


def async_submitter() -> Submitter:
    """The async client: one per event loop, which owns its connections."""
    if url := _database_url():
        awaited: Submitter = _database(url).awaited()
        return awaited
    found = address()
    known = _async_clients.setdefault(asyncio.get_running_loop(), {})
    if found not in known:
        known[found] = AsyncClient(*found)
    return ThroughApi(known[found]._engine)


def _database_url() -> str | None:
    return None if os.environ.get("HORAE_URL") else os.environ.get("HORAE_DATABASE_URL") or None


def _database(url: str) -> Any:
    # By name, bypassing the import contract: the SDK knows nothing about the store, and most programs that import it
    # have no database. Only a program with HORAE_DATABASE_URL loads the wiring, and with it the store.
    key = (os.getpid(), url)
    with _lock:
        if key not in _databases:
            _databases[key] = import_module("horae.wiring.enqueuing").Database(url)
        return _databases[key]


def address() -> Address:
    """URL and token. The token of `horae up` belongs to its address, and is not sent anywhere else."""
    url, token = os.environ.get("HORAE_URL"), os.environ.get("HORAE_TOKEN")
    if url and token:
        return url, token
    left = _left_by_up()
    if url:
        return url, left.get("token") if left.get("url") == url else None
    if "url" not in left:
        raise ConfigurationError(
            "set HORAE_URL and HORAE_TOKEN (or HORAE_DATABASE_URL), so that tasks know where to be enqueued"
        )
    return left["url"], token or left.get("token")


def _left_by_up() -> dict[str, str]:
    base = os.environ.get("XDG_DATA_HOME") or str(Path("~/.local/share").expanduser())
    folder = Path(os.environ.get("HORAE_DATA_DIR") or Path(base) / "horae")
    try:
        found = json.loads((folder / "client.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {name: value for name, value in found.items() if isinstance(value, str)} if isinstance(found, dict) else {}
