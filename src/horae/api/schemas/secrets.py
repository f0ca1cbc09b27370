"""The shapes of secrets in requests and answers."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict, SecretStr


class SecretBody(BaseModel):
    """A secret's value: 1 byte to 64 KiB of text without NUL."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    value: SecretStr  # which is masked when printed


class SecretView(BaseModel):
    """A secret; its value is never shown."""

    name: str
    created_by: str
    created_at: datetime
    updated_by: str
    updated_at: datetime
