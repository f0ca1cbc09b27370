"""Finds the API and a token: from the settings, from `horae login`, or from what `horae up` left in the data
directory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from horae import config
from horae.domain.errors import ConfigurationError, InvalidInput

if TYPE_CHECKING:
    from horae.sdk.client import Client


def connect(*, quick: bool = False) -> Client:
    """`quick` prefers no answer to a late one: it tries once, and renews nothing."""
    from horae.sdk.client import Client

    settings = config.load()
    _refuse_strange_address(settings)
    if (signed_in := _signed_in(settings, quick)) is not None:
        return signed_in
    url, token = settings.url, settings.token
    # The token in the file belongs to the address in the file; it is not sent anywhere else.
    if url is None:
        found = _left_by_up(settings)
        url = found.get("url") or f"http://127.0.0.1:{settings.port}"
        token = token or found.get("token")
    elif token is None:
        found = _left_by_up(settings)
        token = found.get("token") if found.get("url") == url else None
    return Client(checked(url), token, project=settings.project, client="cli", **_patience(quick))


def _patience(quick: bool) -> dict[str, Any]:
    return {"timeout": 1.0, "retries": 0} if quick else {}


_NAME_IT = "name the file to use it: HORAE_CONFIG=horae.toml"


def _refuse_strange_address(settings: config.Settings) -> None:
    """A `horae.toml` in a cloned repository must not decide where a token goes that it does not contain."""
    here = settings.lying_here
    for one, other in (("url", "token"), ("token", "url")):
        if one in here and other not in here and settings.sources[other] != "default":
            raise ConfigurationError(
                f"{one} is from the horae.toml in this directory, and {other} from {settings.sources[other]}: set both "
                f"in one place, or {_NAME_IT}"
            )
    if "data_dir" in here and "token" not in here and settings.token is not None and settings.url is None:
        raise ConfigurationError(
            f"data_dir, and with it the address of the API, is from the horae.toml in this directory, and token from "
            f"{settings.sources['token']}: set HORAE_URL, or {_NAME_IT}"
        )


def known_url(settings: config.Settings) -> str:
    """The address of the API, to which a password is about to be sent."""
    for name in ("url", "data_dir") if settings.url is None else ("url",):
        if name in settings.lying_here:
            raise ConfigurationError(
                f"{name} is from the horae.toml in this directory: give the URL to sign in to with --url, or {_NAME_IT}"
            )
    return checked(settings.url or _left_by_up(settings).get("url") or f"http://127.0.0.1:{settings.port}")


def checked(url: str) -> str:
    """A valid address."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and url.isprintable()
    except ValueError:  # an invalid port
        good = False
    if not good or " " in url:
        raise InvalidInput("URL", f"{url!r} is not the address of an API, such as http://127.0.0.1:8080")
    return url


def on_the_database(settings: config.Settings) -> bool:
    """Whether a command that supports both works directly on the database: if that is set, or if there are no
    credentials for an API."""
    known = settings.token is not None or config.login_file().exists() or settings.client_file.exists()
    if known and "database_url" in settings.lying_here and "token" not in settings.lying_here:
        raise ConfigurationError(
            "database_url is from the horae.toml in this directory, but you are also signed in to an API: set "
            "HORAE_DATABASE_URL, or {_NAME_IT}"
        )
    return settings.sources["database_url"] != "default" or not known


def _signed_in(settings: config.Settings, quick: bool) -> Client | None:
    """The account of `horae login`, unless the settings say otherwise."""
    if settings.token is not None or not config.login_file().exists():
        return None
    if settings.url is None and settings.sources["data_dir"] != "default" and settings.client_file.exists():
        return None  # an explicit data directory means the Horae that runs there
    from horae.cli.session import LoginFile, Renewing
    from horae.sdk.client import Client

    file = LoginFile(config.login_file())
    login = file.read()
    if login is None or settings.url not in (None, login.url):
        return None
    token = login.access_token if quick else Renewing(file, login)
    return Client(login.url, token, project=settings.project or login.project, client="cli", **_patience(quick))


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
