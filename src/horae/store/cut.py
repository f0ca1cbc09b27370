"""Documents in lists: those that are long are left out, and the database does not even send them."""

from __future__ import annotations

from collections.abc import Sequence

from horae.store.dialects.base import Dialect, Row

LISTED = 4_096  # bytes of a document that a list shows
_MARK = "_is_long"


def shortened(d: Dialect, column: str, name: str) -> str:
    """The column as `name`, NULL if it is long, and beside it whether it is."""
    size = d.bytes(column)
    return (
        f"CASE WHEN {size} <= {LISTED} THEN {column} END AS {name}, "
        f"CASE WHEN {size} > {LISTED} THEN 1 ELSE 0 END AS {name}{_MARK}"
    )


def left_out(row: Row, names: Sequence[str]) -> list[str]:
    """Which of these documents are not in a row because they are long."""
    return [name for name in names if row[f"{name}{_MARK}"]]
