"""A function's parameters: as JSON Schema for creating jobs, and as a validator for calls.

Both are derived from the annotations by pydantic, which is imported only when needed. A parameter without an
annotation, or with one that does not describe JSON (a user-defined class, for example), accepts anything.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from horae.domain.errors import InvalidInput
from horae.domain.jobs.task import CONTEXT, Function
from horae.domain.text.json_value import plain_json

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Arguments = dict[str, Any]
Validator = Callable[[Arguments], Arguments]
"""The arguments converted as annotated: dates for texts, and so on. Raises InvalidInput, which names one."""

_DEFAULTS_UP_TO = 1_000  # characters of JSON: a schema is for reading, too


def schema_of(function: Function) -> dict[str, Any]:
    """The JSON Schema of its arguments, as one object."""
    annotated = _annotated(function)
    if annotated:
        schema = _adapter(function, _usable(function, annotated)).json_schema()
    else:
        schema = {"type": "object", "properties": {name: {} for name in sorted(function.accepts)}}
        if function.requires:
            schema["required"] = sorted(function.requires)
    schema["title"] = function.display_name
    schema["additionalProperties"] = function.takes_any
    for name, value in _defaults(function).items():
        schema["properties"][name].setdefault("default", value)
    return schema


def validator_of(function: Function) -> Validator | None:
    """None for a function without annotations: its arguments are passed as they are."""
    annotated = _annotated(function)
    if not annotated:
        return None
    adapter = _adapter(function, _usable(function, annotated))

    def validate(arguments: Arguments) -> Arguments:
        from pydantic import ValidationError

        try:
            made: Arguments = adapter.validate_python(arguments)
        except ValidationError as error:
            raise _misfit(error) from None
        return made

    return validate


def _misfit(error: Any) -> InvalidInput:
    """The first invalid argument. Its value is not repeated: it may be a secret."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    message = first["msg"].removeprefix("Value error, ").replace("Input should", "should")
    return InvalidInput(".".join(str(step) for step in first["loc"]), message[:1].lower() + message[1:])


def _annotated(function: Function) -> dict[str, Any]:
    """The annotation of each parameter that has one."""
    call = inspect.unwrap(function.call)
    try:
        hints = typing.get_type_hints(call, include_extras=True)
    except Exception:  # a name that exists for type checkers only
        hints = {name: hint for name, hint in _raw(call).items() if not isinstance(hint, str)}
    return {name: hint for name, hint in hints.items() if name in function.accepts and name != CONTEXT}


def _raw(call: Callable[..., Any]) -> dict[str, Any]:
    found: dict[str, Any] = getattr(call, "__annotations__", {})
    return found


def _usable(function: Function, annotated: dict[str, Any]) -> dict[str, Any]:
    """The same, with Any for annotations that pydantic cannot validate or express as JSON Schema."""
    try:
        _adapter(function, annotated).json_schema()
        return annotated
    except Exception:
        return {name: hint if _tells(hint) else Any for name, hint in annotated.items()}


def _tells(hint: Any) -> bool:
    from pydantic import TypeAdapter

    try:
        TypeAdapter(hint).json_schema()
    except Exception:
        return False
    return True


def _adapter(function: Function, annotated: dict[str, Any]) -> TypeAdapter[Any]:
    from pydantic import ConfigDict, TypeAdapter, with_config
    from typing_extensions import TypedDict

    fields: dict[str, Any] = {}
    for name in sorted(function.accepts):
        hint = annotated.get(name, Any)
        fields[name] = hint if name in function.requires else typing.NotRequired[hint]
    shape = TypedDict("Arguments", fields)  # type: ignore[misc]
    config = ConfigDict(extra="allow" if function.takes_any else "forbid")
    return TypeAdapter(with_config(config)(shape))


def _defaults(function: Function) -> dict[str, Any]:
    """Those that are JSON-serializable and short."""
    found = {}
    for name, parameter in inspect.signature(function.call).parameters.items():
        if name not in function.accepts or parameter.default is parameter.empty:
            continue
        try:
            plain_json(parameter.default)
        except ValueError:
            continue
        if len(repr(parameter.default)) <= _DEFAULTS_UP_TO:
            found[name] = parameter.default
    return found
