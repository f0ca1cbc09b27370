"""What the API answers with: its JSON, as dictionaries whose fields are attributes too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any


class Record(dict[str, Any]):
    """`run["status"]` and `run.status` are the same; type checkers know the second by its name. Instants are RFC 3339
    in UTC. A field that a newer server adds is there as well, only unknown to them."""

    __slots__ = ()

    if not TYPE_CHECKING:  # or they would take any name

        def __getattr__(self, name: str) -> Any:
            try:
                return self[name]
            except KeyError:
                raise AttributeError(f"{type(self).__name__} has no field {name!r}") from None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({super().__repr__()})"
