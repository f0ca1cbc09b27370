"""Registered functions: what workers have registered, what users have disabled, and whether a job's arguments are
valid. Pure: lifecycle/functions.py queries the store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from horae.domain.errors import InvalidInput
from horae.domain.jobs.parameters import schema_of
from horae.domain.jobs.task import Function
from horae.domain.text.checks import storable

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

NEEDS = "python:"  # prefix of the needs of a run of a function
TASKS = "celery:"  # prefix of the names of Celery tasks: they cannot be taken for functions of the same name
_LONGEST_DESCRIPTION = 10_000
_LONGEST_SCHEMA = 256 * 1024
_KINDS = {
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


@dataclass(frozen=True, slots=True)
class FunctionSign:
    """A function as a worker registers it. `parameters` is JSON Schema, as text."""

    name: str
    display_name: str
    description: str
    handler: str
    kind: str
    queue: str | None
    default_timeout: float | None
    parameters: str
    is_system: bool

    @classmethod
    def of(cls, function: Function) -> FunctionSign:
        schema = json.dumps(schema_of(function), ensure_ascii=True)
        if len(schema) > _LONGEST_SCHEMA:
            schema = json.dumps({"type": "object", "title": function.display_name})  # then only workers check
        return cls(
            name=function.name,
            display_name=(storable(function.display_name) or "")[:200],
            description=(storable(function.description) or "")[:_LONGEST_DESCRIPTION],
            handler=function.handler[:500],
            kind=function.kind,
            queue=function.queue,
            default_timeout=function.timeout,
            parameters=schema,
            is_system=function.is_system,
        )


@dataclass(frozen=True, slots=True)
class CallRules:
    """The rules for runs of a function. `parameters` is JSON Schema, as text."""

    is_active: bool
    parameters: str


@dataclass(frozen=True, slots=True)
class FunctionRecord(FunctionSign):
    """A function's current state. Once users have named or described it, workers leave that alone."""

    is_active: bool
    is_edited: bool
    first_seen_at: datetime
    last_seen_at: datetime
    handler_path: str | None = None  # if an admin registered it by its path
    import_error: str | None = None  # then: why no worker could import it lately
    imported_at: datetime | None = None  # when a worker last did

    @property
    def handler_type(self) -> str:
        """Who calls it: a Celery worker, or a Horae worker in one of two ways."""
        return {"celery": "celery_task", "async": "async_function"}.get(self.kind, "function")


@dataclass(frozen=True, slots=True)
class FunctionChange:
    """What users decide; None leaves a field unchanged."""

    is_active: bool | None = None
    display_name: str | None = None
    description: str | None = None


def unknown(name: str, known: Iterable[str]) -> InvalidInput:
    """No worker has ever registered it."""
    close = get_close_matches(name, list(known), 1)
    hint = (
        f"; did you mean {close[0]!r}?" if close else ": start a worker that imports it, or `horae functions register`"
    )
    return InvalidInput("target.function", f"no worker has registered a function with this name{hint}")


def switched_off(name: str) -> str:
    return f"the function {name} is disabled; `horae functions enable {name}` enables it"


def check_arguments(parameters: str, arguments: Mapping[str, Any], field: str) -> None:
    """Raises InvalidInput, which names the first invalid argument, below `field`."""
    for error in _validator(parameters).iter_errors(arguments):
        raise _misfit(error, field)


@lru_cache(maxsize=1_000)
def _validator(parameters: str) -> Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(parameters))


def _misfit(error: Any, field: str) -> InvalidInput:
    """In words that never repeat the value: it may be a secret."""
    path = [str(step) for step in error.absolute_path]
    keyword, wanted = str(error.validator), error.validator_value
    if keyword == "required":
        missing = next(name for name in wanted if name not in error.instance)
        return InvalidInput(".".join([field, *path, missing]), "is missing")
    if keyword == "additionalProperties":
        known = error.schema.get("properties", {})
        extra = next((name for name in error.instance if name not in known), "")
        return InvalidInput(".".join([field, *path, extra]), "is not an argument of this function")
    return InvalidInput(".".join([field, *path]), _must(keyword, wanted))


def _must(keyword: str, wanted: Any) -> str:
    if keyword == "type":
        kinds = [wanted] if isinstance(wanted, str) else wanted
        return f"must be {' or '.join(_KINDS.get(kind, kind) for kind in kinds)}"
    if keyword in ("enum", "const"):
        return f"must be {'one of ' if keyword == 'enum' else ''}{json.dumps(wanted, ensure_ascii=False)[:500]}"
    if keyword in ("anyOf", "oneOf"):
        kinds = [part.get("type") for part in wanted if isinstance(part, dict)]
        if all(isinstance(kind, str) for kind in kinds):
            return _must("type", kinds)
        return "does not match any form that the function accepts"
    words = {
        "minimum": "must be at least",
        "maximum": "must be at most",
        "exclusiveMinimum": "must be more than",
        "exclusiveMaximum": "must be less than",
        "minLength": "minimum number of characters:",
        "maxLength": "maximum number of characters:",
        "minItems": "minimum number of items:",
        "maxItems": "maximum number of items:",
        "pattern": "must match",
        "multipleOf": "must be a multiple of",
    }
    return f"{words[keyword]} {wanted}" if keyword in words else f"is not valid ({keyword})"
