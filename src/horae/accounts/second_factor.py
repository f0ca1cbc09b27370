"""Second factor: enrol, verify at sign-in, turn off, reset. Its secret arrives encrypted. A correct code is consumed,
so each code works once."""

from __future__ import annotations

from collections.abc import Sequence

from horae.accounts.secrets import Resealed
from horae.accounts.sessions import proven, start_session
from horae.accounts.users import find_user
from horae.domain.errors import Conflict
from horae.domain.jobs.difference import Change
from horae.domain.people import totp
from horae.domain.people.account import NewSession, User
from horae.domain.people.second_factor import SEALED_AS, Standing, normal, recovery_digest
from horae.domain.secrets.secret import CannotOpen, Sealed
from horae.ports import Seals, Transaction

_BATCH = 100


async def standing(tx: Transaction, *, user_id: str) -> Standing:
    return await tx.second_factors.standing(user_id)


async def begin(tx: Transaction, *, sealed: Sealed, checked: str, code: str | None, seals: Seals) -> bool:
    """Keeps a new secret until its first code confirms it. A user who already has a second factor replaces it, and must
    prove it again with `code`."""
    found = await proven(tx, sealed.project_id, checked)
    if found is None or (found.user.second_factor and not (code and await _prove(tx, found.user, code, seals))):
        return False
    await tx.second_factors.begin(sealed)
    return True


async def confirm(
    tx: Transaction,
    *,
    user_id: str,
    checked: str,
    code: str,
    recovery: Sequence[str],
    seals: Seals,
    keep: str | None = None,
    opens: NewSession | None = None,
) -> bool:
    """Activates the pending secret if the code matches it. `recovery` are the digests of the recovery codes, which are
    new as well. All sessions of the user end except `keep`; `opens` is a session that this begins."""
    found = await proven(tx, user_id, checked)
    if found is None:
        return False
    if tx.repeated and await tx.second_factors.has_recovery_code(user_id, recovery[0]):
        return True
    pending = await tx.second_factors.find(user_id, pending=True)
    now = await tx.now()
    if pending is None or pending.expired_at(now):
        raise Conflict("this enrolment has expired: begin again")
    step = totp.matching_step(_secret(pending.sealed, seals), normal(code), now, None)
    if step is None:
        return False
    await tx.second_factors.confirm(user_id, step)
    await tx.second_factors.set_recovery_codes(user_id, recovery)
    await tx.devices.take_back(user_id)  # first: a session that a device opens at this moment ends with the others
    await tx.sessions.end_all(user_id, "second factor", but=keep)
    await _note(tx, "user.second_factor_on", found.user)
    if opens is not None:
        await start_session(tx, opens, found.user)
    return True


async def sign_in(tx: Transaction, *, session: NewSession, checked: str, code: str, seals: Seals) -> User | None:
    """Opens a session for a user whose password was checked against the hash `checked`, if the code is right too."""
    found = await proven(tx, session.user_id, checked)
    if found is None or not found.user.second_factor:
        return None
    if not (tx.repeated and await tx.sessions.find(session.id)) and not await _prove(tx, found.user, code, seals):
        return None
    await start_session(tx, session, found.user)
    return found.user


async def new_recovery_codes(
    tx: Transaction, *, user_id: str, checked: str, code: str, recovery: Sequence[str], seals: Seals
) -> bool:
    """Replaces the remaining ones."""
    found = await proven(tx, user_id, checked)
    if found is None:
        return False
    if tx.repeated and await tx.second_factors.has_recovery_code(user_id, recovery[0]):
        return True
    if not await _prove(tx, found.user, code, seals):
        return False
    await tx.second_factors.set_recovery_codes(user_id, recovery)
    await _note(tx, "user.recovery_codes", found.user)
    return True


async def prove(tx: Transaction, *, user_id: str, checked: str, code: str, seals: Seals) -> bool:
    """Verifies a code again, for changes that would leave the account without a second factor."""
    found = await proven(tx, user_id, checked)
    return found is not None and await _prove(tx, found.user, code, seals)


async def turn_off(tx: Transaction, *, user_id: str, checked: str, code: str, seals: Seals) -> bool:
    found = await proven(tx, user_id, checked)
    if found is None:
        return False
    if not found.user.second_factor:
        return tx.repeated
    if not await _prove(tx, found.user, code, seals):
        return False
    await tx.second_factors.remove(user_id)
    await _note(tx, "user.second_factor_off", found.user)
    return True


async def reset(tx: Transaction, *, ref: str, actor: str) -> User:
    """Resets a user's second factor, for example because they lost their phone, and signs them out everywhere."""
    user = await find_user(tx, ref, lock=True)
    if await tx.second_factors.remove(user.id):
        await tx.sessions.end_all(user.id, "second factor")
        await _note(tx, "user.second_factor_reset", user, actor)
    return user


async def reseal(tx: Transaction, *, seals: Seals, after: tuple[str, str] | None = None) -> Resealed:
    """Like `reseal` for secrets."""
    done, cannot = 0, []
    rows = await tx.second_factors.not_of(seals.key_id, limit=_BATCH, after=after)
    for old, _, username in rows:
        try:
            value = seals.open(old)
        except CannotOpen:
            cannot.append(f"{SEALED_AS} (user {username})")
            continue
        done += await tx.second_factors.reseal(old, seals.seal(old.project_id, old.name, value))
    last = rows[-1] if len(rows) == _BATCH else None
    return Resealed(done, cannot, None if last is None else (last[0].project_id, last[1]))


async def _prove(tx: Transaction, user: User, code: str, seals: Seals) -> bool:
    """Whether it is a code of the app or a recovery code; either is consumed by this."""
    code = normal(code)
    if not totp.is_code(code):
        if not await tx.second_factors.use_recovery_code(user.id, recovery_digest(user.id, code)):
            return False
        left = (await tx.second_factors.standing(user.id)).recovery_codes
        await _note(tx, "user.recovery_code_used", user, changes=[Change("recovery_codes", left + 1, left)])
        return True
    factor = await tx.second_factors.find(user.id)
    if factor is None:
        return False
    step = totp.matching_step(_secret(factor.sealed, seals), code, await tx.now(), factor.used_step)
    return step is not None and await tx.second_factors.use_step(user.id, step)


def _secret(sealed: Sealed, seals: Seals) -> bytes:
    try:
        return totp.read(seals.open(sealed))
    except CannotOpen:
        raise Conflict(
            "codes from this app cannot be verified: it was enrolled under another HORAE_SECRET_KEY. Use a recovery "
            "code, or ask an admin to reset your second factor"
        ) from None


async def _note(
    tx: Transaction, action: str, user: User, actor: str | None = None, changes: Sequence[Change] = ()
) -> None:
    by = actor or f"user:{user.username}"
    await tx.audit.add(action, actor=by, project_id=None, id=user.id, name=user.username, changes=changes)
