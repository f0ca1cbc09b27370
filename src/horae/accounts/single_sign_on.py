"""Single sign-on: finds or creates the account of a user known to the provider, and updates their roles to match its
claims. Roles granted by hand are left alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from horae.accounts.departure import KEPT, leave
from horae.accounts.signup import add_user
from horae.accounts.users import owned
from horae.domain.jobs.difference import Change
from horae.domain.people.account import Identity, NewSession, NewUser, User, session_ends
from horae.domain.people.roles import above
from horae.domain.people.single_sign_on import ACTOR, NO_PASSWORD, Create, Person, Refusal, Rights
from horae.ports import Transaction


@dataclass(frozen=True, slots=True)
class SignedIn:
    """`unknown` are projects that the operator's rules name and that do not exist."""

    user: User
    unknown: tuple[str, ...] = ()


async def sign_in(
    tx: Transaction, *, person: Person, create: Create, new_id: str, session: NewSession, lasts: float
) -> SignedIn | Refusal:
    """Opens a session that ends after `lasts` seconds at the latest: until then the provider is not consulted again.
    `new_id` is the user's, if an account is created. Raises DuplicateKey if the same person is signing in for the first
    time elsewhere: try again."""
    identity = await tx.identities.find(person.issuer, person.subject)
    if identity is None:
        refusal = await _may_create(tx, person, create)
        if refusal is not None:
            return refusal
        identity = await _create(tx, person, new_id)
    return await _enter(tx, identity, person.rights, session, lasts)


async def move(
    tx: Transaction, *, person: Person, session_id: str, session: NewSession, lasts: float
) -> SignedIn | Refusal:
    """Links the account of a session to the provider's identity, as if single sign-on had created it: its password and
    second factor are removed, and its sessions end except the one that this opens. With two ways to sign in, the one
    unknown to the provider would keep the rights that claims once granted."""
    if tx.repeated and (opened := await tx.sessions.find(session.id)):
        done = await tx.accounts.user(opened.user_id)
        assert done is not None
        return SignedIn(done)
    account = await tx.accounts.account(session_id)
    if account is not None:  # again: another tab may have just ended this session
        await tx.accounts.user(account.user.id, lock=True)
        account = await tx.accounts.account(session_id)
    if account is None:
        return Refusal.EXPIRED
    if await tx.identities.find(person.issuer, person.subject) is not None:
        return Refusal.LINKED
    user = account.user
    identity = Identity(person.issuer, person.subject, user.id)
    await tx.identities.add(identity)
    await tx.second_factors.remove(user.id)
    await tx.accounts.change_user(user.id, password=NO_PASSWORD)
    await tx.sessions.end_all(user.id, "sso")
    await _note(tx, "user.link", user, f"user:{user.username}", [Change("issuer", None, person.issuer)])
    return await _enter(tx, identity, person.rights, session, lasts)


async def _enter(
    tx: Transaction, identity: Identity, rights: Rights, session: NewSession, lasts: float
) -> SignedIn | Refusal:
    user = await tx.accounts.user(identity.user_id, lock=True)
    if user is None or not user.is_active:
        return Refusal.INACTIVE
    unknown = await apply(tx, identity, user, rights)
    if not (tx.repeated and await tx.sessions.find(session.id)):
        now = await tx.now()
        limit = now + timedelta(seconds=lasts)
        await tx.sessions.add(replace(session, user_id=user.id), session_ends(now, now, limit), limit)
        await _note(tx, "session.open", user, f"user:{user.username}", [Change("by", None, ACTOR)], id=session.id)
    await tx.accounts.signed_in(user.id)
    return SignedIn(user, unknown)


async def apply(tx: Transaction, identity: Identity, user: User, rights: Rights) -> tuple[str, ...]:
    """Grants and revokes roles as claims say; returns the slugs of projects that do not exist."""
    await _apply_admin(tx, identity, user, rights.is_admin)
    projects = {slug: await tx.access.project(slug) for slug in sorted(rights.roles)}
    wanted = {project.id: rights.roles[slug] for slug, project in projects.items() if project is not None}
    claimed = await tx.identities.claimed(user.id)
    for project_id in sorted({*wanted, *claimed}):
        await _apply_role(tx, user, project_id, claimed.get(project_id), wanted.get(project_id))
    return tuple(slug for slug, project in projects.items() if project is None)


async def _apply_admin(tx: Transaction, identity: Identity, user: User, wanted: bool) -> None:
    """Unlike people, claims may demote the last admin: the provider decides about the admins it appointed."""
    gives = wanted and not user.is_admin
    takes = identity.gave_admin and not wanted and user.is_admin
    if gives or takes:
        await tx.accounts.change_user(user.id, is_admin=wanted)
        await _note(tx, "user.edit", user, ACTOR, [Change("is_admin", user.is_admin, wanted)])
    if takes:
        await leave(tx, user, KEPT, ACTOR, but=await owned(tx, user))
    gave = wanted and (gives or identity.gave_admin)
    if gave != identity.gave_admin:
        await tx.identities.gave_admin(identity, gave)


async def _apply_role(tx: Transaction, user: User, project_id: str, claimed: str | None, wanted: str | None) -> None:
    if not await tx.access.hold_project(project_id):
        await tx.identities.claim(user.id, project_id, None)
        return
    present = await tx.accounts.member(project_id, user.id)
    if present is not None and present.role != claimed:  # given or changed by hand
        if claimed is not None:
            await tx.identities.claim(user.id, project_id, None)
        return
    if wanted is not None:
        if present is None or present.role != wanted:
            await tx.accounts.set_role(project_id, user.id, wanted, ACTOR)
            role = present and present.role
            await _note(tx, "member.set", user, ACTOR, [Change("role", role, wanted)], project_id=project_id)
    elif present is not None:
        await tx.accounts.remove_member(project_id, user.id)
        await _note(tx, "member.remove", user, ACTOR, project_id=project_id)
    if wanted != claimed:
        await tx.identities.claim(user.id, project_id, wanted)
    if present is not None and (wanted is None or above(present.role, wanted)) and not user.is_admin:
        await leave(tx, user, KEPT, ACTOR, project_id=project_id)


async def _may_create(tx: Transaction, person: Person, create: Create) -> Refusal | None:
    if not await tx.accounts.any_user() and not person.rights.is_admin:
        # Otherwise the token that creates the first admin would be worthless, and could not be replaced.
        return Refusal.FIRST
    if create == Create.NONE or (create == Create.WITH_ROLE and not person.rights):
        return Refusal.UNKNOWN
    # Never linked by name or address: anyone who controls those at the provider would get the account.
    return Refusal.TAKEN if await tx.accounts.user(person.username) is not None else None


async def _create(tx: Transaction, person: Person, new_id: str) -> Identity:
    identity = Identity(person.issuer, person.subject, new_id)
    await tx.identities.add(identity)
    await add_user(tx, NewUser(new_id, person.username, NO_PASSWORD, False, ACTOR), "user.create")
    return identity


async def _note(
    tx: Transaction,
    action: str,
    user: User,
    actor: str,
    changes: list[Change] | None = None,
    *,
    id: str | None = None,
    project_id: str | None = None,
) -> None:
    await tx.audit.add(
        action, actor=actor, project_id=project_id, id=id or user.id, name=user.username, changes=changes or ()
    )
