"""Live events: changes of runs, jobs and workers as server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Literal, NamedTuple

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from horae.api.auth import Principal, allow
from horae.api.context import Ctx, RequestContext
from horae.api.routes import PREFIX
from horae.api.signing_in.authenticator import Auth
from horae.api.streams import events
from horae.api.streams.staying import LIFETIME, Stay
from horae.api.streams.watching import Event, EventFollower, ProjectWatch, Watches, position

router = APIRouter(prefix=PREFIX, tags=["events"])

_TICK = 1.0


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def follow_events(
    request: Request,
    context: Ctx,
    authenticator: Auth,
    principal: Annotated[Principal, Depends(allow("runs:read"))],
    kind: Annotated[Literal["run", "job", "worker"] | None, Query(description="only these")] = None,
    seconds: Annotated[
        int, Query(ge=0, le=LIFETIME, description="seconds to stream; 0: only missed events")
    ] = LIFETIME,
    last_event_id: Annotated[str | None, Header(max_length=50, description="resume after this event")] = None,
) -> Response:
    """Server-sent events `run` (the run), `job` (`id`, `name`, `action`, `by`) and `worker` (the worker), sent on every
    change. `reset` means that more happened than can be listed: reload the lists. A broken connection resumes after
    `Last-Event-ID`; some events may then be delivered twice."""
    after = position(last_event_id)
    watches: Watches = request.app.state.watches
    watch, follower = await watches.follow(principal.project_id)
    missed = await _missed(watch, follower, after)
    stay = Stay(authenticator, principal, "runs:read")
    return events.stream(_follow(context, stay, _Following(watch, follower, kind, seconds), missed))


class _Following(NamedTuple):
    watch: ProjectWatch
    follower: EventFollower
    kind: str | None
    seconds: int

    def wants(self, event: Event) -> bool:
        return self.kind is None or event.kind in (self.kind, "reset")


async def _follow(
    context: RequestContext, stay: Stay, following: _Following, missed: list[Event]
) -> AsyncIterator[bytes]:
    follower, now = following.follower, context.clock.monotonic
    admin = stay.principal.role == "admin"
    ends, spoken = now() + following.seconds, now()
    try:
        yield events.still_here()  # so that the client knows that the stream has begun
        for event in missed:
            if following.wants(event):
                yield _sent(event, admin)
        while now() < ends and not context.stopping.is_set():
            if follower.dropped:
                yield events.event("dropped", {"detail": "you read more slowly than events occur: connect again"})
                return
            coming = await _next(follower, min(_TICK, ends - now()))
            if await stay.is_over():
                return
            if coming is not None and following.wants(coming):
                yield _sent(coming, admin)
                spoken = now()
            elif now() - spoken > events.KEEP_ALIVE:
                yield events.still_here()
                spoken = now()
    finally:
        following.watch.followers.discard(follower)


async def _next(follower: EventFollower, seconds: float) -> Event | None:
    try:
        return await asyncio.wait_for(follower.queue.get(), max(seconds, 0))
    except TimeoutError:
        return None


async def _missed(watch: ProjectWatch, follower: EventFollower, after: tuple[int, int] | None) -> list[Event]:
    """Events after the one that the follower names."""
    if after is None:
        return []
    try:
        missed = await watch.missed(after)
    except BaseException:
        watch.followers.discard(follower)
        raise
    if missed is None:
        detail = "the events after that one are no longer available: reload the lists"
        return [Event(after[0], after[1], "reset", events.rendered({"detail": detail}))]
    return missed


def _sent(event: Event, admin: bool) -> bytes:
    data = event.whole if admin and event.whole is not None else event.data
    return events.framed(event.kind, data, event.id)
