"""Device authorization (RFC 8628): a device without a browser waits, a signed-in user approves it, and it gets a
session of that user."""

from __future__ import annotations

from dataclasses import replace

from horae.domain.errors import Conflict, NotAllowed, NotFound
from horae.domain.jobs.difference import Change
from horae.domain.people.account import NewSession, User, session_ends
from horae.domain.people.device import GOOD_FOR, SLOWER, Device, NewDevice, Waiting
from horae.ports import Transaction

_GONE = "there is no such code, or it has expired: start again on the device"


async def begin(tx: Transaction, *, device: NewDevice) -> None:
    """Raises DuplicateKey if another device currently has this code: choose another."""
    if tx.repeated and await tx.devices.by_digest(device.digest):
        return
    await tx.devices.add(device, await tx.now() + GOOD_FOR)


async def find(tx: Transaction, *, user_code: str) -> Device:
    """A device that is waiting."""
    found = await tx.devices.by_code(user_code)
    if found is None or not found.waits_at(await tx.now()):
        raise NotFound(_GONE)
    return found


async def decide(tx: Transaction, *, user_code: str, approve: bool, user_id: str, session_id: str) -> None:
    """By a user who is signed in now, regardless of what the API has cached."""
    found = await tx.devices.by_code(user_code, lock=True)
    if found is None or found.is_past(await tx.now()):
        raise NotFound(_GONE)
    if found.user_id is not None or found.denied_at is not None:
        if approve and found.session_id == session_id:
            return
        raise Conflict("this code was already approved or denied")
    account = await tx.accounts.account(session_id)
    if account is None or account.user.id != user_id:
        raise NotAllowed("your session has ended: sign in again")
    if approve:
        await tx.devices.approve(found.digest, user_id, session_id)
    else:
        await tx.devices.deny(found.digest)
    user, action = account.user, "device.approve" if approve else "device.deny"
    changes = [Change("client", None, found.client), Change("address", None, found.address)]
    await tx.audit.add(
        action, actor=f"user:{user.username}", project_id=None, id=user.id, name=user.username, changes=changes
    )


async def poll(tx: Transaction, *, digest: str, session: NewSession) -> User | Waiting:
    """Opens the session once the device is approved. It expires with the session that approved it, and is not opened if
    that one has ended in the meantime."""
    found = await tx.devices.by_digest(digest, lock=True)
    now = await tx.now()
    if found is None:
        if tx.repeated and (opened := await tx.sessions.find(session.id)):
            user = await tx.accounts.user(opened.user_id)
            assert user is not None
            return user
        return Waiting.EXPIRED
    if found.denied_at is not None or found.is_past(now):
        await tx.devices.delete(digest)
        return Waiting.DENIED if found.denied_at is not None else Waiting.EXPIRED
    if found.session_id is None:
        early = found.too_early(now)
        await tx.devices.polled(digest, found.pause + SLOWER if early else found.pause)
        return Waiting.SLOW_DOWN if early else Waiting.PENDING
    await tx.devices.delete(digest)
    account = await tx.accounts.account(found.session_id)
    if account is None:
        return Waiting.DENIED
    approved_in = await tx.sessions.find(found.session_id)
    assert approved_in is not None
    limit, user = approved_in.must_end_at, account.user
    await tx.sessions.add(replace(session, user_id=user.id), session_ends(now, now, limit), limit)
    await tx.audit.add(
        "session.open",
        actor=f"user:{user.username}",
        project_id=None,
        id=session.id,
        name=user.username,
        changes=[Change("by", None, "device")],
    )
    await tx.accounts.signed_in(user.id)
    return user
