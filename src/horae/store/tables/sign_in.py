"""Sign-in other than by password: identities of a provider, roles granted by its claims, and waiting devices."""

from __future__ import annotations

from sqlalchemy import Column, Index, UniqueConstraint, false

from horae.store.tables.columns import Flag, Id, Int, Time, name
from horae.store.tables.table import key, may, must, table

identities = table(
    "identities",  # a user's identity at a provider
    key("issuer", name(255)),
    key("subject", name(255)),
    must("user_id", Id),
    Column("gave_admin", Flag, nullable=False, server_default=false()),  # its claims made the user admin
    must("created_at", Time),
    Index("identities_user", "user_id"),
)

claimed_roles = table(
    "claimed_roles",  # granted by claims; a membership with another role was changed by hand since
    key("user_id", Id),
    key("project_id", Id),
    must("role", name(20)),
)

device_codes = table(
    "device_codes",  # sign-ins waiting for approval in a browser
    key("digest", name(64)),  # of the code that the device has
    must("user_code", name(8)),
    must("client", name(200)),
    must("address", name(100)),
    must("created_at", Time),
    must("expires_at", Time),
    must("pause", Int),  # seconds between two polls
    may("polled_at", Time),
    may("user_id", Id),  # who approved it, and
    may("session_id", Id),  # in which session
    may("denied_at", Time),
    UniqueConstraint("user_code", name="device_codes_user_code"),
    Index("device_codes_expires", "expires_at"),
)
