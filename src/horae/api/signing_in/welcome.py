"""First start, when there are no users yet: the token that creates the first admin."""

from __future__ import annotations

import secrets

from horae.accounts.signup import offer_first
from horae.api.signing_in.tokens import digest
from horae.ports import Ids, Store


async def first_token(store: Store, ids: Ids) -> str | None:
    """A new token each time; None if a user has signed up. Only its digest is stored."""
    token = f"hf1_{secrets.token_urlsafe(32)}"
    offered = await store.transact(offer_first, invitation_id=ids.new(), digest=digest(token))
    return token if offered else None
