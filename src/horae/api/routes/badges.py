"""Badges: pictures of how a job or a ping is doing, at URLs that need no account."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from horae.api.auth import Principal, allow, public
from horae.api.body import read_model, takes
from horae.api.context import Ctx, RequestContext
from horae.api.errors import refuses
from horae.api.params import Page
from horae.api.routes import PREFIX
from horae.api.schemas import Listing
from horae.api.schemas.pings import BadgeBody, BadgeView, Subject
from horae.api.signing_in.authenticator import Auth
from horae.api.signing_in.url_tokens import UrlTokens, base_url, mint, opened, url_tokens
from horae.api.views import listing, reply, shown
from horae.domain import pages
from horae.domain.errors import InvalidInput, NotFound
from horae.domain.pings.badge import BadgeRecord, NewBadge, draw
from horae.domain.text.ids import is_id
from horae.lifecycle.watching import badges
from horae.ports import Transaction

router = APIRouter(tags=["badges"])

Reader = Annotated[Principal, Depends(allow("badges:read"))]
Writer = Annotated[Principal, Depends(allow("badges:write"))]
_CACHED = "public, max-age=60"  # seconds; image proxies keep it no longer than this
_SVG: dict[int | str, dict[str, Any]] = {
    200: {"description": "An SVG image", "content": {"image/svg+xml": {"schema": {"type": "string"}}}}
}


@router.get(f"{PREFIX}/badges", response_model=Listing[BadgeView], responses=refuses(404))
async def list_badges(
    request: Request,
    context: Ctx,
    principal: Reader,
    authenticator: Auth,
    page: Page,
    kind: Annotated[Subject | None, Query(description="only those of jobs, or of pings; needs subject")] = None,
    subject: Annotated[
        str | None, Query(min_length=1, max_length=200, description="a job or a ping, by id or name; needs kind")
    ] = None,
) -> Response:
    """Badges, oldest first."""
    if (kind is None) != (subject is None):
        raise InvalidInput("subject" if subject is None else "kind", "is missing: give both kind and subject, or none")
    scope = "\0".join(["badges", kind or "", subject or ""])
    after = page.after(context, principal, scope)
    found = await context.store.read(_page, principal.project_id, kind, subject, page.limit, after)
    base = base_url(request, context, authenticator)
    next_cursor = page.next(context, principal, scope, found.next)
    return reply(listing((_json(context, badge, base) for badge in found.items), next_cursor))


@router.post(
    f"{PREFIX}/badges",
    status_code=201,
    response_model=BadgeView,
    responses=refuses(404),
    openapi_extra=takes(BadgeBody),
)
async def create_badge(request: Request, context: Ctx, principal: Writer, authenticator: Auth) -> Response:
    """Creates a badge. Anyone who knows its URL sees the label and the state, and nothing else."""
    body = await read_model(request, BadgeBody)
    badge_id, project_id = context.ids.new(), principal.project_id
    token = mint(context.seals, project_id, "badge", badge_id)
    new = NewBadge(badge_id, project_id, body.kind, body.subject, body.label, token, principal.actor)
    made = await context.store.transact(badges.create_badge, badge=new)
    return reply(_json(context, made, base_url(request, context, authenticator)), 201)


@router.delete(f"{PREFIX}/badges/{{id}}", status_code=204)
async def delete_badge(
    context: Ctx, principal: Writer, badge_id: Annotated[str, Path(alias="id", description="a badge's id")]
) -> Response:
    """Deletes a badge; its URL stops working within seconds."""
    if not is_id(badge_id):
        raise NotFound("there is no such badge")
    await context.store.transact(
        badges.delete_badge, project_id=principal.project_id, badge_id=badge_id, actor=principal.actor
    )
    return Response(status_code=204)


@router.get(
    "/badge/{token}.svg", response_class=Response, responses={**_SVG, **refuses(429)}, dependencies=[Depends(public)]
)
async def draw_badge(
    request: Request,
    context: Ctx,
    tokens: Annotated[UrlTokens, Depends(url_tokens)],
    token: Annotated[str, Path(max_length=200, description="from the badge's URL")],
) -> Response:
    """The badge as an image."""
    digest = tokens.read(request, token)
    found = None
    if digest is not None:
        found = await tokens.badges.find(digest, lambda: context.store.read(badges.show_badge, digest=digest))
    if digest is None or found is None:
        raise await tokens.refuse(request, "badge", digest)
    tokens.meet(digest)
    # An image on other sites, which the default headers forbid.
    headers = {"cache-control": _CACHED, "cross-origin-resource-policy": "cross-origin"}
    return Response(draw(*found), media_type="image/svg+xml", headers=headers)


async def _page(
    tx: Transaction, project_id: str, kind: str | None, subject: str | None, limit: int, after: str | None
) -> pages.Page[BadgeRecord]:
    about = None
    if kind is not None and subject is not None:
        about = (kind, (await badges.subject_of(tx, project_id, kind, subject))[0])
    return await tx.badges.page(project_id, about, limit=limit, after=after)


def _alt(badge: BadgeRecord) -> str:
    """What is read where the image is not shown; brackets would end it."""
    return (badge.label or badge.subject_kind).translate(dict.fromkeys(map(ord, "[]\\")))


def _json(context: RequestContext, badge: BadgeRecord, base: str) -> dict[str, Any]:
    token = opened(context.seals, badge.sealed)
    url = None if token is None else f"{base}/badge/{token}.svg"
    markdown = None if url is None else f"![{_alt(badge)}]({url})"
    return shown(BadgeView, badge, kind=badge.subject_kind, url=url, markdown=markdown)
