"""Sessions: opened with a password, kept alive by refresh token rotation, ended by users or by refresh token reuse."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from horae.domain.jobs.difference import Change
from horae.domain.people.account import Credentials, NewSession, User, session_ends
from horae.domain.people.lockout import Lockout
from horae.ports import Transaction


async def admit(tx: Transaction, *, buckets: Mapping[str, Lockout], user: User | None = None) -> float:
    """Counts an attempt in every bucket before the password is checked, so that many processes allow no more attempts
    than one. If a bucket is full, nothing is counted and the seconds to wait are returned. The attempt that fills a
    bucket is audited; `user` owns the account in question."""
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
    """The password was correct: empties the account's bucket, and removes this attempt from the others."""
    for bucket in sorted([account, *others]):
        if bucket == account:
            await tx.limits.set(bucket, 0)
        else:
            await tx.limits.forgive(bucket, 1)


async def forgive_try(tx: Transaction, *, bucket: str) -> None:
    """Removes this attempt; earlier ones still count."""
    await tx.limits.forgive(bucket, 1)


async def open_session(tx: Transaction, *, session: NewSession, checked: str) -> User | None:
    """Signs a user in whose password was just checked against the hash `checked`; None if the password or the user is
    no longer valid, or if the password is no longer enough because they have enabled a second factor."""
    found = await proven(tx, session.user_id, checked)
    if found is None or found.user.second_factor:
        return None
    await start_session(tx, session, found.user)
    return found.user


async def proven(tx: Transaction, user_id: str, checked: str) -> Credentials | None:
    """The user, if unchanged since their password was checked. They cannot change until the transaction ends, so a new
    password or second factor also ends the session that is being opened."""
    await tx.accounts.user(user_id, lock=True)
    found = await tx.accounts.credentials(user_id)  # only now: the lock may have been waited for
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
    """Exchanges a refresh token. Reuse of an exchanged token ends the session: two parties hold it. The exception is a
    browser's token that was exchanged at most `lost_within` seconds ago, whose answer may never have arrived: it is
    exchanged again, and the lost answer's tokens become invalid. Returns None to refuse, rather than raising, since the
    change must be committed."""
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
    """Signs out; does nothing if the session is over."""
    session = await tx.sessions.find(session_id, lock=True)
    if session is not None and await tx.sessions.end(session_id, "logout"):
        user = await tx.accounts.user(session.user_id)
        if user is not None:
            await _note(tx, "session.end", session_id, user)


async def _note(tx: Transaction, action: str, session_id: str, user: User) -> None:
    await tx.audit.add(action, actor=f"user:{user.username}", project_id=None, id=session_id, name=user.username)
