"""What people are told of: the outbox."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from horae.domain.notify.notice import NewNotice


class Notices(Protocol):
    """The outbox. A notice is written in the transaction in which the thing happened, and costs one statement for a
    batch. Where no channel would hear of it, no row is written."""

    async def add(self, notices: Sequence[NewNotice]) -> None: ...
    async def failed(self, notices: Sequence[NewNotice]) -> None:
        """Those of failed runs, before their dead letters are written: a `dead_letter` whose cause already has an open
        one becomes a `failure`."""
        ...
