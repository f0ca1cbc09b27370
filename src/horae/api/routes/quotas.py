"""Quotas: a project's limits and usage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from horae.accounts import usage
from horae.api.auth import Principal, allow, allow_in_path
from horae.api.body import read_object, takes, validate
from horae.api.context import Ctx, RequestContext
from horae.api.routes import PREFIX
from horae.api.routes.projects import Named
from horae.api.schemas.quotas import QuotasPatch, QuotasView, QuotaView
from horae.api.views import reply, shown
from horae.domain.people.quota import Quota, Usage

router = APIRouter(prefix=PREFIX, tags=["projects"])


@router.get("/quotas", response_model=QuotasView)
async def show_own_quotas(context: Ctx, principal: Annotated[Principal, Depends(allow("projects:read"))]) -> Response:
    """The quotas of the current project."""
    return await _shown(context, principal)


@router.get("/projects/{id}/quotas", response_model=QuotasView, dependencies=[Named])
async def show_quotas(
    context: Ctx, principal: Annotated[Principal, Depends(allow_in_path("projects:read"))]
) -> Response:
    """The project's current usage and limit for each quota."""
    return await _shown(context, principal)


@router.patch(
    "/projects/{id}/quotas",
    response_model=QuotasView,
    dependencies=[Named],
    openapi_extra=takes(QuotasPatch, merge=True),
)
async def set_quotas(
    request: Request, context: Ctx, principal: Annotated[Principal, Depends(allow_in_path("projects:manage"))]
) -> Response:
    """Sets the given quotas; null removes one. Nothing that the project already has is deleted, even above the
    limit."""
    body = validate(QuotasPatch, await read_object(request, merge=True))
    limits = {Quota(name): getattr(body, name) for name in body.model_fields_set}
    if limits.get(Quota.FIRES_PER_MINUTE) is not None:
        while await context.store.transact(usage.rate_jobs, project_id=principal.project_id):
            pass  # in portions: there may be very many
    async with context.turns.turn():
        found = await context.store.transact(
            usage.set_quotas, project_id=principal.project_id, limits=limits, actor=principal.actor
        )
    return reply(_json(found))


async def _shown(context: RequestContext, principal: Principal) -> Response:
    async with context.turns.turn():  # takes a while if there are very many runs
        return reply(_json(await context.store.read(usage.usage, principal.project_id)))


def _json(found: Mapping[Quota, Usage]) -> dict[str, Any]:
    return {quota.value: shown(QuotaView, one) for quota, one in found.items()}
