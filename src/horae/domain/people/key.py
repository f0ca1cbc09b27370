"""API keys, as stored and as shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key to be stored: never the key itself, only its digest."""

    id: str
    project_id: str
    name: str
    role: str
    prefix: str
    digest: str
    created_by: str
    expires_at: datetime | None = None
    maker_id: str | None = None  # the user responsible for it


@dataclass(frozen=True, slots=True)
class KeyRecord:
    id: str
    project_id: str
    name: str
    role: str
    digest: str
    project_slug: str
    project_name: str
    prefix: str
    maker_id: str | None = None
