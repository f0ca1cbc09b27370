"""What can be asked of the API, said once for both clients.

A method of a resource only says which request it means and how the answer is read; `@call` and `@pages` make of that a
plain method on the sync client and an awaitable one on the async client, with the same signature and the same words.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload
from urllib.parse import quote

if TYPE_CHECKING:
    from horae.sdk.client import AsyncClient, Client

Json = dict[str, Any]
Items = list[Json]
When = datetime | str | None
P = ParamSpec("P")
T = TypeVar("T")
KEEP: Any = object()
"""Left out, where None means something."""


def whole(answer: Json) -> Any:
    """The answer as it is."""
    return answer


def nothing(_: Json) -> None:
    return None


def items(answer: Json) -> Items:
    found: Items = answer["items"]
    return found


@dataclass(frozen=True, slots=True)
class Request(Generic[T]):
    """One request; None among the parameters is left out."""

    method: str
    path: str
    json: Any = None
    params: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    read: Callable[[Json], T] = whole


@dataclass(frozen=True, slots=True)
class Pages:
    """A list, page after page, up to `limit` items. Some lists come whole: they have no `paged`."""

    path: str
    filters: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = None
    start: str | None = None  # the cursor to begin at
    paged: bool = True

    def request(self, given: int, cursor: str | None) -> Request[Json]:
        params = dict(self.filters)
        if self.paged:
            params |= {"limit": _PAGE if self.limit is None else min(_PAGE, self.limit - given), "cursor": cursor}
        return Request("GET", self.path, params=params)


_PAGE = 200


class Resource:
    """The methods of one noun, on the sync client."""

    def __init__(self, client: Client) -> None:
        self._client = client


class AsyncResource:
    """The methods of one noun, on the async client."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client


class call(Generic[P, T]):
    """A method that sends one request."""

    def __init__(self, build: Callable[Concatenate[Any, P], Request[T]]) -> None:
        self._build = build
        functools.update_wrapper(self, build)  # type: ignore[arg-type]

    @overload
    def __get__(self, resource: Resource, owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, resource: AsyncResource, owner: type) -> Callable[P, Awaitable[T]]: ...
    @overload
    def __get__(self, resource: None, owner: type) -> call[P, T]: ...
    def __get__(self, resource: Any, owner: type) -> Any:
        if resource is None:
            return self

        @functools.wraps(self._build)
        def send(*args: Any, **kwargs: Any) -> Any:
            return resource._client.send(self._build(resource, *args, **kwargs))

        return send


class pages(Generic[P]):
    """A method that goes through a list, page after page, as its items are asked for."""

    def __init__(self, build: Callable[Concatenate[Any, P], Pages]) -> None:
        self._build = build
        functools.update_wrapper(self, build)  # type: ignore[arg-type]

    @overload
    def __get__(self, resource: Resource, owner: type) -> Callable[P, Iterator[Json]]: ...
    @overload
    def __get__(self, resource: AsyncResource, owner: type) -> Callable[P, AsyncIterator[Json]]: ...
    @overload
    def __get__(self, resource: None, owner: type) -> pages[P]: ...
    def __get__(self, resource: Any, owner: type) -> Any:
        if resource is None:
            return self

        @functools.wraps(self._build)
        def each(*args: Any, **kwargs: Any) -> Any:
            return resource._client.each(self._build(resource, *args, **kwargs))

        return each


def part(text: str) -> str:
    """A name or an id as a part of a path."""
    return quote(text, safe="")


def instant(when: When) -> str | None:
    return when.isoformat() if isinstance(when, datetime) else when


def given(fields: Json) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def if_match(version: int | None) -> dict[str, str]:
    return {} if version is None else {"if-match": f'"{version}"'}
