"""Idempotency keys: a POST with an `Idempotency-Key` takes effect once, and every repetition gets the same answer.

The guard of a route calls `enter` after authentication; `IdempotencyMiddleware`, around all routes, stores the answer
before it is sent. Routes are unaware of this: their ids are derived from the key, and their store knows whether there
was an earlier try."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import FastAPI, Request, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from horae.accounts import idempotency
from horae.api.body import read_bytes
from horae.api.context import RequestContext, origin_of
from horae.api.errors import problem
from horae.api.late_answers import Notes
from horae.domain.errors import Conflict, InvalidInput, StoreUnavailable
from horae.domain.jobs.idempotency import DerivedIds, KeptAnswer, KeptRequest, Once
from horae.domain.secrets.secret import CannotOpen, Sealed
from horae.domain.text.ids import NIL

HEADER = "idempotency-key"
_KEY = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?", re.ASCII)
_PATIENCE, _POLL = 5.0, 0.05  # seconds to wait for the answer of another request, and between the first two polls
_HEADERS = (b"content-type", b"location", b"etag")


@dataclass(frozen=True, slots=True)
class Claim:
    """A request that this process is executing under its key."""

    once: Once
    ids: DerivedIds


class Replayed(Exception):
    """The answer is known already."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


class KeyInUse(Conflict):
    """A request with this Idempotency-Key is being answered at this moment; try again in a second."""


async def enter(request: Request, caller: str, project_id: str | None) -> None:
    """Claims the request's key for this process; otherwise raises the stored answer, or why there is none."""
    context: RequestContext = request.app.state.context
    once, known_as = await _once(context, request, caller, project_id or NIL)
    deadline, pause = context.clock.monotonic() + _PATIENCE, _POLL
    while True:
        try:
            kept = await context.store.autocommit(idempotency.claim, once, known_as)
        except StoreUnavailable:  # it may be ours after all, taken over from an earlier try
            request.app.state.notes.write_later(idempotency.release, once, refused=False)
            raise
        if kept.status is not None:
            raise Replayed(_response(context, once, kept))
        if kept.holder == once.holder:
            break
        if context.clock.monotonic() > deadline:
            raise KeyInUse
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, 0.5)
    request.scope["state"]["claim"] = Claim(once, DerivedIds.under(once, kept))
    # There may have been an earlier try, unless this one created the key.
    origin_of(request).repeated = kept.taken_over


async def _once(context: RequestContext, request: Request, caller: str, project_id: str) -> tuple[Once, Sequence[str]]:
    given = request.headers.getlist(HEADER)
    if len(given) > 1 or not _KEY.fullmatch(given[0]):
        raise InvalidInput("Idempotency-Key", "must be 1 to 255 printable ASCII characters")
    raw = await read_bytes(request)
    request._body = raw  # the next reader gets the same
    asked = b"\0".join([request.scope["path"].encode(), request.scope["query_string"], raw])
    # Keyed: a body may contain a password, whose plain digest could be brute-forced.
    requests = [hmac.new(key.encode(), asked, hashlib.sha256).hexdigest() for key in context.settings.keys]
    digest = hashlib.sha256(f"{caller}\0{given[0]}".encode()).hexdigest()
    return Once(project_id, digest, requests[0], context.ids.new()), requests


def _response(context: RequestContext, once: Once, kept: KeptRequest) -> Response:
    key_id, _, text = (kept.body or "").partition(":")
    try:
        body = context.seals.open(Sealed(once.project_id, _name(once), text, key_id))
    except CannotOpen:
        raise Conflict("the response to this Idempotency-Key was stored under another HORAE_SECRET_KEY") from None
    headers = {**kept.headers, "idempotency-replayed": "true"}
    return Response(base64.b64decode(body), kept.status or 200, headers)


def _name(once: Once) -> str:
    return f"idempotency {once.digest}"  # no secret has a name with a space in it


def install(app: FastAPI) -> None:
    app.add_exception_handler(Replayed, _replayed)
    app.add_exception_handler(KeyInUse, _in_use)


async def _replayed(request: Request, error: Exception) -> Response:
    assert isinstance(error, Replayed)
    return error.response


async def _in_use(request: Request, error: Exception) -> Response:
    return problem(request.state.id, 409, str(error), headers={"retry-after": "1"})


class IdempotencyMiddleware:
    """Stores the responses to requests that have a claim, before they are sent."""

    def __init__(self, app: ASGIApp, *, context: RequestContext, notes: Notes) -> None:
        self._app, self._context, self._notes = app, context, notes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST" or not _has_key(scope):
            await self._app(scope, receive, send)
            return
        begun: list[Message] = []

        async def keep(message: Message) -> None:
            claim: Claim | None = scope["state"].get("claim")
            if claim is None:
                await send(message)
                return
            begun.append(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                await self._keep(claim, begun)
                for one in begun:
                    await send(one)
                scope["state"]["claim"] = None

        try:
            await self._app(scope, receive, keep)
        except Exception:
            await self._end(scope["state"].get("claim"), 500)
            raise

    async def _keep(self, claim: Claim, messages: Sequence[Message]) -> None:
        start = messages[0]
        if start["status"] >= 400:
            await self._end(claim, start["status"])
            return
        body = b"".join(message.get("body", b"") for message in messages[1:])
        once = claim.once
        sealed = self._context.seals.seal(once.project_id, _name(once), base64.b64encode(body).decode())
        headers = {name.decode(): value.decode() for name, value in start["headers"] if name.lower() in _HEADERS}
        answer = KeptAnswer(start["status"], headers, f"{sealed.key_id}:{sealed.text}")
        await self._notes.write(idempotency.keep, once, answer)

    async def _end(self, claim: Claim | None, status: int) -> None:
        if claim is not None:
            await self._notes.write(idempotency.release, claim.once, refused=status < 500)


def _has_key(scope: Scope) -> bool:
    return any(name == b"idempotency-key" for name, _ in scope["headers"])
