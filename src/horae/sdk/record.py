"""Answers of the API: its JSON, as dictionaries whose fields are attributes too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any


class Record(dict[str, Any]):
    """`run["status"]` and `run.status` are the same; type checkers know the latter. Instants are RFC 3339 in UTC.
    Fields that a newer server adds are present too, but unknown to type checkers."""

    __slots__ = ()

    if not TYPE_CHECKING:  # otherwise they would accept any name

        def __getattr__(self, name: str) -> Any:
            try:
                return self[name]
            except KeyError:
                raise AttributeError(f"{type(self).__name__} has no field {name!r}") from None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({super().__repr__()})"
