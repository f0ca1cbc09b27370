"""The tables of second factors."""

from __future__ import annotations

from horae.store.tables.columns import Id, Int, LongText, Time, name
from horae.store.tables.table import key, may, must, table

second_factors = table(
    "second_factors",  # a user's authenticator app: one in use, and one being enrolled
    key("user_id", Id),
    key("state", name(10)),  # on or pending
    must("sealed", LongText),  # the shared secret, encrypted with the user as associated data
    must("key_id", name(40)),  # the key that encrypted it
    may("used_step", Int),  # the last time step whose code was used
    must("created_at", Time),
    may("confirmed_at", Time),
)

recovery_codes = table(
    "recovery_codes",  # the remaining ones: a used code is deleted
    key("user_id", Id),
    key("digest", name(64)),
    must("created_at", Time),
)
