"""Finds the API and a token: from the settings, or from what `horae up` left in the data directory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from horae import config
from horae.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from horae.sdk.client import Client


def connect() -> Client:
    from horae.sdk.client import Client

    settings = config.load()
    url, token = settings.url, settings.token
    # The token in the file is for the address in the file; it is not sent anywhere else.
    if url is None:
        found = _left_by_up(settings)
        url = found.get("url") or f"http://127.0.0.1:{settings.port}"
        token = token or found.get("token")
    elif token is None:
        found = _left_by_up(settings)
        token = found.get("token") if found.get("url") == url else None
    return Client(url, token, client="cli")


def _left_by_up(settings: config.Settings) -> dict[str, str]:
    try:
        found = json.loads(settings.client_file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        raise ConfigurationError(
            f"cannot read {settings.client_file}: set HORAE_URL and HORAE_TOKEN, or start `horae up` again"
        ) from None
    if not isinstance(found, dict):
        return {}
    return {name: value for name, value in found.items() if isinstance(value, str)}
