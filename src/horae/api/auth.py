"""Authentication and authorization: the only place that decides them.

Every route declares what it needs, or that it is `public`; a test fails on a route that does neither:

    allow("jobs:read")              in the project of the caller's key, or the one that `Horae-Project` names
    allow_in_path("members:read")   in the project that the path names
    allow_admin("users:read")       in the whole installation
    allow_own("account:own")        about the caller only
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from fastapi import Request

from horae.api import idempotency, query
from horae.api.address import crowd
from horae.api.errors import Malformed, TooManyRequests, Unauthenticated
from horae.api.signing_in import tokens
from horae.api.signing_in.authenticator import Authenticator
from horae.domain.errors import NotAllowed, NotFound
from horae.domain.jobs.job import JobSpec
from horae.domain.people.account import Account, Maker, Place, User
from horae.domain.people.key import KeyRecord
from horae.domain.people.roles import DATA_KINDS, PERMISSIONS, ROLES

PROJECT_HEADER = "horae-project"
READING = frozenset({"schedules:preview"})  # a POST without an effect
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Principal:
    """An authenticated caller, inside one project."""

    project_id: str
    role: str
    actor: str
    caller: Caller

    def may(self, permission: str) -> bool:
        return permission in ROLES.get(self.role, frozenset())

    def may_write(self, spec: JobSpec) -> None:
        """Refuses callers who may not write definitions that run code: they may not replace, enable, disable or delete
        those either."""
        if spec.target.kind not in DATA_KINDS and not self.may("jobs:code"):
            raise NotAllowed(
                f"writing {spec.target.kind} jobs needs the permission jobs:code, which your role {self.role} lacks"
            )


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated caller and the projects they have access to: a user, or a key, which has exactly one."""

    actor: str
    is_admin: bool
    places: tuple[Place, ...]
    user: User | None = None
    session_id: str | None = None
    key_id: str | None = None
    key_prefix: str | None = None
    maker_id: str | None = None  # of the key

    project_id = None  # in no particular project

    @property
    def maker(self) -> Maker:
        return Maker(self.user.id) if self.user is not None else Maker(self.maker_id, self.key_id)

    def place(self, ref: str) -> Place | None:
        return next((place for place in self.places if ref in (place.slug, place.project_id)), None)

    def within(self, place: Place) -> Principal:
        return Principal(place.project_id, "admin" if self.is_admin else place.role, self.actor, self)


# ---- authentication


async def authenticate(request: Request) -> Caller:
    """Checks `Authorization: Bearer`, an API key or an access token. Unknown and wrong ones get the same answer."""
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    text = text.strip()
    if scheme.lower() != "bearer" or not text:
        raise Unauthenticated("sign in, or send your API key as `Authorization: Bearer <key>`")
    authenticator: Authenticator = request.app.state.authenticator
    is_key = text.startswith("horae_")
    try:
        caller = await (_by_key(authenticator, request, text) if is_key else _by_session(authenticator, text))
    except TooManyRequests:
        authenticator.refusals.note(request, "limited")
        raise
    except Unauthenticated:
        authenticator.refusals.note(request, "key" if is_key else "token")
        await authenticator.strangers.count(crowd(authenticator.proxies.address(request)))
        raise
    await authenticator.limit.count(caller.key_id or caller.actor)
    return caller


async def _by_key(authenticator: Authenticator, request: Request, text: str) -> Caller:
    prefix = tokens.prefix_of(text) or ""
    if not authenticator.met(prefix):  # a session's token is signed: no lookup is needed to reject it
        authenticator.strangers.check(crowd(authenticator.proxies.address(request)))
    found = await authenticator.key(prefix) if prefix else None
    if found is None:
        authenticator.part(prefix)
    if found is None or not tokens.matches(text, found.digest):
        raise Unauthenticated("this API key is not valid")
    authenticator.meet(prefix)
    await authenticator.used(found.id)
    return key_caller(found)


def key_caller(key: KeyRecord) -> Caller:
    place = Place(key.project_id, key.project_slug, key.project_name, key.role)
    actor, is_admin = f"key:{key.name}", key.role == "admin"
    return Caller(actor, is_admin, (place,), key_id=key.id, key_prefix=key.prefix, maker_id=key.maker_id)


async def _by_session(authenticator: Authenticator, text: str) -> Caller:
    claims = authenticator.access.read(text)
    account: Account | None = await authenticator.account(claims.session_id) if claims else None
    if claims is None or account is None or account.user.id != claims.user_id:
        raise Unauthenticated("this token is no longer valid: refresh it, or sign in again")
    return _session_caller(account, claims.session_id)


def _session_caller(account: Account, session_id: str) -> Caller:
    user = account.user
    return Caller(f"user:{user.username}", user.is_admin, account.places, user, session_id)


async def caller_again(authenticator: Authenticator, caller: Caller) -> Caller | None:
    """The caller with their current rights; None if their key or session is no longer valid."""
    if caller.key_prefix is not None:
        key = await authenticator.key(caller.key_prefix)
        return key_caller(key) if key is not None and key.id == caller.key_id else None
    account = await authenticator.account(caller.session_id) if caller.session_id is not None else None
    return None if account is None or caller.session_id is None else _session_caller(account, caller.session_id)


# ---- what they may do


class Allow(Generic[T]):
    """The dependency that guards a route; `permission` is what the tests and the matrix read."""

    def __init__(self, permission: str) -> None:
        if permission not in PERMISSIONS:
            raise ValueError(f"no role has the permission {permission}")
        self.permission = permission

    async def __call__(self, request: Request) -> T:
        caller = await authenticate(request)  # called directly: resolving a dependency takes longer
        found = await self.decide(request, caller)
        query.check(request)  # after authentication: anonymous callers learn nothing about routes
        if request.method == "POST" and idempotency.HEADER in request.headers and self.permission not in READING:
            await idempotency.enter(request, caller.key_id or caller.actor, getattr(found, "project_id", None))
        return found

    async def decide(self, request: Request, caller: Caller) -> T:
        raise NotImplementedError

    def refuse(self, role: str) -> NotAllowed:
        return NotAllowed(f"this needs the permission {self.permission}, which your role {role} lacks")


class AllowInProject(Allow[Principal]):
    """In the project that was chosen by the header, or is the only one."""

    async def decide(self, request: Request, caller: Caller) -> Principal:
        principal = caller.within(await self.choose(request, caller))
        if not principal.may(self.permission):
            raise self.refuse(principal.role)
        return principal

    async def choose(self, request: Request, caller: Caller) -> Place:
        wanted = request.headers.get(PROJECT_HEADER)
        if wanted is not None:
            return await _named(request, caller, wanted)
        if len(caller.places) == 1:
            return caller.places[0]
        if caller.places or caller.is_admin:
            raise Malformed("name the project by its slug: `Horae-Project: <slug>`")
        raise NotAllowed("you are not a member of any project yet: ask an owner for an invitation")


async def _named(request: Request, caller: Caller, wanted: str) -> Place:
    found = caller.place(wanted) or await _any_place(request, caller, wanted)
    if found is not None:
        return found
    if caller.key_id is not None:
        raise NotAllowed("this API key belongs to another project: leave out Horae-Project")
    raise NotAllowed("Horae-Project names no project that you are a member of")


async def _any_place(request: Request, caller: Caller, ref: str) -> Place | None:
    """Admins may act everywhere; their keys, like all keys, in one project."""
    return await _project(request, ref) if caller.is_admin and caller.user is not None else None


async def _project(request: Request, ref: str) -> Place | None:
    if len(ref) > 200 or "\x00" in ref:  # which PostgreSQL cannot be asked for
        return None
    authenticator: Authenticator = request.app.state.authenticator
    project = await authenticator.project(ref)
    return None if project is None else Place(project.id, project.slug, project.name, "admin")


class AllowInPath(AllowInProject):
    """In the project that the path names; for non-members it does not exist."""

    async def choose(self, request: Request, caller: Caller) -> Place:
        ref = request.path_params["id"]
        found = caller.place(ref)
        if found is None and caller.is_admin:
            found = await _project(request, ref)
        if found is None:
            raise NotFound("there is no such project")
        return found


class AllowAdmin(Allow[Caller]):
    """In the whole installation."""

    async def decide(self, request: Request, caller: Caller) -> Caller:
        if not caller.is_admin or self.permission not in ROLES["admin"]:
            raise NotAllowed(f"this needs the permission {self.permission}, which only admins have")
        return caller


class AllowOwn(Allow[Caller]):
    """About the caller alone, with or without a project."""

    async def decide(self, request: Request, caller: Caller) -> Caller:
        return caller


class Public:
    """Marks a route that needs no authentication."""

    permission = None

    async def __call__(self, request: Request) -> None:
        query.check(request)


allow = AllowInProject
allow_in_path = AllowInPath
allow_admin = AllowAdmin
allow_own = AllowOwn
public = Public()
