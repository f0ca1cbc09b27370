"""Which names of queues and projects the caller may see."""

from __future__ import annotations

from horae.api.auth import Principal
from horae.api.context import RequestContext
from horae.domain.people.sight import EVERYTHING, Sight
from horae.lifecycle.sight import sight


async def sight_of(context: RequestContext, principal: Principal) -> Sight:
    return EVERYTHING if principal.role == "admin" else await sight_within(context, principal.project_id)


async def sight_within(context: RequestContext, project_id: str) -> Sight:
    """The names that members of a project may see."""
    use = await context.queue_uses.of(project_id)
    return await context.store.read(sight, project_id, named=use.named)
