"""The calls of the API, declared once for both clients.

A method of a resource only describes its request and how to read the answer; `@call` and `@pages` turn it into a plain
method on the sync client and an awaitable one on the async client, with the same signature and docstring.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload
from urllib.parse import quote

if TYPE_CHECKING:
    from horae.sdk.engine import ClientCore

Json = dict[str, Any]
When = datetime | str | None
P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
C = TypeVar("C")
KEEP: Any = object()
"""Omitted, where None has a meaning."""

API = "api/v1/"


def whole(answer: Any) -> Any:
    """The answer as it is."""
    return answer


def nothing(_: Any) -> None:
    return None


def listed(read: Callable[[Json], T]) -> Callable[[Json], list[T]]:
    """The items of a list that comes whole."""
    return lambda answer: [read(item) for item in answer["items"]]


@dataclass(frozen=True, slots=True)
class Request(Generic[T]):
    """One request; parameters that are None are left out."""

    method: str
    path: str
    json: Any = None
    params: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    read: Callable[[Any], T] = whole
    base: str = API
    text: bool = False  # the answer is not JSON
    also: Collection[int] = ()  # statuses that are not errors
    once: bool = False  # never retried if it may have taken effect
    otherwise: Request[T] | None = None  # the request to send instead if the object does not exist


@dataclass(frozen=True, slots=True)
class Pages(Generic[T]):
    """A list, page after page, up to `limit` items. Lists that are not `paged` have a single page."""

    path: str
    read: Callable[[Json], T]
    filters: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = None
    start: str | None = None  # the cursor to begin at
    paged: bool = True

    def request(self, given: int, cursor: str | None) -> Request[Json]:
        params = dict(self.filters)
        if self.paged:
            params |= {"limit": _PAGE if self.limit is None else min(_PAGE, self.limit - given), "cursor": cursor}
        return Request("GET", self.path, params=params)

    def through(self, engine: ClientCore) -> AsyncGenerator[T, None]:
        return engine.each(self)


_PAGE = 200


class Source(Protocol[T_co]):
    """Yields one item after the other: of a list, or of a stream."""

    def through(self, engine: ClientCore) -> AsyncGenerator[T_co, None]: ...


class Sync:
    """Marks the types of the sync client."""


class Async:
    """Marks the types of the async client."""


class Driver(Protocol):
    """Executes what the engine does, for one of the clients."""

    engine: ClientCore

    def run(self, work: Coroutine[Any, Any, T]) -> Any: ...

    def iterate(self, items: AsyncGenerator[T, None]) -> Any: ...


class Resource(Generic[C]):
    """The methods of one noun; `C` is `Sync` or `Async`."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver


class call(Generic[P, T]):
    """A method that sends one request."""

    def __init__(self, build: Callable[Concatenate[Any, P], Request[T]]) -> None:
        self._build = build
        functools.update_wrapper(self, build)  # type: ignore[arg-type]

    @overload
    def __get__(self, resource: Resource[Sync], owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, resource: Resource[Async], owner: type) -> Callable[P, Awaitable[T]]: ...
    @overload
    def __get__(self, resource: None, owner: type) -> call[P, T]: ...
    def __get__(self, resource: Any, owner: type) -> Any:
        if resource is None:
            return self

        @functools.wraps(self._build)
        def send(*args: Any, **kwargs: Any) -> Any:
            driver: Driver = resource._driver
            return driver.run(driver.engine.send(self._build(resource, *args, **kwargs)))

        return send


class pages(Generic[P, T]):
    """A method that iterates over a list, fetching pages as needed; or over a stream."""

    def __init__(self, build: Callable[Concatenate[Any, P], Source[T]]) -> None:
        self._build = build
        functools.update_wrapper(self, build)  # type: ignore[arg-type]

    @overload
    def __get__(self, resource: Resource[Sync], owner: type) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, resource: Resource[Async], owner: type) -> Callable[P, AsyncIterator[T]]: ...
    @overload
    def __get__(self, resource: None, owner: type) -> pages[P, T]: ...
    def __get__(self, resource: Any, owner: type) -> Any:
        if resource is None:
            return self

        @functools.wraps(self._build)
        def each(*args: Any, **kwargs: Any) -> Any:
            driver: Driver = resource._driver
            return driver.iterate(self._build(resource, *args, **kwargs).through(driver.engine))

        return each


def part(text: str) -> str:
    """A name or an id as a path segment."""
    return quote(text, safe="")


def instant(when: When) -> str | None:
    return when.isoformat() if isinstance(when, datetime) else when


def given(fields: Json) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def if_match(version: int | None) -> dict[str, str]:
    return {} if version is None else {"if-match": f'"{version}"'}


def keyed(idempotency_key: str | None, traceparent: str | None = None) -> dict[str, str]:
    return given({"idempotency-key": idempotency_key, "traceparent": traceparent})
