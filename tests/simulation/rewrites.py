"""Statements that are changed on their way to the database: for bugs that are planted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


class Misfit(Exception):
    """A change meets what it was not meant for: it is the plant that is wrong, not the product."""


@dataclass(frozen=True)
class Rewrite:
    old: str
    new: str
    within: tuple[str, ...]  # how the statements begin that it is meant for

    def __call__(self, sql: str) -> str:
        if self.old not in sql:
            return sql
        if not sql.startswith(self.within):
            raise Misfit(f"{self.old!r} is in a statement that is not meant: {sql[:100]!r}")
        return sql.replace(self.old, self.new)

    def without_it(self, statements: Collection[str]) -> list[str]:
        """Those that are meant, and are not among these or have not the text that is to go."""
        with_it = [sql for sql in statements if self.old in sql]
        return [begin for begin in self.within if not any(sql.startswith(begin) for sql in with_it)]


_CHANGES: list[Callable[[str], str]] = []


@contextmanager
def changing(*changes: Callable[[str], str]) -> Iterator[None]:
    """The first that is asked for sees statements as they are."""
    before = len(_CHANGES)
    _CHANGES.extend(changes)
    try:
        yield
    finally:
        del _CHANGES[before:]


@contextmanager
def listening() -> Iterator[set[str]]:
    """To every statement that is sent."""
    sent: set[str] = set()

    def heard(sql: str) -> str:
        sent.add(sql)
        return sql

    with changing(heard):
        yield sent


def rewritten(sql: str) -> str:
    for change in _CHANGES:
        sql = change(sql)
    return sql
