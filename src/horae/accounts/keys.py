"""API keys: create and revoke."""

from __future__ import annotations

from horae.accounts.departure import require_maker
from horae.accounts.projects import hold_project
from horae.accounts.quotas import take
from horae.domain.errors import InvalidInput, NotAllowed, NotFound
from horae.domain.people.account import KeyInfo, Maker
from horae.domain.people.audit import differing
from horae.domain.people.key import ApiKey
from horae.domain.people.quota import Quota
from horae.domain.people.roles import above
from horae.ports import Transaction


async def create_key(tx: Transaction, *, key: ApiKey, maker: str, by: Maker | None = None) -> KeyInfo:
    """`maker` is the role of the caller: a key never has more rights than its maker. `by` is None for keys created
    directly on the database."""
    if above(key.role, maker):
        raise NotAllowed(f"you cannot create a key with the role {key.role}: your own is {maker}")
    if key.expires_at is not None and key.expires_at <= await tx.now():
        raise InvalidInput("expires_at", "must be in the future")
    await hold_project(tx, key.project_id)
    if by is not None:
        await require_maker(tx, by, key.project_id, "keys:write")
    known = await tx.access.find_key(key.project_id, key.id) if tx.repeated else None
    if known is not None:
        await tx.access.delete_key(key.id)  # the caller never received its token
    else:
        await take(tx, key.project_id, {Quota.API_KEYS: 1})
    await tx.access.add_key(key)
    if known is None:
        changes = differing({}, {"role": key.role, "expires_at": key.expires_at})
        await tx.audit.add(
            "key.create", actor=key.created_by, project_id=key.project_id, id=key.id, name=key.name, changes=changes
        )
    made = await tx.access.find_key(key.project_id, key.id)
    assert made is not None
    return made


async def revoke_key(tx: Transaction, *, project_id: str, key_id: str, revoker: str, actor: str) -> None:
    found = await tx.access.find_key(project_id, key_id)
    if found is None:
        raise NotFound("there is no such key")
    if above(found.role, revoker):
        raise NotAllowed(f"you cannot revoke a key with the role {found.role}: your own is {revoker}")
    await tx.access.delete_key(found.id)
    await tx.audit.add("key.revoke", actor=actor, project_id=project_id, id=found.id, name=found.name)
