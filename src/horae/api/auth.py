"""Who is asking, and what they may do: the one place that decides.

Every route declares what it needs by `Depends(allow("jobs:read"))`, or that it is `public`; a test fails on a route
that does neither.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from horae.api import query, tokens
from horae.api.context import Context
from horae.api.errors import Unauthenticated
from horae.domain.errors import NotAllowed
from horae.domain.job import JobSpec
from horae.domain.records import KeyRecord
from horae.domain.roles import CODE_KINDS, PERMISSIONS, ROLES
from horae.ports import Transaction

_CACHED = 1_000


@dataclass(frozen=True, slots=True)
class Principal:
    """Somebody who proved who they are, inside one project."""

    project_id: str
    role: str
    actor: str

    def may(self, permission: str) -> bool:
        return permission in ROLES.get(self.role, frozenset())

    def may_write(self, spec: JobSpec) -> None:
        """Refuses a definition that would be executed as code, to those who may not write such."""
        if spec.target.kind in CODE_KINDS and not self.may("jobs:code"):
            raise NotAllowed(
                f"writing {spec.target.kind} jobs needs the permission jobs:code, which your role {self.role} lacks"
            )


class KeyCache:
    """Keys seen in the last few seconds, so that a busy client does not cost a query per request."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, tuple[float, KeyRecord]] = OrderedDict()

    async def find(self, context: Context, prefix: str) -> KeyRecord | None:
        now = context.clock.monotonic()
        hit = self._seen.get(prefix)
        if hit is not None and hit[0] > now:
            return hit[1]
        found = await context.store.read(_key, prefix)
        if found is None:
            self._seen.pop(prefix, None)
            return None
        self._seen[prefix] = (now + context.settings.key_cache, found)
        while len(self._seen) > _CACHED:
            self._seen.popitem(last=False)
        return found


async def _key(tx: Transaction, prefix: str) -> KeyRecord | None:
    return await tx.access.key(prefix)


async def authenticate(request: Request) -> Principal:
    """Checks `Authorization: Bearer <API key>`. Unknown and wrong keys get the same answer."""
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not text:
        raise Unauthenticated("send your API key as `Authorization: Bearer <key>`")
    prefix = tokens.prefix_of(text.strip())
    state = request.app.state
    found = await state.keys.find(state.context, prefix) if prefix else None
    if found is None or not tokens.matches(text.strip(), found.digest):
        raise Unauthenticated("this API key is not valid")
    return Principal(project_id=found.project_id, role=found.role, actor=f"key:{found.name}")


class Allow:
    """The dependency that guards a route; `permission` is what the tests and the matrix read."""

    def __init__(self, permission: str) -> None:
        if permission not in PERMISSIONS:
            raise ValueError(f"no role has the permission {permission}")
        self.permission = permission

    async def __call__(self, request: Request, principal: Annotated[Principal, Depends(authenticate)]) -> Principal:
        if not principal.may(self.permission):
            raise NotAllowed(f"this needs the permission {self.permission}, which your role {principal.role} lacks")
        query.check(request)  # after the question who is asking: strangers learn nothing about routes
        return principal


class Public:
    """Marks a route that anybody may call."""

    permission = None

    async def __call__(self, request: Request) -> None:
        query.check(request)


def allow(permission: str) -> Allow:
    return Allow(permission)


public = Public()
