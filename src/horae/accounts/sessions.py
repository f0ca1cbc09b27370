"""Sessions: opened by a password, kept alive by refresh token rotation, ended by people or by refresh token reuse."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from horae.domain.jobs.difference import Change
from horae.domain.people.account import Credentials, NewSession, User, session_ends
from horae.domain.people.lockout import Lockout
from horae.ports import Transaction


async def admit(tx: Transaction, *, buckets: Mapping[str, Lockout], user: User | None = None) -> float:
    """Counts a try in every bucket, before the password is checked: so many processes cannot try more than one. If a
    bucket says to wait, nothing is counted, and this is for how long. The try after which one has to wait goes into the
    audit trail; `user` is whose account it is about."""
    found = await tx.limits.lock(buckets)
    now = await tx.now()
    wait = max(lockout.wait(found[bucket], now) for bucket, lockout in buckets.items())
    if wait == 0:
        for bucket, lockout in buckets.items():
            level = lockout.level(found[bucket], now)
            await tx.limits.set(bucket, level + 1)
            if lockout.begins(level):
                await _note_locked(tx, bucket.partition(":")[0], user)
    return wait


async def _note_locked(tx: Transaction, what: str, user: User | None) -> None:
    """For unknown names only the address is recorded: there is nothing to guess."""
    if what != "address" and user is None:
        return
    about = user if what != "address" else None
    await tx.audit.add(
        "session.refused",
        actor="anonymous",
        project_id=None,
        id=about.id if about else None,
        name=about.username if about else None,
        changes=[Change("locked", None, what)],
    )


async def forgive(tx: Transaction, *, account: str, others: Collection[str] = ()) -> None:
    """The password was right: the account begins anew, and the other buckets lose this one try."""
    for bucket in sorted([account, *others]):
        if bucket == account:
            await tx.limits.set(bucket, 0)
        else:
            await tx.limits.forgive(bucket, 1)


async def forgive_try(tx: Transaction, *, bucket: str) -> None:
    """This one was none; those before it still count."""
    await tx.limits.forgive(bucket, 1)


async def open_session(tx: Transaction, *, session: NewSession, checked: str) -> User | None:
    """Signs a user in whose password was just checked against the hash `checked`; None if that, or they, are no longer
    good, or if it no longer suffices: they have a second factor since."""
    found = await proven(tx, session.user_id, checked)
    if found is None or found.user.second_factor:
        return None
    await start_session(tx, session, found.user)
    return found.user


async def proven(tx: Transaction, user_id: str, checked: str) -> Credentials | None:
    """The user, if they are as they were when their password was checked. They cannot change until the transaction
    ends: what a new password or a second factor ends includes the session that is opened now."""
    await tx.accounts.user(user_id, lock=True)
    found = await tx.accounts.credentials(user_id)  # only now: it may have been waited for
    return found if found is not None and found.user.is_active and found.password == checked else None


async def start_session(tx: Transaction, session: NewSession, user: User) -> None:
    """For a fully authenticated user."""
    if not (tx.repeated and await tx.sessions.find(session.id)):
        now = await tx.now()
        await tx.sessions.add(session, session_ends(now, now))
        await _note(tx, "session.open", session.id, user)
    await tx.accounts.signed_in(session.user_id)


async def refresh(
    tx: Transaction, *, session_id: str, generation: int, digest: str, new_digest: str, lost_within: float = 0.0
) -> User | None:
    """Exchanges a refresh token. One that was exchanged before ends the session: two parties hold it. Unless it is a
    browser's and its exchange no more than `lost_within` seconds old: the answer may never have arrived. It is then
    exchanged once more, and what that answer held is good no longer. None says no; it is no error, since what it does
    must be kept."""
    session = await tx.sessions.find(session_id, lock=True)
    now = await tx.now()
    if session is None or not session.open_at(now):
        return None
    user = await tx.accounts.user(session.user_id)
    if user is None or not user.is_active:
        return None
    if tx.repeated and session.digest == new_digest:
        return user
    is_good = session.generation == generation and session.digest == digest
    if not is_good and session.may_repeat(generation, now, lost_within):
        await tx.sessions.repeat(session_id, digest=new_digest)
        return user
    if not is_good:
        await tx.sessions.end(session_id, "reused")
        await _note(tx, "session.reuse", session_id, user)
        return None
    await tx.sessions.exchange(
        session_id,
        digest=new_digest,
        generation=generation + 1,
        expires_at=session_ends(session.created_at, now, session.limit_at),
    )
    return user


async def end_session(tx: Transaction, *, session_id: str) -> None:
    """Signs out; nothing happens to a session that is over."""
    session = await tx.sessions.find(session_id, lock=True)
    if session is not None and await tx.sessions.end(session_id, "logout"):
        user = await tx.accounts.user(session.user_id)
        if user is not None:
            await _note(tx, "session.end", session_id, user)


async def _note(tx: Transaction, action: str, session_id: str, user: User) -> None:
    await tx.audit.add(action, actor=f"user:{user.username}", project_id=None, id=session_id, name=user.username)
