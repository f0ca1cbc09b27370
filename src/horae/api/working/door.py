"""Authentication of agents: a worker key opens the routes of the worker protocol, and no others."""

from __future__ import annotations

import re
import secrets

from fastapi import Request

from horae.api import query
from horae.api.address import crowd
from horae.api.auth import Public
from horae.api.errors import Unauthenticated, UnsupportedProtocol
from horae.api.signing_in import tokens
from horae.api.signing_in.authenticator import Authenticator
from horae.domain.people.worker_key import WorkerKeyRecord

PREFIX = "horaew_"
PROTOCOLS = (1,)
_HEADER = "horae-worker-protocol"
_KEY = re.compile(r"horaew_([0-9a-f]{16})_([0-9A-Za-z_-]{43})", re.ASCII)
INVALID = "this worker key is not valid"


def mint() -> tokens.Token:
    prefix = secrets.token_hex(8)
    text = f"{PREFIX}{prefix}_{secrets.token_urlsafe(32)}"
    return tokens.Token(text, prefix, tokens.digest(text))


class WorkerDoor(Public):
    """The dependency of every route of the protocol: the valid key of the caller."""

    async def __call__(self, request: Request) -> WorkerKeyRecord:  # type: ignore[override]
        query.check(request)
        authenticator: Authenticator = request.app.state.authenticator
        scheme, _, text = request.headers.get("authorization", "").partition(" ")
        match = _KEY.fullmatch(text.strip()) if scheme.lower() == "bearer" else None
        prefix = match[1] if match else ""
        if not authenticator.met(prefix):
            authenticator.strangers.check(crowd(authenticator.proxies.address(request)))
        found = await authenticator.worker_key(prefix) if match else None
        digest = None if found is None else found.digest_of(prefix)
        if found is None or digest is None or not tokens.matches(text.strip(), digest):
            authenticator.part(prefix)
            authenticator.refusals.note(request, "key")
            await authenticator.strangers.count(crowd(authenticator.proxies.address(request)))
            raise Unauthenticated(INVALID)
        authenticator.meet(prefix)
        await authenticator.limit.count(found.id)
        if request.headers.get(_HEADER, "1") not in map(str, PROTOCOLS):
            raise UnsupportedProtocol(PROTOCOLS)
        return found


worker_door = WorkerDoor()
