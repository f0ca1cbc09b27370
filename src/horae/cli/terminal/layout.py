"""Table layout: which columns fit into a terminal, and how wide they are."""

from __future__ import annotations

from collections.abc import Sequence

GAP = 3  # spaces between two columns
_LEAST = 12  # text cut to less is unreadable
# Ids and names are copied from tables: they are shown whole or not at all.
_WHOLE = frozenset({"id", "name", "job", "status", "slug", "cause", "prefix", "setting"})


def fit(columns: Sequence[str], natural: Sequence[int], room: int, spare: Sequence[str]) -> dict[int, int]:
    """The indexes and widths of the columns to show. `natural` are the widths of the cells, 0 where all are empty.
    `spare` columns are dropped first, in that order, then empty columns, then the rightmost."""
    widths = {place: max(size, len(columns[place])) for place, size in enumerate(natural)}
    if _total(widths) <= room:
        return widths
    empty = [columns[place] for place, size in enumerate(natural) if not size]
    loose = [column for column in reversed(columns[1:]) if column not in _WHOLE]
    least = {place: _least(columns[place], width) for place, width in widths.items()}
    for column in (*empty, *spare, *loose):
        if _total(least) <= room:
            break
        least.pop(columns.index(column), None)
    return _widened(least, widths, room)


def _least(column: str, width: int) -> int:
    return width if column in _WHOLE else min(width, max(_LEAST, len(column)))


def _widened(least: dict[int, int], wanted: dict[int, int], room: int) -> dict[int, int]:
    """Gives the remaining space to truncated columns, those that need least first."""
    left = room - _total(least)
    found = dict(least)
    for place in sorted(least, key=lambda place: wanted[place] - least[place]):
        more = max(min(wanted[place] - least[place], left), 0)
        found[place] += more
        left -= more
    return found


def _total(widths: dict[int, int]) -> int:
    return sum(widths.values()) + GAP * (len(widths) - 1)
