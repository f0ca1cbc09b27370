"""Everything that a client can be asked, called once with a value for each parameter."""

import inspect
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from horae.sdk.calls import Pages, Request, call, pages
from horae.sdk.client import Client
from horae.sdk.following import Stream

AT = "2026-12-01T00:00:00Z"
VALUES: dict[str, Any] = {
    "count": 5, "number": 1, "to": 1, "version": 1, "limit": 7, "parallelism": 2, "priority": 3, "rate": 1.0,
    "seconds": 1, "is_admin": True, "is_active": True, "dry_run": True, "force": True, "ids": ["x"], "runs": [{}],
    "filter": {}, "definition": {}, "answer": {}, "target": {}, "schedule": {}, "compare": {}, "start": AT, "end": AT,
}  # fmt: skip


@dataclass(frozen=True)
class Method:
    """A method of the client, and what it asks for."""

    name: str
    kind: type
    asks: Any
    gives: Any  # what its annotation says
    signature: inspect.Signature

    @property
    def request(self) -> Request[Any]:
        if isinstance(self.asks, Pages):
            return self.asks.request(0, None)
        return self.asks.request({}) if isinstance(self.asks, Stream) else self.asks


def methods() -> Iterator[Method]:
    with Client("http://127.0.0.1:1") as client:
        for noun, resource in [("", client), *vars(client).items()]:
            for name, verb in inspect.getmembers_static(type(resource)):
                if isinstance(verb, call | pages):
                    yield _method(f"{noun}.{name}".strip("."), verb)


def _method(name: str, verb: Any) -> Method:
    signature, hints = inspect.signature(verb._build), typing.get_type_hints(verb._build)
    named: set[str] = set()
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            (fields,) = typing.get_args(hints[parameter.name])  # Unpack of a TypedDict
            named |= set(typing.get_type_hints(fields))
        elif parameter.name != "self":
            named.add(parameter.name)
    asks = verb._build(None, **{one: VALUES.get(one, "x") for one in named})
    return Method(name, type(verb), asks, hints["return"], signature)
