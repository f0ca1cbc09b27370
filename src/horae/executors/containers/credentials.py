"""Registry credentials, from the file in which `docker login` and `podman login` store them. Docker needs them with
each pull; Podman reads such a file itself."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path

_HUB = "https://index.docker.io/v1/"


class RegistryCredentials:
    """`file` is read at each pull: the user may log in meanwhile."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file

    def header(self, image: str) -> dict[str, str]:
        """The header for a call that pulls the image; nothing if the file does not contain its registry."""
        registry = _registry(image)
        try:
            known = json.loads(self._file.read_text())["auths"] if self._file is not None else {}
            given = known.get(registry) or known.get(f"https://{registry}") or {}
            user, _, password = base64.b64decode(given["auth"]).decode().partition(":")
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}
        credentials = {"username": user, "password": password, "serveraddress": registry}
        return {"X-Registry-Auth": base64.urlsafe_b64encode(json.dumps(credentials).encode()).decode()}


def find_file(environment: Mapping[str, str]) -> Path | None:
    """Where the user of this environment has logged in."""
    if given := environment.get("REGISTRY_AUTH_FILE"):
        return Path(given)
    folder = environment.get("DOCKER_CONFIG") or f"{environment.get('HOME', '/root')}/.docker"
    places = [Path(folder) / "config.json"]
    if own := environment.get("XDG_RUNTIME_DIR"):
        places.append(Path(own) / "containers" / "auth.json")
    return next((place for place in places if place.is_file()), None)


def _registry(image: str) -> str:
    """As `docker login` names it."""
    first, sign, _ = image.partition("/")
    if sign and ("." in first or ":" in first or first == "localhost"):
        return _HUB if first == "docker.io" else first
    return _HUB
