"""The keys of agents: list, create, rotate, revoke. For admins."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from horae.api.auth import Caller, allow_admin
from horae.api.body import read_model, takes
from horae.api.context import Ctx
from horae.api.routes import PREFIX
from horae.api.schemas import Listing
from horae.api.schemas.worker import NewWorkerKeyView, RotateBody, WorkerKeyBody, WorkerKeyView
from horae.api.views import listing, reply, shown
from horae.api.working.door import mint
from horae.domain.errors import NotFound
from horae.domain.people.account import title
from horae.domain.people.worker_key import WorkerKey
from horae.domain.text.ids import is_id
from horae.lifecycle import worker_keys

_MOST = 1_000
router = APIRouter(prefix=PREFIX, tags=["worker keys"])

Admin = Annotated[Caller, Depends(allow_admin("workers:keys"))]
KeyId = Annotated[str, Path(alias="id", description="a worker key's id")]


@router.get("/worker-keys", response_model=Listing[WorkerKeyView])
async def list_worker_keys(context: Ctx, caller: Admin) -> Response:
    """Newest first, up to 1,000."""
    found = await context.store.read(lambda tx: tx.worker_keys.all(_MOST))
    return reply(listing(shown(WorkerKeyView, key) for key in found))


@router.post("/worker-keys", status_code=201, response_model=NewWorkerKeyView, openapi_extra=takes(WorkerKeyBody))
async def create_worker_key(request: Request, context: Ctx, caller: Admin) -> Response:
    """Creates a key for agents. The key itself is shown only once."""
    body = await read_model(request, WorkerKeyBody)
    token = mint()
    key = WorkerKey(
        context.ids.new(),
        title(body.name),
        token.prefix,
        token.digest,
        caller.actor,
        tuple(body.projects),
        (),
        tuple(body.queues),
        tuple(body.capabilities),
        body.worker_name,
        body.expires_at,
    )
    made = await context.store.transact(worker_keys.create_worker_key, key=key)
    return reply({**shown(WorkerKeyView, made), "key": token.text}, 201)


@router.post("/worker-keys/{id}/rotate", response_model=NewWorkerKeyView, openapi_extra=takes(RotateBody))
async def rotate_worker_key(request: Request, context: Ctx, caller: Admin, key_id: KeyId) -> Response:
    """Replaces a key by a new one, which is shown only once. The key before stays valid for `overlap` seconds."""
    body = await read_model(request, RotateBody)
    token = mint()
    made = await context.store.transact(
        worker_keys.rotate_worker_key,
        key_id=_checked(key_id),
        prefix=token.prefix,
        digest=token.digest,
        overlap=body.overlap,
        actor=caller.actor,
    )
    return reply({**shown(WorkerKeyView, made), "key": token.text})


@router.delete("/worker-keys/{id}", status_code=204)
async def revoke_worker_key(context: Ctx, caller: Admin, key_id: KeyId) -> Response:
    """Revokes a key. Its agents can claim, renew and report nothing more; their runs are given to others at once."""
    await context.store.transact(
        worker_keys.revoke_worker_key, key_id=_checked(key_id), actor=caller.actor, chance=context.ids.chance
    )
    return Response(status_code=204)


def _checked(key_id: str) -> str:
    if not is_id(key_id):
        raise NotFound("there is no such worker key")
    return key_id
