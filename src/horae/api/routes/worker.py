"""The worker protocol, version 1 (docs/worker-protocol.md): what agents ask of their installation."""

from __future__ import annotations

import json
from functools import partial
from typing import Annotated, Any
from uuid import UUID, uuid5

import orjson
from fastapi import APIRouter, Depends, Request, Response

from horae.api.body import takes
from horae.api.context import Ctx
from horae.api.errors import Unauthenticated, UnsupportedProtocol, refuses
from horae.api.routes import PREFIX
from horae.api.schemas.worker import (
    BeatBody,
    ClaimBody,
    ClaimView,
    GoodbyeBody,
    GoodbyeView,
    OutcomeBody,
    RegisterBody,
    RegisteredView,
    ReleaseBody,
    ReleaseView,
    RenewBody,
    RenewView,
    ReportBody,
    ReportView,
    SignalsBody,
    SignalsView,
)
from horae.api.views import reply
from horae.api.working.bodies import LARGEST, read_worker_model
from horae.api.working.claims import runs_and_jobs
from horae.api.working.door import INVALID, PROTOCOLS, worker_door
from horae.domain.cluster.process import Beat, Host, WorkerSign
from horae.domain.errors import InvalidInput, NotAllowed
from horae.domain.jobs.function import FunctionSign
from horae.domain.people.worker_key import WorkerKeyRecord
from horae.domain.runs.claim import Ahead, Claimant, ClaimRequest, Taken
from horae.domain.runs.engine_choice import DATABASE
from horae.domain.runs.log import Progress
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.domain.text.checks import storable
from horae.lifecycle import agents

LONGEST_WAIT = 30.0
router = APIRouter(prefix=f"{PREFIX}/worker", tags=["worker"], responses=refuses(401, 404, 413, 429))

Key = Annotated[WorkerKeyRecord, Depends(worker_door)]


@router.post("/register", response_model=RegisteredView, openapi_extra=takes(RegisterBody))
async def register(request: Request, context: Ctx, key: Key) -> Response:
    """Registers a worker. The same instance gets the same id."""
    body = await read_worker_model(request, RegisterBody)
    if not set(body.protocols).intersection(PROTOCOLS):
        raise UnsupportedProtocol(PROTOCOLS)
    if key.worker_name is not None and body.name not in (None, key.worker_name):
        raise NotAllowed("this worker key is bound to another worker's name")
    offers = key.offers(body.offers)
    if not offers:
        raise NotAllowed("this worker key allows none of the capabilities that the worker offers")
    worker_id = str(uuid5(UUID(key.id), body.instance))
    name = body.name or key.worker_name or f"agent-{worker_id[:8]}"
    sign = WorkerSign(
        worker_id,
        name,
        # Nobody judges an agent by a process table: only its lease says whether it is alive.
        Host(body.hostname, body.platform, f"agent-{worker_id}", 0, 0),
        body.version,
        key.serves(body.queues),
        offers,
        body.slots,
        key.projects,
        None,
        DATABASE,
        key.id,
    )
    functions = [FunctionSign(**one.model_dump(), is_system=False) for one in body.functions]
    for place, one in enumerate(body.functions):
        if not _is_object(one.parameters):
            raise InvalidInput(f"functions[{place}].parameters", "must be a JSON object, as text")
    await context.store.transact(agents.register, sign=sign, key=key, functions=functions)
    settings = context.settings
    return reply(
        {
            "worker_id": worker_id,
            "protocol": max(set(body.protocols).intersection(PROTOCOLS)),
            "name": name,
            "queues": list(sign.queues),
            "offers": list(offers),
            "projects": list(key.projects),
            "lease_seconds": settings.lease,
            "heartbeat_seconds": settings.heartbeat,
            "longest_wait_seconds": LONGEST_WAIT,
            "log_limit": settings.log_limit,
            "max_body_bytes": LARGEST,
            "grace_seconds": settings.grace,
        }
    )


@router.post("/claim", response_model=ClaimView, openapi_extra=takes(ClaimBody))
async def claim(request: Request, context: Ctx, key: Key) -> Response:
    """Takes runs for the worker's free slots. If there are none yet, the answer may take up to `wait` seconds."""
    body = await read_worker_model(request, ClaimBody)
    began = context.clock.monotonic()
    lease = context.settings.lease
    # Neither queues nor offers come from the request: see `claim_for`.
    claimant = Claimant(body.worker_id, (), key.project_ids)
    asked = ClaimRequest(claimant, body.token, lease, body.slots, (), Ahead(body.ahead, body.ahead_seconds))
    leased = began
    room = request.app.state.waiting_room
    row = await context.store.transact(agents.greet, key=key, worker_id=body.worker_id, beat=_beat(body))

    async def try_it() -> tuple[tuple[Taken, bool] | None, float]:
        nonlocal leased
        leased = context.clock.monotonic()
        taken, pause, drain = await context.store.transact(
            agents.claim_for, key=key, request=asked, again=body.again, draining=body.status == "draining"
        )
        over = taken.runs or drain or body.again or body.status == "draining"
        return ((taken, drain) if over else None), pause

    alone = body.again or not body.wait or body.status == "draining"
    of = (key.id, body.worker_id, body.token) if alone else (key.id, row.queues, row.offers)
    found = await room.claim(of, body.wait, try_it, partial(_is_over, request, context, key))
    taken, drain = found or (Taken([], (), more=False), False)
    runs, jobs = await runs_and_jobs(context, key, body.worker_id, taken.runs)
    return reply(
        {
            "runs": runs,
            "jobs": jobs,
            "more": taken.more and bool(taken.runs),
            "waited_seconds": max(leased - began, 0.0) if taken.runs else 0.0,
            "lease_seconds": lease,
            "drain": drain,
        }
    )


@router.post("/renew", response_model=RenewView, openapi_extra=takes(RenewBody))
async def renew(request: Request, context: Ctx, key: Key) -> Response:
    """A heartbeat, which renews the leases of everything that the worker holds."""
    body = await read_worker_model(request, RenewBody)
    held = [(run.id, run.token) for run in body.runs]
    renewed, drain = await context.store.transact(
        agents.renew_for,
        key=key,
        worker_id=body.worker_id,
        lease=context.settings.lease,
        held=held,
        beat=_beat(body),
    )
    kept = {run_id for run_id, _, _ in renewed}
    return reply(
        {
            "renewed": [run_id for run_id, _, _ in renewed],
            "cancel": [run_id for run_id, _, cancel in renewed if cancel],
            "lost": [run_id for run_id, _ in held if run_id not in kept],
            "drain": drain,
        }
    )


@router.post("/signals", response_model=SignalsView, openapi_extra=takes(SignalsBody))
async def signals(request: Request, context: Ctx, key: Key) -> Response:
    """Waits until a run of this worker is to be cancelled: then it renews at once."""
    body = await read_worker_model(request, SignalsBody)
    await context.store.transact(agents.recognise, key=key, worker_id=body.worker_id)
    is_over = partial(_is_over, request, context, key)
    cancel = await request.app.state.waiting_room.signal(body.worker_id, body.wait, is_over)
    return reply({"cancel": cancel, "drain": False})


@router.post("/report", response_model=ReportView, openapi_extra=takes(ReportBody), responses=refuses(409))
async def report(request: Request, context: Ctx, key: Key) -> Response:
    """Writes output, progress and outcomes of runs that this worker holds."""
    body = await read_worker_model(request, ReportBody)
    said = agents.Report(
        [
            agents.Outcomes((one.id, one.token), _outcome(place, one), one.duration_ms, one.ended_ms_ago)
            for place, one in enumerate(body.outcomes)
        ],
        [agents.Chunk((one.id, one.token), one.seq, one.stream, one.text, one.ms_ago) for one in body.logs],
        [
            Progress(one.id, one.token, orjson.dumps({"fraction": round(one.fraction, 4), "note": one.note}).decode())
            for one in body.progress
        ],
        body.wait,
    )
    done = await context.store.transact(
        agents.report_for,
        key=key,
        worker_id=body.worker_id,
        report=said,
        log_limit=context.settings.log_limit,
        chance=context.ids.chance,
    )
    return reply({"refused": list(done.finish.refused), "log_full": list(done.full)})


@router.post("/release", response_model=ReleaseView, openapi_extra=takes(ReleaseBody))
async def release(request: Request, context: Ctx, key: Key) -> Response:
    """Returns runs that were not started."""
    body = await read_worker_model(request, ReleaseBody)
    released = await context.store.transact(
        agents.release_for,
        key=key,
        worker_id=body.worker_id,
        pairs=[(run.id, run.token) for run in body.runs],
        unreadable={(run.id, run.token): run.unreadable for run in body.runs if run.unreadable is not None},
    )
    return reply({"released": released})


@router.post("/goodbye", response_model=GoodbyeView, openapi_extra=takes(GoodbyeBody))
async def goodbye(request: Request, context: Ctx, key: Key) -> Response:
    """The worker has ended in order: no claim of it takes anything from now on."""
    body = await read_worker_model(request, GoodbyeBody)
    await context.store.transact(agents.sign_off, key=key, worker_id=body.worker_id, runs_done=body.runs_done)
    return reply({})


def _beat(body: BeatBody) -> Beat:
    return Beat(body.status, body.busy, body.runs_done, storable(body.trouble))


async def _is_over(request: Request, context: Ctx, key: WorkerKeyRecord) -> bool:
    """Whether nobody waits for the answer any more, or this process is stopping; raises if the key was revoked."""
    if await request.is_disconnected() or context.stopping.is_set():
        return True
    if await request.app.state.authenticator.worker_key(key.prefix) is None:
        raise Unauthenticated(INVALID)
    return False


def _outcome(place: int, one: OutcomeBody) -> Outcome:
    kind = AttemptOutcome(one.kind)
    if one.result is not None and not _is_json(one.result):
        raise InvalidInput(f"outcomes[{place}].result", "must be JSON, as text")
    if (kind is AttemptOutcome.PARKED) != (one.park_for is not None):
        raise InvalidInput(f"outcomes[{place}].park_for", "is for outcomes that are parked, and required there")
    if one.error is None and kind not in (AttemptOutcome.SUCCEEDED, AttemptOutcome.PARKED):
        raise InvalidInput(f"outcomes[{place}].error", "is required unless the attempt succeeded or is parked")
    return Outcome(
        kind,
        one.result,
        one.error,
        one.traceback,
        one.exit_code,
        one.response_code,
        one.permanent,
        one.retry_after,
        one.park_for,
    )


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_object(text: str) -> bool:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict)
