"""The command line's session: a file that only its owner can read, and tokens that are renewed automatically."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from horae.clock import SystemClock
from horae.domain.errors import ConfigurationError, HoraeError
from horae.private_file import write_private
from horae.sdk.answers import NotSignedIn
from horae.sdk.client import Client

_SOON = timedelta(seconds=30)  # a token that expires this soon is renewed before it is used


@dataclass(frozen=True, slots=True)
class Login:
    url: str
    username: str
    project: str | None
    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    expires_at: str

    def renewed(self, tokens: dict[str, Any]) -> Login:
        ends = SystemClock().now() + timedelta(seconds=tokens["expires_in"])
        return replace(
            self,
            access_token=tokens["access_token"],
            refresh_token=tokens["refresh_token"],
            expires_at=ends.isoformat(),
        )

    @property
    def fresh(self) -> bool:
        return datetime.fromisoformat(self.expires_at) - SystemClock().now() > _SOON


class LoginFile:
    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Login | None:
        try:
            return Login(**json.loads(self.path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError):
            raise ConfigurationError(f"cannot read {self.path}: remove it, and sign in again") from None

    def write(self, login: Login) -> None:
        """Atomic, and readable by its owner only."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_private(self.path, json.dumps(asdict(login), indent=2) + "\n")
        except OSError as error:
            raise HoraeError(f"cannot write {self.path}: {error.strerror}") from None

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One command at a time: using a refresh token twice would end the session."""
        with self.path.with_suffix(".lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


class Renewing(httpx.Auth):
    """Sends the access token, and renews it when it expires."""

    def __init__(self, file: LoginFile, login: Login) -> None:
        self._file, self._login = file, login

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        if not self._login.fresh:
            self._renew()
        request.headers["authorization"] = f"Bearer {self._login.access_token}"
        response = yield request
        if response.status_code == 401:
            self._renew()
            request.headers["authorization"] = f"Bearer {self._login.access_token}"
            yield request

    def _renew(self) -> None:
        with self._file.locked():
            known = self._file.read()
            if known is None:
                raise NotSignedIn("you have signed out")
            if known.access_token == self._login.access_token:
                known = self._exchange(known)
            self._login = known

    def _exchange(self, login: Login) -> Login:
        with Client(login.url, client="cli", retries=0) as client:
            try:
                tokens = client.account.refresh(login.refresh_token)
            except NotSignedIn:
                self._file.remove()
                raise NotSignedIn(f"your session on {login.url} has ended") from None
        renewed = login.renewed(tokens)
        self._file.write(renewed)
        return renewed
