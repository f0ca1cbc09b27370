"""Idempotency: a request with a key takes effect once. The key is stored before execution and the answer after it; if
the process dies in between, the next try generates the same ids, and so has no second effect."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from horae.domain.errors import Conflict
from horae.domain.jobs.idempotency import HELD, KEPT, KeptAnswer, KeptRequest, Once
from horae.ports import Transaction


async def claim(tx: Transaction, once: Once, known_as: Collection[str]) -> KeptRequest:
    """Returns the key's record, which is now ours if `holder` says so. `known_as` are all digests that the request may
    have been stored under. No transaction is needed around this: each statement is atomic."""
    await tx.idempotency.insert(once, HELD)
    kept = await tx.idempotency.find(once, KEPT)
    if kept is None or kept.old:  # pruned at this moment, or not yet
        await tx.idempotency.delete(once, older_than=KEPT)
        await tx.idempotency.insert(once, HELD)
        kept = await tx.idempotency.find(once, KEPT)
    if kept is None:
        raise Conflict("this Idempotency-Key has just expired; send the request again")
    if kept.request not in known_as:
        raise Conflict("this Idempotency-Key was used for another request: a new request needs a new key")
    if kept.status is None and kept.free and kept.holder != once.holder and await tx.idempotency.take_over(once, HELD):
        return replace(kept, holder=once.holder, taken_over=True)
    return kept


async def keep(tx: Transaction, once: Once, answer: KeptAnswer) -> None:
    await tx.idempotency.answer(once, answer)


async def release(tx: Transaction, once: Once, *, refused: bool) -> None:
    """A refused request has had no effect, and its key may be reused. Otherwise the outcome is unknown: a client may
    retry at once, with the same ids."""
    await (tx.idempotency.delete(once) if refused else tx.idempotency.let_go(once))
