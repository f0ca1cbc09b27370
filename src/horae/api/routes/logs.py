"""Logs of runs: page by page, as plain text, or as a live stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Query, Response
from fastapi.responses import StreamingResponse

from horae.api.auth import Principal, allow
from horae.api.context import Ctx, RequestContext
from horae.api.params import RunId
from horae.api.routes import PREFIX
from horae.api.schemas import Listing, LogLineView
from horae.api.signing_in.authenticator import Auth
from horae.api.streams import events
from horae.api.streams.staying import LIFETIME, Stay
from horae.api.views import PAGE_BYTES, Json, listing, reply, run_json, shown
from horae.domain.errors import InvalidInput, NotFound, StoreUnavailable
from horae.domain.runs.log import LogPiece, LogPosition
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import RunStatus
from horae.domain.text.ansi import complete, stripped
from horae.lifecycle.find import found_run
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["runs"])

PAGE = 1_000
_PORTION = 100  # read at a time for a page
_PIECES = 50  # read at a time while following: a chunk has up to 64 KiB
_POLL, _POLL_QUIET, _QUIET = 0.15, 0.3, 20.0  # seconds between two polls; longer after so many quiet seconds
_LIVE = (RunStatus.QUEUED, RunStatus.RUNNING)

Look = tuple[RunRecord, list[LogPiece]]


@router.get(
    "/runs/{id}/log",
    response_model=Listing[LogLineView],
    responses={
        200: {
            "content": {kind: {"schema": {"type": "string"}} for kind in ("text/plain", "text/event-stream")},
        }
    },
)
async def read_log(
    context: Ctx,
    authenticator: Auth,
    principal: Annotated[Principal, Depends(allow("runs:read"))],
    run_id: RunId,
    cursor: Annotated[str | None, Query(max_length=50, description="start after this piece: attempt.seq")] = None,
    limit: Annotated[int, Query(ge=1, le=PAGE, description="how many pieces")] = PAGE,
    format: Annotated[Literal["json", "text"], Query(description="text: the whole log, without colours")] = "json",
    follow: Annotated[bool, Query(description="stream server-sent events until the run has ended")] = False,
    last_event_id: Annotated[str | None, Header(max_length=50, description="resume after this piece")] = None,
) -> Response:
    """The run's output, in order. With `follow`, the events are `log` (a piece; its id is the cursor after it), `run`
    (status, attempt and progress, on every change) and finally `end` (the run). A response that ends without `end`, as
    each does after 15 minutes, can be resumed after `Last-Event-ID`."""
    after = _position(last_event_id or cursor, "Last-Event-ID" if last_event_id else "cursor")
    project_id = principal.project_id
    stay = Stay(authenticator, principal, "runs:read")
    if follow:
        first = await context.store.read(_look, project_id, run_id, after, _PIECES)
        return events.stream(_follow(context, stay, run_id, after, first))
    if format == "text":
        first = await context.store.read(_look, project_id, run_id, after, _PIECES)
        headers = {"content-disposition": f'attachment; filename="{run_id}.log"'}
        return StreamingResponse(
            _text(context, stay, run_id, after, first),
            media_type="text/plain; charset=utf-8",
            headers=headers,
        )
    pieces, all_of_it = await _some(context, project_id, run_id, after, limit)
    return reply(listing(map(_json, pieces), None if all_of_it else str(pieces[-1].position)))


async def _some(
    context: RequestContext, project_id: str, run_id: str, after: LogPosition, limit: int
) -> tuple[list[LogPiece], bool]:
    """So many chunks, or fewer if they are long; and whether that is all there is."""
    pieces: list[LogPiece] = []
    size = 0
    while len(pieces) < limit and size < PAGE_BYTES:
        wanted = min(_PORTION, limit - len(pieces))
        _, more = await context.store.read(_look, project_id, run_id, after, wanted)
        pieces += more
        if len(more) < wanted:
            return pieces, True
        size += sum(len(piece.text.encode(errors="replace")) for piece in more)
        after = more[-1].position
    return pieces, False


async def _text(
    context: RequestContext, stay: Stay, run_id: str, after: LogPosition, look: Look
) -> AsyncIterator[bytes]:
    project_id = stay.principal.project_id
    pieces, rest = look[1], ""
    while pieces:
        await stay.check()
        for piece in pieces:
            ready, rest = complete(rest + piece.text)
            yield stripped(ready).encode()
        after = pieces[-1].position
        _, pieces = await context.store.read(_look, project_id, run_id, after, _PIECES)
    yield stripped(rest).encode()


async def _follow(
    context: RequestContext, stay: Stay, run_id: str, after: LogPosition, look: Look
) -> AsyncIterator[bytes]:
    project_id = stay.principal.project_id
    last: Any = None
    spoken = heard = now = context.clock.monotonic()
    ends = now + LIFETIME
    while now < ends and not await stay.is_over():
        run, pieces = look
        now = context.clock.monotonic()
        if (state := _state(run)) != last:
            yield events.event("run", state)
            last, spoken = state, now
        for piece in pieces:
            after = piece.position
            yield events.event("log", _json(piece), str(after))
            spoken = heard = now
        if len(pieces) < _PIECES:
            if run.status not in _LIVE:
                yield events.event("end", run_json(run))
                return
            if now - spoken > events.KEEP_ALIVE:
                yield events.still_here()
                spoken = now
            if await _stopping(context, _POLL if now - heard < _QUIET else _POLL_QUIET):
                return  # the client reconnects to the next server
        try:
            look = await context.store.read(_look, project_id, run_id, after, _PIECES)
        except StoreUnavailable:
            look = run, []  # the client reconnects, and then there is more
        except NotFound:
            return  # deleted, for example with its project


async def _stopping(context: RequestContext, seconds: float) -> bool:
    with suppress(TimeoutError):
        await asyncio.wait_for(context.stopping.wait(), seconds)
    return context.stopping.is_set()


async def _look(tx: Transaction, project_id: str, run_id: str, after: LogPosition, limit: int) -> Look:
    # The run first: then everything written before its end will be read.
    run = await found_run(tx, project_id, run_id)
    return run, await tx.logs.read(run_id, after=after, limit=limit)


def _state(run: RunRecord) -> dict[str, Any]:
    return {"status": run.status, "attempt": run.attempt, "progress": run.progress}


def _json(piece: LogPiece) -> Json:
    return shown(LogLineView, piece)


def _position(text: str | None, field: str) -> LogPosition:
    try:
        return LogPosition.parse(text)
    except ValueError:
        raise InvalidInput(field, 'must be a place in this log, such as "1.17": attempt and piece') from None
