"""What annotations say about arguments: as JSON Schema, and as a validator."""

from __future__ import annotations

import enum
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from pydantic import BaseModel, Field

from horae.domain.errors import InvalidInput
from horae.domain.jobs.parameters import schema_of, validator_of
from horae.domain.jobs.task import Context, describe

if TYPE_CHECKING:
    from collections.abc import Awaitable  # a name that is not there at run time


class Colour(enum.Enum):
    RED = "red"


class Customer(BaseModel):
    id: int


@dataclass
class Address:
    street: str


class Opaque:
    pass


def everything(
    count: int,
    when: datetime,
    customer: Customer,
    *,
    colour: Colour = Colour.RED,
    address: Address | None = None,
    ratio: Annotated[float, Field(ge=0, le=1)] = 0.5,
    schema: str = "a name that models do not like",
    _private: list[int] = [1],  # noqa: B006
    opaque: Opaque | None = None,
    call: Callable[[], None] | None = None,
    context: Context,
    plain=None,
) -> None:
    """All there is."""


def test_the_schema_of_everything():
    schema = schema_of(describe(everything, display_name="All"))
    assert (schema["title"], schema["type"], schema["additionalProperties"]) == ("All", "object", False)
    assert sorted(schema["required"]) == ["count", "customer", "when"]
    properties = schema["properties"]
    assert "context" not in properties
    assert properties["count"]["type"] == "integer"
    assert properties["when"]["format"] == "date-time"
    assert properties["ratio"]["maximum"] == 1
    assert properties["_private"]["default"] == [1]
    assert "default" not in properties["colour"], "an enum is no JSON"
    assert properties["plain"].get("type") is None
    assert "type" not in properties["opaque"], "what pydantic knows nothing about takes anything"
    assert schema["$defs"]["Colour"]["enum"] == ["red"]


def test_arguments_become_what_they_are_annotated_as():
    validate = validator_of(describe(everything))
    assert validate is not None
    given = {"count": 3, "when": "2026-03-01T12:00:00Z", "customer": {"id": 7}, "colour": "red", "opaque": [1]}
    made = validate({**given, "address": {"street": "Main"}})
    assert made["when"].year == 2026
    assert made["customer"] == Customer(id=7)
    assert made["colour"] is Colour.RED
    assert made["address"] == Address("Main")
    assert made["opaque"] == [1]
    assert "ratio" not in made, "defaults are the function's own business"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n": "x"}, "n: should be a valid integer, unable to parse string as an integer"),
        ({}, "n: field required"),
        ({"n": 1, "day": "hunter2"}, "day: should be a valid date or datetime, "),
        ({"n": 1, "other": 1}, "other: extra inputs are not permitted"),
    ],
)
def test_what_does_not_fit_is_named_and_not_repeated(arguments: dict[str, Any], words: str):
    def call(n: int, day: date | None = None) -> None: ...

    validate = validator_of(describe(call))
    assert validate is not None
    with pytest.raises(InvalidInput) as refused:
        validate(arguments)
    assert str(refused.value).startswith(words)
    assert "hunter2" not in str(refused.value)


def test_without_annotations_there_is_nothing_to_check():
    function = describe(lambda a, b=2, **more: None, name="f")
    assert validator_of(function) is None
    schema = schema_of(function)
    assert schema["properties"] == {"a": {}, "b": {"default": 2}}
    assert (schema["required"], schema["additionalProperties"]) == (["a"], True)
    nothing = schema_of(describe(lambda: None, name="g"))
    assert nothing == {"type": "object", "properties": {}, "title": "G", "additionalProperties": False}


def test_annotations_that_only_type_checkers_can_read():
    def call(n: int, more: Awaitable[int] | None = None) -> None: ...

    schema = schema_of(describe(call))
    assert schema["properties"]["more"].get("type") is None


def test_describing_tasks_needs_no_pydantic():
    code = "import sys, horae.domain.jobs.parameters; from horae.domain.jobs.task import describe"
    code += "; describe(print, name='p')"
    code += "; print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
