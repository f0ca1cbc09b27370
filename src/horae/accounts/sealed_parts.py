"""The secret part of a channel or a sink: a few values, encrypted together and bound to their row."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Protocol

from horae.accounts.secrets import Resealed
from horae.domain.notify.channel import SealedPart
from horae.domain.secrets.secret import CannotOpen, Sealed
from horae.ports import Seals

_BATCH = 100


class SealedRow(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def project_id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def sealed(self) -> SealedPart | None: ...


class SealedRows(Protocol):
    """A table of such rows."""

    async def not_of(self, key_id: str, *, limit: int, after: str | None) -> Sequence[SealedRow]: ...
    async def reseal(self, id: str, old: SealedPart, new: SealedPart, /) -> bool: ...


def seal_part(seals: Seals, noun: str, project_id: str, id: str, values: dict[str, str]) -> SealedPart | None:
    if not values:
        return None
    sealed = seals.seal(project_id, f"{noun}:{id}", json.dumps(values))
    return SealedPart(sealed.text, sealed.key_id)


def open_part(seals: Seals, noun: str, project_id: str, id: str, sealed: SealedPart | None) -> dict[str, str]:
    """Raises CannotOpen."""
    if sealed is None:
        return {}
    found = json.loads(seals.open(Sealed(project_id, f"{noun}:{id}", sealed.text, sealed.key_id)))
    return {str(name): str(value) for name, value in found.items()}


def opened_part(seals: Seals, noun: str, row: SealedRow) -> dict[str, str]:
    """None if no key decrypts them or they are damaged: then they must be entered again."""
    try:
        return open_part(seals, noun, row.project_id, row.id, row.sealed)
    except CannotOpen:
        return {}


async def reseal_parts(table: SealedRows, noun: str, seals: Seals, after: tuple[str, str] | None) -> Resealed:
    """Re-encrypts some of them with the current key; those that no key decrypts stay as they are."""
    done, cannot = 0, []
    rows = await table.not_of(seals.key_id, limit=_BATCH, after=None if after is None else after[1])
    for row in rows:
        try:
            values = open_part(seals, noun, row.project_id, row.id, row.sealed)
        except CannotOpen:
            cannot.append(f"{noun} {row.name} ({row.id})")
            continue
        new = seal_part(seals, noun, row.project_id, row.id, values)
        if row.sealed is not None and new is not None:
            done += await table.reseal(row.id, row.sealed, new)
    last = rows[-1] if len(rows) == _BATCH else None
    return Resealed(done, cannot, None if last is None else (last.project_id, last.id))
