"""Re-encrypts the tokens in URLs of pings and badges with the current key when keys are rotated. The URLs stay the
same."""

from __future__ import annotations

from horae.accounts.secrets import Resealed
from horae.domain.pings.token import row_of
from horae.domain.secrets.secret import CannotOpen
from horae.ports import SealedTokens, Seals, Transaction

_BATCH = 100
After = tuple[str, str] | None


async def reseal_pings(tx: Transaction, *, seals: Seals, after: After = None) -> Resealed:
    return await _reseal(tx.pings, seals, after)


async def reseal_badges(tx: Transaction, *, seals: Seals, after: After = None) -> Resealed:
    return await _reseal(tx.badges, seals, after)


async def _reseal(table: SealedTokens, seals: Seals, after: After) -> Resealed:
    """Like `reseal` for secrets. A token that no key decrypts still works, but its URL cannot be shown."""
    done, cannot = 0, []
    rows = await table.not_of(seals.key_id, limit=_BATCH, after=after and after[1])
    for old in rows:
        try:
            value = seals.open(old)
        except CannotOpen:
            cannot.append(f"the URL of {old.name}")
            continue
        done += await table.reseal(old, seals.seal(old.project_id, old.name, value))
    return Resealed(done, cannot, ("", row_of(rows[-1])) if len(rows) == _BATCH else None)
