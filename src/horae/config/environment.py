"""The environment variables that are not settings."""

from __future__ import annotations

import os
from collections.abc import Mapping

from horae.config.settings import PREFIX, setting_fields

SERVICE_MANAGER = ("NOTIFY_SOCKET", "WATCHDOG_USEC")  # set by systemd for its services


def service_manager() -> tuple[str | None, float | None]:
    """The socket of systemd, and the watchdog's timeout in seconds."""
    address, micros = (os.environ.get(variable, "") for variable in SERVICE_MANAGER)
    return address or None, int(micros) / 1e6 if micros.isdigit() and int(micros) else None


def process_environment() -> Mapping[str, str]:
    """The environment as it is, for code that passes parts of it on."""
    return os.environ


def secret_variables() -> frozenset[str]:
    """The environment variables that only Horae may see; user code gets only the client's address and token."""
    return frozenset(PREFIX + f.name.upper() for f in setting_fields() if f.metadata.get("secret")) - {PREFIX + "TOKEN"}
